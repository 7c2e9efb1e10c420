"""Modules of the tests are compiled once for all trials, and a verifier cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import adjudge_kit
from adjudge.contracts import Task
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, bytecode_for, frozen_tests
from adjudge.sandbox.files import bytecode, frozen
from adjudge.sandbox.files.import_order import BYTECODE
from adjudge.tasks import load_task
from support.task_folders import write_task

COMMENTS = "# long enough to be worth it\n" * 200
HELPER = f"VALUE = 42\n{COMMENTS}def fail():\n    raise ValueError('wrong')\n"
SEEN = """
import sys
sys.path.insert(0, "/tests")
import traceback, helper, os
print(helper.__file__, helper.__cached__, helper.VALUE, sorted(os.listdir("/tests")), sys.pycache_prefix)
try:
    helper.fail()
except ValueError:
    print(traceback.format_exc())
"""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """A new process."""
    frozen._after_fork()
    bytecode._after_fork()
    yield
    frozen._after_fork()
    bytecode._after_fork()


@pytest.fixture
def task(tmp_path: Path) -> Task:
    files: dict[str, str | bytes] = {
        "tests/helper.py": HELPER,
        "tests/broken.py": "def (:\n",
        "tests/see.py": SEEN,
    }
    return load_task(write_task(tmp_path / "task", files=files))


@contextmanager
def compiled(task: Task, sandbox: Sandbox) -> Iterator[tuple[Path, Path]]:
    """The frozen tests and the folder of their compiled modules, which the second use makes."""
    with frozen_tests(task) as tests:
        assert bytecode_for(tests, sandbox) == {}
        yield tests, bytecode_for(tests, sandbox)[BYTECODE]


def run(sandbox: Sandbox, tests: Path, shown: Path | None, *command: str) -> SandboxOutcome:
    folders = {} if shown is None else {BYTECODE: shown}
    return sandbox.run(SandboxJob(command, tests, {}, "/workspace", shown=folders))


@pytest.mark.parametrize("flags", [(), ("-E",), ("-I",), ("-S",), ("-B",), ("-I", "-S", "-X", "utf8")])
def test_python_finds_them_whatever_its_flags(sandbox: Sandbox, task: Task, flags: tuple[str, ...]) -> None:
    with compiled(task, sandbox) as (tests, shown):
        said = run(sandbox, tests, shown, "python3", "-v", *flags, "/tests/see.py").stderr.decode()
    assert f"code object from '{BYTECODE}" in said.replace('"', "'")
    assert "code object from /tests/helper.py" not in said


def test_optimised_python_compiles_for_itself(sandbox: Sandbox, task: Task) -> None:
    with compiled(task, sandbox) as (tests, shown):
        said = run(sandbox, tests, shown, "python3", "-O", "-v", "/tests/see.py").stderr.decode()
    assert "code object from /tests/helper.py" in said


def test_a_verifier_sees_no_difference(sandbox: Sandbox, task: Task) -> None:
    with compiled(task, sandbox) as (tests, shown):
        without = run(sandbox, tests, None, "python3", "/tests/see.py")
        with_them = run(sandbox, tests, shown, "python3", "/tests/see.py")
    assert without.stdout == with_them.stdout
    assert b"/tests/helper.py" in without.stdout
    assert b"raise ValueError('wrong')" in without.stdout
    assert (without.exit_code, without.stderr) == (with_them.exit_code, with_them.stderr) == (0, b"")


def test_no_trial_can_write_what_another_reads(sandbox: Sandbox, task: Task) -> None:
    attack = "echo x > $f || rm -f $f || chmod 777 $f"
    with compiled(task, sandbox) as (tests, shown):
        before = {path: path.read_bytes() for path in shown.rglob("*.pyc")}
        script = f"for f in $(find {BYTECODE}) {BYTECODE}/new; do {attack}; done"
        run(sandbox, tests, shown, "bash", "-c", script)
        assert {path: path.read_bytes() for path in shown.rglob("*.pyc")} == before
    assert {path.name for path in before} == {"helper.pyc", "see.pyc"}


def test_what_cannot_be_read_is_compiled_as_always(sandbox: Sandbox, task: Task) -> None:
    with compiled(task, sandbox) as (tests, shown):
        for path, junk in zip(sorted(shown.rglob("*.pyc")), (b"", b"\0" * 40), strict=True):
            path.chmod(0o644)
            path.write_bytes(junk)
        done = run(sandbox, tests, shown, "python3", "/tests/see.py")
    assert (done.exit_code, done.stderr) == (0, b"")


@pytest.mark.parametrize("change", ["sed -i s/42/43/ helper.py", "mv other.py helper.py"])
def test_a_module_that_the_verifier_changed_is_what_runs(
    sandbox: Sandbox, tmp_path: Path, change: str
) -> None:
    """Its own copy of it, whatever the size and the time of the new one."""
    files = {"tests/helper.py": HELPER, "tests/other.py": HELPER.replace("42", "43"), "tests/see.py": SEEN}
    task = load_task(write_task(tmp_path / "task", files={**files}))
    with compiled(task, sandbox) as (tests, shown):
        script = f"cd /tests && {change} && python3 see.py"
        done = run(sandbox, tests, shown, "bash", "-c", script)
    assert done.stdout.split()[2] == b"43", done.stderr


def test_a_copy_of_the_kit_is_there_from_the_first_trial_on(sandbox: Sandbox, tmp_path: Path) -> None:
    kit = Path(adjudge_kit.__file__).read_bytes()
    task = load_task(write_task(tmp_path / "kit", files={"tests/adjudge_kit.py": kit}))
    look = "import sys; sys.path.insert(0, '/tests'); import adjudge_kit as kit; print(kit.show.__code__)"
    with frozen_tests(task) as tests:
        first, second = bytecode_for(tests, sandbox), bytecode_for(tests, sandbox)
        assert first == second
        assert [path.name for path in first[BYTECODE].rglob("*.*")] == ["adjudge_kit.pyc"]
        done = run(sandbox, tests, first[BYTECODE], "python3", "-c", look)
    assert b'file "/tests/adjudge_kit.py"' in done.stdout


def test_a_changed_kit_is_not_taken_for_ours(sandbox: Sandbox, tmp_path: Path) -> None:
    kit = Path(adjudge_kit.__file__).read_bytes()
    task = load_task(write_task(tmp_path / "kit", files={"tests/adjudge_kit.py": kit + b"X = 1\n"}))
    with frozen_tests(task) as tests:
        assert bytecode_for(tests, sandbox) == {}


def test_other_tests_have_others(sandbox: Sandbox, task: Task) -> None:
    with compiled(task, sandbox):
        pass
    (task.folder / "tests/helper.py").write_text(HELPER.replace("42", "43"))
    with compiled(load_task(task.folder), sandbox) as (tests, shown):
        assert b" 43 " in run(sandbox, tests, shown, "python3", "/tests/see.py").stdout
