"""Files that a verifier opens where the task does not put them, as its source shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

ALSO = "Write the log to `/workspace/logs/run.csv`, too."
FLAWED = {
    "another-folder": 'score = float(open("/app/run.csv").read() == "1")',
    "another-root": 'score = float(os.path.getsize("/output/logs/run.csv") > 0)',
}
SOUND = {
    "as-asked": 'score = float(open("/workspace/logs/run.csv").read() == "1")',
    "put-together": 'HOME = "/workspace/logs"\nscore = float(os.path.exists(HOME + "/run.csv"))',
    "from-a-folder-down": 'score = float(os.path.exists(os.path.join("/workspace", "logs/run.csv")))',
    "its-own": 'score = float(open("/tests/run.csv").read() == "1")',
    "either": (
        'paths = ["/app/run.csv", "/workspace/logs/run.csv"]\n'
        "score = float(any(os.path.exists(path) for path in paths))"
    ),
    "in-words": 'print("no /app/run.csv was written")\nscore = 0.0',
    "another-name": 'score = float(os.path.exists("/app/other.csv"))',
}


@pytest.mark.parametrize("name", FLAWED)
def test_a_file_in_another_place_is_remarked_on(name: str, tmp_path: Path) -> None:
    [found] = [
        remark for remark in remarks_on(tmp_path, FLAWED[name], ALSO) if remark.cause == Cause.ELSEWHERE
    ]
    assert "/workspace/logs/run.csv" in found.title


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_said_of_the_place_that_the_task_names(name: str, tmp_path: Path) -> None:
    causes = {remark.cause for remark in remarks_on(tmp_path, SOUND[name], ALSO)}
    assert Cause.ELSEWHERE not in causes


def test_a_path_that_the_task_names_twice_may_be_either(tmp_path: Path) -> None:
    both = ALSO + " A sample of it is at `/app/run.csv`."
    assert Cause.ELSEWHERE not in {r.cause for r in remarks_on(tmp_path, FLAWED["another-folder"], both)}


def test_a_script_that_opens_another_place_is_remarked_on(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "count.sh").write_text("#!/bin/bash\nwc -l < /app/run.csv\n")
    causes = {remark.cause for remark in remarks_on(tmp_path, "score = 0.0", ALSO)}
    assert Cause.ELSEWHERE in causes
