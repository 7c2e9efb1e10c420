"""The clock is ahead for every program of a verifier, however it is started, and the marks say so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adjudge.audit.probes import Conditions, Probe, clock_at, clock_library, only_answer, python_clock_at
from adjudge.audit.probes.probe import run_probe
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build

_LATER = int(datetime(datetime.now(UTC).year + 10, 5, 17, 9, 37, 16, tzinfo=UTC).timestamp())
_WAYS = {
    "python": "python3 -c 'import time; print(time.gmtime()[0])'",
    "isolated": "/usr/bin/python3 -I -S -c 'import datetime; print(datetime.datetime.now().year)'",
    "no environment": "env -i /usr/bin/python3 -c 'import time; print(int(time.strftime(\"%Y\")))'",
    "date": "date +%Y",
    "perl": "perl -e 'print((localtime)[5] + 1900)'",
    "shell": "printf '%(%Y)T'",
}


def year(script: str, conditions: Conditions, sandbox: Sandbox, folder: Path) -> tuple[int, bool]:
    """(the year that the script prints, is the mark there)."""
    test_sh = f"year=$({script})\nprintf '{{\"reward\": 0.%s}}' $year > /logs/verifier/reward.json\n"
    task = load_task(build(Exhibit("clock", test_sh=test_sh), folder))
    probe = Probe("clock", "clock", only_answer(task, b"nothing\n"), conditions)
    seen = run_probe(task, probe, sandbox, task.limits)
    assert seen.claimed is not None, seen.problem
    return round(seen.claimed * 10_000), seen.clock_shifted


@pytest.mark.parametrize("way", _WAYS)
def test_every_program_sees_the_later_year(way: str, sandbox: Sandbox, tmp_path: Path) -> None:
    if clock_library() is None:
        pytest.skip("needs a C compiler")
    now = datetime.now(UTC).year
    found, marked = year(_WAYS[way], clock_at(_LATER), sandbox, tmp_path)
    assert marked
    assert found - now == 10


@pytest.mark.parametrize("way", ["python", "date"])
def test_without_a_compiler_python_and_date_are_shifted(way: str, sandbox: Sandbox, tmp_path: Path) -> None:
    now = datetime.now(UTC).year
    found, marked = year(_WAYS[way], python_clock_at(_LATER), sandbox, tmp_path)
    assert marked
    assert found - now == 10


@pytest.mark.parametrize(
    "script",
    ["python3 -c 'import time; print(time.strftime(\"%H%M\"))'", "date +%H%M"],
    ids=["python", "date"],
)
@pytest.mark.parametrize("at", [clock_at, python_clock_at])
def test_a_run_begins_at_the_very_minute(
    script: str, at: Callable[[int], Conditions], sandbox: Sandbox, tmp_path: Path
) -> None:
    """So that whether the minute is odd, or the first of the hour, is no matter of luck."""
    found, _ = year(script, at(_LATER), sandbox, tmp_path)
    assert found == 937


def test_a_python_path_of_the_task_is_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    """A verifier that finds its helpers by PYTHONPATH finds them under another clock, too."""
    exhibit = Exhibit(
        "helpers",
        "import helper\nwrite({'all': float(helper.GOOD)})\n",
        files={
            "task.toml": '[verifier]\nenv = { PYTHONPATH = "/tests/more" }\n',
            "tests/more/helper.py": "GOOD = True\n",
        },
    )
    task = load_task(build(exhibit, tmp_path))
    for at in (clock_at, python_clock_at):
        probe = Probe("clock", "clock", only_answer(task, b"nothing\n"), at(_LATER))
        seen = run_probe(task, probe, sandbox, task.limits)
        assert (seen.claimed, seen.clock_shifted) == (1.0, True)
