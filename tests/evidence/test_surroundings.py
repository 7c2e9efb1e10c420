"""What a sandbox has is asked once, and again only if something was installed or removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adjudge.evidence import surroundings, surroundings_of
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, choose_sandbox, stamps_of
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[SandboxJob]:
    """An empty cache, and what sandboxes are asked from now on."""
    jobs: list[SandboxJob] = []
    run = BubblewrapSandbox.run

    def noted(sandbox: BubblewrapSandbox, job: SandboxJob) -> SandboxOutcome:
        jobs.append(job)
        return run(sandbox, job)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(BubblewrapSandbox, "run", noted)
    monkeypatch.setattr(surroundings, "_known", {})
    return jobs


@pytest.fixture
def sandbox(asked: list[SandboxJob]) -> Sandbox:
    found = choose_sandbox("bubblewrap")
    asked.clear()
    return found


def as_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_known", {})


def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had been installed in the last seconds, whatever this machine did."""
    monkeypatch.setattr("adjudge.sandbox.installed._SETTLED_NS", 0)


def test_the_next_command_knows_the_answer(
    sandbox: Sandbox, asked: list[SandboxJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(monkeypatch)
    first = surroundings_of(sandbox)
    assert first is not None
    assert {"bash", "python3"} <= first.commands
    assert first.modules is not None
    assert "json" in first.modules
    assert not any("/" in name for name in first.modules)
    as_another_process(monkeypatch)
    assert surroundings_of(sandbox) == first
    assert len(asked) == 1


def test_it_asks_again_when_a_folder_of_programs_has_changed(
    sandbox: Sandbox, asked: list[SandboxJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(monkeypatch)
    first = surroundings_of(sandbox)
    as_another_process(monkeypatch)
    now = stamps_of

    def later(sandbox: Sandbox, folders: object) -> object:
        found = now(sandbox, folders)  # type: ignore[arg-type]  # whatever the caller gives
        assert found is not None
        return found | {"/usr/bin": [0, 0, 0]}

    monkeypatch.setattr(surroundings, "stamps_of", later)
    assert surroundings_of(sandbox) == first
    assert len(asked) == 2


def test_a_stamp_changes_with_the_names_in_a_folder(tmp_path: Path) -> None:
    programs = tmp_path / "usr" / "bin"
    programs.mkdir(parents=True)
    os.utime(programs, (1_000_000_000, 1_000_000_000))
    sandbox = BubblewrapSandbox(Path("/usr/bin/bwrap"), rootfs=tmp_path)
    before = stamps_of(sandbox, ["/usr/bin", "/nowhere"])
    assert before is not None
    assert before["/nowhere"] is None
    (programs / "jq").touch()
    assert stamps_of(sandbox, ["/usr/bin"]) is None, "it has just changed, and may change again unseen"
    os.utime(programs, (1_000_000_001, 1_000_000_001))
    assert stamps_of(sandbox, ["/usr/bin", "/nowhere"]) not in (None, before)


def test_nothing_is_kept_of_what_cannot_be_looked_at(tmp_path: Path) -> None:
    class Elsewhere:
        name = "container"

    assert stamps_of(Elsewhere(), ["/usr/bin"]) is None  # type: ignore[arg-type]  # any other sandbox
