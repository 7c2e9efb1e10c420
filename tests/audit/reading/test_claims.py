"""Measures that an answer states of itself: remarked on if nothing else of it is compared with anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

_ROWS = 'assert len(answer["labels"]) == 40\nassert all(one in {"cat", "dog"} for one in answer["labels"])\n'
FLAWED = {
    "by-its-key": _ROWS + 'score = float(answer["accuracy"] >= 0.8)',
    "by-a-name": _ROWS + 'rmse = float(answer.get("fit", {}).get("rmse"))\nassert rmse < 2.5\nscore = 1.0',
    "beside-a-range": _ROWS
    + 'f1 = answer["f1"]\nassert 0 <= f1 <= 1\nLEAST = 0.75\nscore = float(f1 > LEAST)',
    "in-a-line": (
        'found = re.search(r"loss=([0-9.]+)", answer["log"])\nval_loss = float(found.group(1))\n'
        'assert val_loss < 0.5\nassert answer["saved"] == "yes"\nscore = 1.0'
    ),
}
SOUND = {
    "worked-out": (
        'right = sum(one == want for one, want in zip(answer["labels"], REF["labels"]))\n'
        'assert len(answer["labels"]) == len(REF["labels"])\naccuracy = right / len(REF["labels"])\n'
        "score = float(accuracy >= 0.8)"
    ),
    "compared-besides": (
        'assert abs(answer["accuracy"] - REF["accuracy"]) < 0.01\nscore = float(answer["accuracy"] >= 0.8)'
    ),
    "between-two-bounds": _ROWS + 'rmse = answer["rmse"]\nassert rmse > 2.31\nscore = float(rmse < 2.35)',
    "a-literal-reference": 'assert answer["flow"] == 12.5\nscore = float(answer["error"] < 0.01)',
    "run-by-the-verifier": (
        'done = subprocess.run(["python3", "/workspace/model.py"], capture_output=True, text=True)\n'
        'score = float(answer["accuracy"] >= 0.8 and done.stdout == "ok")'
    ),
    "no-measure": _ROWS + 'score = float(answer["depth"] >= 2.5)',
}


@pytest.mark.parametrize("name", FLAWED)
def test_a_measure_that_is_only_stated_is_remarked_on(name: str, tmp_path: Path) -> None:
    """Also if the task asks for it: it is the answer that says how good it is."""
    found = remarks_on(tmp_path, FLAWED[name], "Give accuracy, rmse, f1 and val_loss.")
    assert Cause.CLAIMED in {remark.cause for remark in found}, found


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    found = remarks_on(tmp_path, SOUND[name], "Give accuracy, rmse and error.")
    assert Cause.CLAIMED not in {remark.cause for remark in found}, found
