"""The container backend keeps the same contract as bubblewrap, byte for byte.

Run against a stand-in for docker that obeys the same command line through namespaces (`fake_engine`); and
against a real engine too, where one answers and has the image.
"""

from __future__ import annotations

import shutil
import sys
import uuid
from pathlib import Path

import pytest

from adjudge.contracts import Limit
from adjudge.errors import SandboxError
from adjudge.sandbox import ArtifactKind, Sandbox, SandboxOutcome
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.backends.container import ContainerSandbox, limits_told, run_options, writable_folders
from adjudge.sandbox.backends.engine import Engine, find_engine
from adjudge.sandbox.choose import try_container
from support.patience import with_time_enough
from support.sandbox_jobs import host_processes, job_for, real_engine
from support.skips import skip_by_name


@pytest.fixture
def engine(tmp_path: Path, sandbox: Sandbox) -> Engine:
    """A `docker` that works, in a folder of its own."""
    if not shutil.which("nsenter") or not shutil.which("setpriv"):
        pytest.skip("needs nsenter and setpriv (util-linux)")
    assert isinstance(sandbox, BubblewrapSandbox)
    (tmp_path / "state").mkdir()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/docker"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(Path(__file__).parent.parent)!r})\n"
        f"from pathlib import Path\nfrom support.fake_engine import main\n"
        f"sys.exit(main(Path({str(tmp_path / 'state')!r}), {str(sandbox.program)!r}))\n"
    )
    program.chmod(0o755)
    return Engine(program)


@pytest.fixture
def container(engine: Engine) -> ContainerSandbox:
    return ContainerSandbox(engine, "any-image")


def comparable(outcome: SandboxOutcome) -> tuple[object, ...]:
    return (
        outcome.exit_code,
        outcome.limits_hit,
        outcome.stdout.replace(b":/opt/adjudge/bin", b""),  # where this machine's own Python is found
        outcome.stderr,
        dict(outcome.artifacts),
    )


SCRIPTS = {
    "reward": "cat output.md; echo '{\"reward\": 0.5}' > /logs/verifier/reward.json; pwd; exit 3",
    "environment": "env | sort; id; hostname; umask; ls -A /logs/verifier . ~ /tmp; cat /etc/passwd",
    "signal": "kill -SEGV $$",
    "not found": "no-such-program",
    "python": "python3 -c 'import json; print(set(map(str, range(9)))); raise ValueError(1)'",
    "kinds": "cd /logs/verifier; mkdir d; echo x > d/x; ln -s /etc reward.json; mkfifo p",
    "background": "(setsid sleep 600 &) ; echo started",
    "read-only": "echo x > /usr/x",
    "own tests": "cd /tests; stat -c '%n %A %s %Y' *; echo x > x; rm test.sh; mkdir d; mv x d; ls *",
    "too large": "cd /logs/verifier; truncate -s 3M big; echo 1 > small",
    "file size": "exec 2> /dev/null; head -c 9M /dev/zero > /tmp/x",
    "flood": "seq 100000",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_both_backends_give_the_same_result(
    container: ContainerSandbox, sandbox: Sandbox, tmp_path: Path, name: str
) -> None:
    limits = {"captured_kb": 4}
    job = job_for(tmp_path / "tests", SCRIPTS[name], {"/workspace/output.md": "answer"}, limits=limits)
    assert comparable(container.run(job)) == comparable(sandbox.run(job))


def test_a_container_is_stopped_in_time_and_its_artifacts_kept(
    container: ContainerSandbox, tmp_path: Path
) -> None:
    marker = str(uuid.uuid4())
    script = f"trap '' TERM; echo kept > /logs/verifier/note; bash -c 'sleep 600; : {marker}'"
    outcome = with_time_enough(
        lambda limit: container.run(job_for(tmp_path / "tests", script, limits={"wall_time_sec": limit})),
        lambda outcome: "note" in outcome.artifacts,
    )
    assert (outcome.exit_code, outcome.limits_hit) == (None, (Limit.WALL_TIME,))
    assert outcome.artifacts["note"].data == b"kept\n"
    assert host_processes(marker) == []


def test_nothing_is_left_of_a_container(container: ContainerSandbox, tmp_path: Path) -> None:
    marker = str(uuid.uuid4())
    up = "until [ -e /tmp/up ]; do sleep 0.01; done"
    job = job_for(tmp_path / "tests", f"(setsid bash -c 'touch /tmp/up; sleep 600; : {marker}' &); {up}")
    container.run(job)
    assert list((tmp_path / "state").iterdir()) == []
    assert host_processes(marker) == []


def test_no_file_or_module_of_the_agents_speaks_for_the_verifier(
    container: ContainerSandbox, sandbox: Sandbox, tmp_path: Path
) -> None:
    """What is left out, what is named and what Python imports are the same as in the other backend."""
    files = {"/logs/answer.json": "{}", "/logs/verifier/reward.json": "1", "/logs/json.py": "print('forged')"}
    script = "python3 -c 'import json; print(json.__file__)'; ls /logs/verifier; echo $HOME; ls -A $HOME"
    job = job_for(tmp_path / "tests", script, files, workdir="/logs")
    seen, expected = container.run(job), sandbox.run(job)
    assert seen.left_out == expected.left_out
    assert (seen.shadowing, list(seen.left_out)) == (("/logs/json.py",), ["/logs/verifier/reward.json"])
    assert b"forged" not in seen.stdout
    assert comparable(seen) == comparable(expected)


def test_links_to_the_host_are_only_links(container: ContainerSandbox, tmp_path: Path) -> None:
    outcome = container.run(job_for(tmp_path / "tests", "ln -s /etc/passwd /logs/verifier/reward.json"))
    assert outcome.artifacts["reward.json"].kind is ArtifactKind.LINK
    assert outcome.artifacts["reward.json"].data is None


def test_a_huge_first_artifact_is_named_and_asked_for_once(
    container: ContainerSandbox, engine: Engine, tmp_path: Path
) -> None:
    """What sends it dies of a closed pipe, as it would if there was no room for it; the engine says which."""
    asked = tmp_path / "asked"
    program = engine.program.rename(engine.program.with_name("engine"))
    engine.program.write_text(f'#!/bin/sh\necho "$*" >> {asked}\nexec {program} "$@"\n')
    engine.program.chmod(0o755)
    script = "truncate -s 100M /logs/verifier/reward.json"
    outcome = container.run(job_for(tmp_path / "tests", script, limits={"file_size_mb": 200}))
    assert outcome.limits_hit == (Limit.ARTIFACT_SIZE,)
    assert outcome.artifacts["reward.json"] == (ArtifactKind.OVERSIZED, 100 << 20, None)
    assert asked.read_text().count("exec tar -cf") == 1


def test_what_the_verifier_leaves_behind_is_dead_before_the_engine_tells_of_its_end(
    container: ContainerSandbox, engine: Engine, open_folder: Path
) -> None:
    """An engine takes long to tell. Here it first lets go of whatever is still there to forge the reward."""
    program = engine.program.rename(engine.program.with_name("engine"))
    go = f"case $* in *test.sh*) touch {open_folder}/go; sleep 0.5;; esac"
    engine.program.write_text(f'#!/bin/sh\n{program} "$@"; code=$?\n{go}\nexit $code\n')
    engine.program.chmod(0o755)
    late = "until [ -e /opt/seen/go ]; do sleep 0.01; done; echo forged > /logs/verifier/reward.json"
    script = f"echo 1 > /logs/verifier/reward.json; (setsid sh -c '{late}' &); exit 0"
    job = job_for(open_folder, script, shown={"/opt/seen": open_folder})
    (open_folder / "test.sh").chmod(0o644)
    assert container.run(job).artifacts["reward.json"].data == b"1\n"
    assert (open_folder / "go").exists()


def test_the_engine_is_told_every_limit(tmp_path: Path) -> None:
    """Memory: 128 MB for processes, 24 MB for what they write and 1 for the tests: engines count together."""
    options = " ".join(
        run_options(job_for(tmp_path, ""), {"/seen": tmp_path}, "name", Engine(Path("docker")))
    )
    for wanted in (
        "--network none",
        "--read-only",
        "--user 1000:1000",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        "--memory 153m --memory-swap 153m",
        "--pids-limit 32",
        "--ulimit fsize=8388608:8388608",
        f"--mount type=bind,source={tmp_path},target=/seen,readonly",
        "--tmpfs /workspace:rw,exec,nosuid,nodev,mode=1777,size=24m",
        "--tmpfs /tests:rw,exec,nosuid,nodev,mode=1777,size=25m",
        "--tmpfs /logs:rw",
    ):
        assert wanted in options


def test_files_outside_the_promised_folders_get_a_folder(tmp_path: Path) -> None:
    folders = writable_folders(job_for(tmp_path, "", {"/app/out/a.md": "", "/app/out/b.md": ""}))
    assert folders == [
        "/app/out",
        "/logs",
        "/run",
        "/run/verifier",
        "/tests",
        "/tmp",
        "/var/tmp",
        "/workspace",
    ]
    with pytest.raises(SandboxError, match="at its root"):
        writable_folders(job_for(tmp_path, "", {"/a.md": ""}))


@pytest.mark.parametrize(
    ("counters", "hit"),
    [
        (b"oom_kills oom_kill 0\nrefused_forks max 0\n", set()),
        (b"oom_kills oom_kill 2\nrefused_forks max 0\n", {Limit.MEMORY}),
        (b"oom_kills oom_kill 0\nrefused_forks max 7\n", {Limit.PROCESSES}),
        (b"oom_kills\nrefused_forks\n", set()),
        (b"disk_used 1024-blocks Used\ndisk_used 65536 60000\ndisk_used 65536 4\n", set()),
        (b"disk_used 65536 40000\ndisk_used 65536 40000\n", {Limit.DISK}),
        (b"disk_used 65536 65536\n", {Limit.DISK}),
        (b"", set()),
    ],
)
def test_the_engines_counters_name_the_limits(counters: bytes, hit: set[Limit]) -> None:
    assert limits_told(counters, 64) == hit


def test_an_engine_that_fails_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\necho 'no such image: x' >&2\nexit 125\n")
    program.chmod(0o755)
    with pytest.raises(SandboxError, match=r"`docker run` failed with exit code 125: no such image: x"):
        ContainerSandbox(Engine(program), "x").run(job_for(tmp_path / "tests", ""))


def test_an_engine_on_the_path_is_found_if_it_answers(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{engine.program.parent}:/usr/bin:/bin")
    found, _ = find_engine()
    assert found == engine
    attempt = try_container("my-image")
    assert attempt.sandbox == ContainerSandbox(engine, "my-image")


def test_an_engine_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\necho 'Cannot connect to the daemon' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine() == (
        None,
        "docker is installed, but its engine does not answer: Cannot connect to the daemon; "
        "podman is not installed",
    )


def test_a_real_engine_gives_the_same_result_too(sandbox: Sandbox, tmp_path: Path) -> None:
    """Nothing is fetched for it."""
    real = real_engine()
    if isinstance(real, str):
        skip_by_name(f"needs a container engine that can start a container: {real}")
    job = job_for(tmp_path / "tests", SCRIPTS["reward"], {"/workspace/output.md": "answer"})
    assert comparable(real.run(job)) == comparable(sandbox.run(job))
