"""Slips of the pen are certain: they are found beside a neighbour that is written as it was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

SLIPS = {
    "tuple-asserted": (
        'assert (answer["flow"] == REF["flow"], "flow differs")\nscore = 1.0',
        Cause.ANY_VALUE,
    ),
    "two-in-assert-true": (
        'class Checks(unittest.TestCase):\n    def test_flow(self):\n        self.assertTrue(answer["flow"], REF["flow"])\nscore = 1.0',
        Cause.ANY_VALUE,
    ),
    "or-a-text": ('score = float(answer["side"] == "left" or "right")', Cause.ANY_VALUE),
    "late-names": (
        "checks = []\nfor name in REF:\n    checks.append(lambda: answer[name] == REF[name])\nscore = sum(check() for check in checks)",
        Cause.ANY_VALUE,
    ),
    "used-up": (
        'rows = (row for row in answer["rows"])\nmany = sum(1 for _ in rows)\nscore = 1.0\nfor row in rows:\n    if row != REF["row"]:\n        score = 0.0',
        Cause.ANY_VALUE,
    ),
    "key-of-another": (
        'score = (abs(answer["width"] - REF["width"]) < 1) + (abs(answer["height"] - REF["width"]) < 1)',
        Cause.SWAPPED,
    ),
    "first-turn": (
        "def right():\n    for name in REF:\n        return answer[name] == REF[name]\nscore = float(right())",
        Cause.FEW_ITEMS,
    ),
    "last-turn": (
        "ok = True\nfor name in REF:\n    ok = answer[name] == REF[name]\nscore = float(ok)",
        Cause.FEW_ITEMS,
    ),
    "muted": (
        'score = 1.0\ntry:\n    assert answer["flow"] == REF["flow"]\nexcept AssertionError:\n    pass',
        Cause.ANY_VALUE,
    ),
    "verdict-dropped": (
        'def fits(given):\n    return given["flow"] == REF["flow"]\nfits(answer)\nscore = 1.0',
        Cause.UNSCORED,
    ),
}
SLIPS["or-a-text-put-together"] = (
    'want = REF["side"]\nscore = float(answer["side"] == want or "the " + want)',
    Cause.ANY_VALUE,
)
MEANT = {
    "asserted": 'assert answer["flow"] == REF["flow"], "flow differs"\nscore = 1.0',
    "message": 'class Checks(unittest.TestCase):\n    def test_flow(self):\n        self.assertTrue(answer["flow"] == REF["flow"], "flow")\nscore = 1.0',
    "default": 'side = answer.get("side") or "left"\nscore = float(side == REF["side"])',
    "bound-names": "checks = []\nfor name in REF:\n    checks.append(lambda name=name: answer[name] == REF[name])\nscore = sum(c() for c in checks)",
    "key-of-sorted": 'for name in REF:\n    best = sorted(answer[name], key=lambda row: row[name])\nscore = float(best == REF["best"])',
    "a-list": 'rows = list(row for row in answer["rows"])\nmany = sum(1 for _ in rows)\nscore = float(many == 3 and all(r in REF["rows"] for r in rows))',
    "one-of-two-branches": 'rows = iter(answer["rows"])\nif len(REF) > 3:\n    score = float(list(rows) == REF["rows"])\nelse:\n    score = float(sum(rows) == REF["sum"])',
    "own-keys": 'score = (abs(answer["width"] - REF["width"]) < 1) + (abs(answer["height"] - REF["height"]) < 1)',
    "renamed": 'score = float(abs(answer["width_m"] - REF["width"]) < 1)',
    "found-or-not": "def right():\n    for name in REF:\n        if answer[name] != REF[name]:\n            return False\n    return True\nscore = float(right())",
    "all-turns": "ok = True\nfor name in REF:\n    ok = ok and answer[name] == REF[name]\nscore = float(ok)",
    "counted": 'score = 0\ntry:\n    assert answer["flow"] == REF["flow"]\n    score = 1\nexcept AssertionError:\n    score = 0',
    "verdict-used": 'def fits(given):\n    return given["flow"] == REF["flow"]\nscore = float(fits(answer))',
    "raises": 'def fits(given):\n    if given["flow"] != REF["flow"]:\n        raise SystemExit(1)\n    return True\nfits(answer)\nscore = 1.0',
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_certain(name: str, tmp_path: Path) -> None:
    code, cause = SLIPS[name]
    found = [remark for remark in remarks_on(tmp_path, code) if remark.certain]
    assert [remark.cause for remark in found] == [cause], found
    assert found[0].line > 5  # where it stands in the file


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_is_no_slip(name: str, tmp_path: Path) -> None:
    assert [remark for remark in remarks_on(tmp_path, MEANT[name]) if remark.certain] == []
