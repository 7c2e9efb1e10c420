"""Which nodes of a Ray cluster can score: each shows it on a control trial before it gets the first job.

A node without adjudge, with another version of it, or without a working sandbox fails every job in an
instant, and would therefore attract nearly all of them. It is left out by name instead. A trial that fails
on a node is not recorded at once: the control is run there again, which tells a node that broke from a
trial that breaks, and the trial goes to another node if there is one.

Jobs go to nodes by name, so a node that joins the cluster later gets none until the next run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge._version import __version__
from adjudge.errors import AdjudgeError, MachineryError
from adjudge.gates import read_output
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import score_output
from adjudge.tasks import load_task

HANDSHAKE_SEC = 120
"""A node that does not answer by then is left out; starting its first worker is part of it."""
_SCRIPT = """#!/bin/bash
[ "$(cat /workspace/answer.json)" = 42 ] && reward=1.0 || reward=0.0
echo "{\\"reward\\": $reward}" > /logs/verifier/reward.json
"""

sandbox_here = cache(choose_sandbox)
"""One per worker process: choosing tries the sandbox out."""


class Node(Struct):
    """A machine of the cluster, and how many trials it has of us."""

    id: str
    name: str
    processors: int
    busy: int = 0


def control(sandbox: str, version: str) -> str | None:
    """Score a right and a wrong answer in this process; says what is wrong here, or None if nothing is."""
    if version != __version__:
        return f"it has adjudge {__version__}, and the run was started with {version}"
    try:
        rewards = [_control_reward(sandbox, answer) for answer in ("42", "41")]
    except AdjudgeError as error:
        return str(error)
    if rewards != [1.0, 0.0]:
        return f"a right and a wrong answer got the rewards {rewards[0]} and {rewards[1]}"
    return None


def _control_reward(sandbox: str, answer: str) -> float:
    with tempfile.TemporaryDirectory(prefix="adjudge-control-") as name:
        home = Path(name)
        home.chmod(0o755)  # the verifier may run as somebody else
        (home / "tests").mkdir()
        (home / "instruction.md").write_text("Write 42 to /workspace/answer.json\n")
        (home / "tests/test.sh").write_text(_SCRIPT)
        (home / "answer.json").write_text(answer)
        task = load_task(home)
        return score_output(
            task, read_output(task, home / "answer.json"), sandbox_here(sandbox)
        ).result.reward


class Nodes:
    """The nodes that may have trials. MachineryError if there is none, with what is wrong with each."""

    def __init__(self, ray: Any, sandbox: str, say: Callable[[str], None]) -> None:
        self._ray = ray
        self._sandbox = sandbox
        self._say = say
        self._control = ray.remote(num_cpus=0, max_retries=0)(control)
        self.good: dict[str, Node] = {}
        self._why: list[str] = []
        found = [node for node in map(_node, ray.nodes()) if node is not None]
        self.good = {node.id: node for node in found}
        self.check(found)

    def check(self, nodes: Collection[Node]) -> None:
        """Run the control on these nodes; those that fail it are left out."""
        asked = {node.id: (node, self._ask(node)) for node in nodes}
        self._ray.wait(
            [reference for _, reference in asked.values()], num_returns=len(asked), timeout=HANDSHAKE_SEC
        )
        for node, reference in asked.values():
            why = self._answer(reference)
            if why is not None and self.good.pop(node.id, None) is not None:
                self._why.append(f"{node.name}: {why}")
                self._say(f"the Ray node {node.name} is left out: {why}")
        if not self.good:
            raise MachineryError(
                "no Ray node can score",
                found="; ".join(self._why) or "no node with a processor",
                remedy="Nothing was recorded for what they had. Mend a node and run the same command again.",
            )

    def freest(self, avoid: Collection[str] = ()) -> Node:
        """The node with the most room; one of those to avoid only if there is no other."""
        free = [node for node in self.good.values() if node.id not in avoid] or self.good.values()
        return max(free, key=lambda node: node.processors - node.busy)

    def others(self, than: Collection[str]) -> bool:
        """Is there a node besides these?"""
        return any(name not in than for name in self.good)

    def pinned(self, node: Node) -> Any:
        """The strategy that makes Ray run a job on this node and no other."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(node.id, soft=False)

    def _ask(self, node: Node) -> Any:
        here = self._control.options(scheduling_strategy=self.pinned(node))
        return here.remote(self._sandbox, __version__)

    def _answer(self, reference: Any) -> str | None:
        exceptions = self._ray.exceptions
        try:
            why: str | None = self._ray.get(reference, timeout=0)
        except exceptions.GetTimeoutError:
            self._ray.cancel(reference, force=True)
            return f"it did not answer within {HANDSHAKE_SEC} s"
        except exceptions.RayTaskError as error:
            return f"{type(error.cause).__name__}: {error.cause}"
        except exceptions.RayError as error:
            said = str(error).strip().splitlines()
            return said[-1] if said else type(error).__name__
        return why


def _node(facts: dict[str, Any]) -> Node | None:
    processors = int(facts["Resources"].get("CPU", 0))
    if not facts["Alive"] or processors < 1:
        return None
    return Node(facts["NodeID"], f"{facts['NodeManagerHostname']} ({facts['NodeID'][:8]})", processors)
