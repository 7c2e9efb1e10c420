"""Our sandbox as a Harbor environment: `harbor run --env adjudge.integrations.harbor:BubblewrapEnvironment`.

Options, given as `--ek name=value`: `rootfs` (a root filesystem, or a folder with one for each task name) and
`allow_network` (false: no network even if a task's policy is "public").

Verification starts from a clean slate. Harbor uploads `/tests` just before it runs the verifier; at that
moment every process of the session is ended, and `/logs/verifier` and `/tests` are emptied, so that
neither a reward written earlier nor a process left behind can speak for the verifier.
(`tests/harbor/test_forged_rewards.py`)

A task that cannot be served fails its own trials when they start. It must not fail in the constructor:
there an exception would end the whole job.
"""

from __future__ import annotations

import math
import shlex
from pathlib import Path, PurePosixPath
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult, SandboxBuildFailedError
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities
from harbor.models.task.config import NetworkMode, NetworkPolicy, TaskOS

from adjudge.errors import SandboxError
from adjudge.integrations.harbor.recipe import CopyStep, Recipe, find_rootfs, read_recipe
from adjudge.sandbox.session import AgentsFolder, Session, SessionLimits, spoken_of

CANNOT_SERVE = "adjudge's sandbox cannot serve this task: "
TIMED_OUT = 124


class BubblewrapEnvironment(BaseEnvironment):
    """One session for the agent, another for a separate verifier."""

    def __init__(
        self, *args: Any, rootfs: str | None = None, allow_network: bool = False, **kwargs: Any
    ) -> None:
        self._rootfs_option = Path(rootfs).expanduser().resolve() if rootfs else None
        self._allow_network = allow_network
        self._recipe = Recipe()
        self._rootfs: Path | None = None
        self._session: Session | None = None
        self._tests_are_fresh = False
        targets = (str(mount.get("target")) for mount in kwargs.get("mounts") or ())
        self._mounted = [
            target for target in targets if not target.startswith("/logs/")
        ]  # those are Harbor's
        super().__init__(*args, **kwargs)

    @staticmethod
    def type() -> str:
        return "bubblewrap"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        return EnvironmentResourceCapabilities(cpu_limit=True, memory_limit=True, fractional_cpus=True)

    def _validate_definition(self) -> None:
        config = self.task_env_config
        self._rootfs = find_rootfs(self._rootfs_option, self.environment_name)
        self._recipe = read_recipe(
            self.environment_dir,
            docker_image=config.docker_image,
            workdir=config.workdir,
            rootfs=self._rootfs,
        )
        problems = self._recipe.problems
        if self._effective_gpus > 0:
            problems.append(f"[environment] gpus = {self._effective_gpus}: no GPU is passed through")
        if config.tpu is not None:
            problems.append("[environment] tpu: no TPU is passed through")
        if config.os is not TaskOS.LINUX:
            problems.append(f"[environment] os = {config.os.value!r}: only linux")
        for target in self._mounted:
            problems.append(f"mount of {target!r}: folders of the host are not mounted")

    # Recorded above, and raised by `start`: see the module's docstring.
    def _validate_gpu_support(self) -> None: ...

    def _validate_tpu_support(self) -> None: ...

    def _validate_windows_support(self) -> None: ...

    def validate_network_policy_support(self, network_policy: NetworkPolicy | None = None) -> None:
        policy = network_policy or self._network_policy
        reason = "network_mode = 'allowlist': the network is either off or, with allow_network, open"
        if policy.network_mode is NetworkMode.ALLOWLIST and reason not in self._recipe.problems:
            self._recipe.problems.append(reason)

    @property
    def unserved(self) -> tuple[str, ...]:
        """Why this task cannot be served; empty if it can."""
        return tuple(self._recipe.problems)

    async def start(self, force_build: bool) -> None:
        if self.unserved:
            raise SandboxBuildFailedError(CANNOT_SERVE + "; ".join(self.unserved))
        network = self._allow_network and self._network_is_public
        if self._network_is_public and not self._allow_network:
            self.logger.debug(
                "No network: pass --ek allow_network=true to allow what the task's policy allows."
            )
        cpus = self._effective_cpus
        self._session = Session(
            rootfs=self._rootfs,
            network=network,
            limits=SessionLimits(
                memory_mb=self._effective_memory_mb,
                storage_mb=self._effective_storage_mb,
                cpus=math.ceil(cpus) if cpus is not None else None,
            ),
        )
        await self._session.start()
        await self._prepare()

    async def _prepare(self) -> None:
        """What an image build would have done, as far as a recipe goes."""
        for step in self._recipe.steps:
            if isinstance(step, CopyStep):
                await self._running.upload(self.environment_dir / step.source, step.target)
                continue
            done = await self._running.run(step.command, cwd=step.cwd, env=self._recipe.env)
            if done.code != 0:
                said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
                raise SandboxBuildFailedError(f"RUN {step.command}: exit code {done.code}: {said[:500]}")
        folders = [self._recipe.workdir, *self._mount_targets(writable_only=True)]
        await self._running.run(f"mkdir -p {shlex.join(folders)}")

    async def stop(self, delete: bool) -> None:
        if self._session is not None:
            await self._session.stop()  # `delete` is always meant: nothing outlives its trial
            self._session = None

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        await self._running.upload(Path(source_path), str(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        if PurePosixPath(target_dir) == self._tests_dir and not self._tests_are_fresh:
            await self._begin_verification(Path(source_dir))
        await self._running.upload(Path(source_dir), str(target_dir))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        await self._running.download_file(str(source_path), Path(target_path))

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        await self._running.download_folder(str(source_dir), Path(target_dir))

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        self._tests_are_fresh = False
        who = self._resolve_user(user)
        done = await self._running.run(
            command,
            cwd=cwd or self._recipe.workdir,
            env={**self._recipe.env, **(self._merge_env(env) or {})},
            user=who if who is not None else self._recipe.user,
            timeout_sec=timeout_sec,
        )
        stderr = done.stderr.decode("utf-8", "replace")
        if done.note:
            stderr += f"\nadjudge: {done.note}\n"
        return ExecResult(stdout=done.stdout.decode("utf-8", "replace"), stderr=stderr, return_code=done.code)

    async def _begin_verification(self, tests: Path) -> None:
        """End every process, empty what the verifier writes and reads, and hold what the agent left to the
        rules of any verification. A second folder of tests may follow."""
        agents = AgentsFolder(self._recipe.workdir, tests, _asked_for(self.environment_dir))
        left_out = await self._running.restart(
            emptied=("/logs/verifier", str(self._tests_dir)), agents=agents
        )
        for path, why in left_out.items():
            self.logger.warning("%s is left out of the verification, because it %s", path, why)
        self._tests_are_fresh = True

    @property
    def _tests_dir(self) -> PurePosixPath:
        return PurePosixPath("/tests")

    @property
    def _running(self) -> Session:
        if self._session is None:
            raise SandboxError("the environment is not running")
        return self._session


def _asked_for(environment: Path) -> frozenset[str]:
    """Which of a test runner's files the task speaks of, or brings itself."""
    try:
        instruction = (environment.parent / "instruction.md").read_text("utf-8", "replace")
    except OSError:
        instruction = ""
    return spoken_of(instruction, (path.name for path in environment.rglob("*")))
