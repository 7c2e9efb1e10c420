"""The static check: what it says about each thing that can be wrong, and nothing about what is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.contracts import Severity
from adjudge.gates import check_goldens
from adjudge.tasks import CheckFinding, check_tasks, load_tasks
from audit.gallery.exhibit import Exhibit, build

EXAMPLES = Path(__file__).parents[2] / "examples" / "tasks"


def write(name: str, content: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)

    return change


DEFECTS = [
    (write("tests/test.sh", ""), Severity.HIGH, "is empty"),
    (
        write("tests/test.sh", "#!/bin/bash\r\npython3 /tests/verify.py\r\n"),
        Severity.HIGH,
        "Windows line ends",
    ),
    (write("tests/test.sh", "#!/bin/bash\nif true; then\n"), Severity.HIGH, "is not a shell script"),
    (
        write("tests/test.sh", "#!/bin/bash\npython3 /tests/check.py\n"),
        Severity.HIGH,
        "/tests/check.py, which does not",
    ),
    (write("tests/test.sh", "python3 /tests/verify.py\n"), Severity.LOW, "no #! line"),
    (
        write(
            "tests/test.sh", "#!/bin/bash\npython3 /tests/verify.py || echo 0 > /logs/verifier/reward.txt\n"
        ),
        Severity.LOW,
        "fill in a reward",
    ),
    (write("tests/verify.py", "def broken(:\n"), Severity.HIGH, "tests/verify.py is not Python"),
    (write("tests/verify.py", "print('fine')\n"), Severity.MEDIUM, "mentions a reward"),
    (write("tests/output.schema.json", "{x"), Severity.HIGH, "not JSON"),
    (write("instruction.md", "Work it out."), Severity.LOW, "its working folder /app is the answer"),
    (write("task.toml", "[verifer]\ntimeout_sec = 9\n"), Severity.MEDIUM, "[verifier] was probably meant"),
    (
        write("task.toml", "[verifier]\ntimeout = 9\n"),
        Severity.MEDIUM,
        "meant, and 600 s is in force",
    ),
    (
        write("task.toml", '[output]\nfromat = "json"\n'),
        Severity.MEDIUM,
        "format was probably meant",
    ),
    (
        write("task.toml", "[goldens]\npass_atleast = 0.5\n"),
        Severity.MEDIUM,
        "pass_at_least was prob",
    ),
    (write("task.toml", "[environment]\ngpus = 1\n"), Severity.INFO, "there is no GPU in the sandbox"),
    (
        write("tests/test.sh", "#!/usr/bin/perl\npython3 /tests/verify.py\n"),
        Severity.LOW,
        "is run by bash",
    ),
    (write("task.toml", '[output]\npath = "/workspace/other.md"\n'), Severity.MEDIUM, "does not mention"),
    (write("task.toml", "[verifier]\ntimeout_sec = 0.5\n"), Severity.MEDIUM, "very short"),
    (write("task.toml", "[verifier]\ntimeout_sec = 99999\n"), Severity.LOW, "more than an hour"),
    (write("task.toml", "[environment]\nmemory_mb = 8\n"), Severity.MEDIUM, "8 MB of memory"),
    (write("task.toml", "[goldens]\npass_at_least = 7\n"), Severity.MEDIUM, "pass_at_least is 7"),
    (
        write("task.toml", '[goldens.rewards]\n"fail/no.md" = 0.5\n'),
        Severity.MEDIUM,
        "there is no goldens/fail/no.md",
    ),
    (write("task.toml", '[taxonomy]\ncategories = "sign"\n'), Severity.LOW, "categories is 'sign'; allowed"),
    (write("task.toml", '[taxonomy]\ncategories = ["a", "a"]\n'), Severity.LOW, "a list of different texts"),
    (write("task.toml", '[taxonomy]\ncategories = ["a", ""]\n'), Severity.LOW, "categories is ['a', '']"),
    (write("goldens/pass/empty.md", ""), Severity.MEDIUM, "goldens/pass/empty.md does not parse"),
    (lambda folder: (folder / "goldens/pass/right.md").unlink(), Severity.LOW, "no golden that passes"),
]


def checked(root: Path) -> list[CheckFinding]:
    found = load_tasks(root)
    return [*check_tasks(found), *check_goldens(found)]


@pytest.mark.parametrize(("change", "severity", "words"), DEFECTS, ids=[d[2] for d in DEFECTS])
def test_a_defect_is_named(
    change: Callable[[Path], object], severity: Severity, words: str, tmp_path: Path
) -> None:
    change(build(Exhibit("task"), tmp_path))
    findings = checked(tmp_path)
    assert [f.severity for f in findings if words in f.what] == [severity], findings


def test_a_sound_task_has_no_remarks_but_that_no_golden_fails(tmp_path: Path) -> None:
    build(Exhibit("task"), tmp_path)
    [finding] = checked(tmp_path)
    assert (finding.severity, finding.what) == (Severity.INFO, "there is no golden that fails")


def test_the_examples_have_no_remarks() -> None:
    assert checked(EXAMPLES) == []


def test_nothing_of_a_task_is_run(tmp_path: Path) -> None:
    """Shell and Python are parsed only."""
    mark = tmp_path / "ran"
    folder = build(Exhibit("task"), tmp_path / "tasks")
    (folder / "tests" / "test.sh").write_text(f"#!/bin/bash\ntouch {mark}\n$(touch {mark})\n")
    (folder / "tests" / "verify.py").write_text(f"open({str(mark)!r}, 'w')  # reward\n")
    checked(tmp_path / "tasks")
    assert not mark.exists()


def test_a_step_sees_its_own_tests_beside_the_tasks(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    write("task.toml", '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n')(folder)
    write("tests/shared.py", "")(folder)
    for step in ("one", "two"):
        write(f"steps/{step}/instruction.md", "Go on in /app.")(folder)
        script = "#!/bin/bash\npython3 /tests/own.py\npython3 /tests/shared.py\npython3 /tests/gone.py\n"
        write(f"steps/{step}/tests/test.sh", script)(folder)
        write(f"steps/{step}/tests/own.py", "open('/logs/verifier/reward.txt', 'w').write('1')\n")(folder)
    said = [finding.what for finding in checked(tmp_path)]
    assert [what for what in said if "which does not exist" in what or "mentions a reward" in what] == [
        "steps/two/tests/test.sh uses /tests/gone.py, which does not exist"
    ]
