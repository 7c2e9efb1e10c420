"""Our session as an environment of Harbor 0.6, whose interface was smaller; only for recording old job
folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult

from adjudge.sandbox.session import Session


class OldEnvironment(BaseEnvironment):
    """Nothing but uploads, downloads and commands."""

    @staticmethod
    def type() -> str:
        return "old"

    @property
    def is_mounted(self) -> bool:
        return False

    @property
    def supports_gpus(self) -> bool:
        return False

    @property
    def can_disable_internet(self) -> bool:
        return True

    def _validate_definition(self) -> None: ...

    async def start(self, force_build: bool) -> None:
        self.session = Session()
        await self.session.start()

    async def stop(self, delete: bool) -> None:
        await self.session.stop()

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        await self.session.upload(Path(source_path), target_path)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        await self.session.upload(Path(source_dir), target_dir)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        await self.session.download_file(source_path, Path(target_path))

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        await self.session.download_folder(source_dir, Path(target_dir))

    async def exec(self, command: str, cwd: str | None = None, env: Any = None, **_: Any) -> ExecResult:
        done = await self.session.run(command, cwd=cwd or "/", env=env)
        return ExecResult(stdout=done.stdout.decode(), stderr=done.stderr.decode(), return_code=done.code)
