"""Agents and a verifier for real Harbor to run: one with a price, one that raises, one that needs a retry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, override

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.verifier.result import VerifierResult
from harbor.verifier.base import BaseVerifier


class _Agent(BaseAgent):
    @staticmethod
    @override
    def name() -> str:
        return "priced"

    @override
    def version(self) -> str:
        return "2.0"

    @override
    async def setup(self, environment: BaseEnvironment) -> None: ...


class PricedAgent(_Agent):
    """Answers rightly, leaves a trajectory, and says what it used."""

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        await environment.exec("echo '{\"voltage_drop_v\": 3.1}' > /app/answer.json")
        trajectory: dict[str, Any] = {
            "schema_version": "ATIF-v1.4",
            "session_id": "fixture",
            "agent": {"name": "priced", "version": "2.0", "model_name": "acme/tiny-1"},
            "steps": [{"step_id": 1, "source": "user", "message": instruction}],
        }
        (self.logs_dir / "trajectory.json").write_text(json.dumps(trajectory))
        context.n_input_tokens, context.n_cache_tokens, context.n_output_tokens = 1200, 200, 34
        context.cost_usd = 0.0125


class RaisingAgent(_Agent):
    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        raise RuntimeError("the agent lost its way")


class SlowAgent(_Agent):
    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        await environment.exec("echo '{}' > /app/answer.json; sleep 60")


class FlakyAgent(_Agent):
    """Raises the first time, and not again."""

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        marker = Path("raised-once")
        if not marker.exists():
            marker.touch()
            raise ConnectionError("the first try fails")


class NanVerifier(BaseVerifier):
    @override
    async def verify(self) -> VerifierResult:
        return VerifierResult(rewards={"reward": float("nan")})
