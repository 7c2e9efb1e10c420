"""What looks like a flaw of comparison and is none, each beside a flaw that looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

_READ = '    with open("/workspace/answer.json") as file:\n        given = json.load(file)\n'
PAIRS = {
    "all-of-nothing-must-be-false": (
        Cause.EMPTY,
        f'def test_kept():\n{_READ}    whole = all(REF[item] for item in given["items"])\n    assert whole, "not kept"',
        f'def test_left():\n{_READ}    whole = all(REF[item] for item in given["items"])\n    assert not whole, f"{{whole}}"',
    ),
    "counted-in-another-test": (
        Cause.EMPTY,
        f'def test_kept():\n{_READ}    assert all(REF[item] for item in given["items"])\n'
        f'def test_some():\n{_READ}    assert len(given["names"]) > 2',
        f'def test_kept():\n{_READ}    assert all(REF[item] for item in given["items"])\n'
        f'def test_some():\n{_READ}    assert len(given["items"]) > 2',
    ),
    "labels-of-lines": (
        Cause.WORD_INSIDE,
        'for line, want in zip(answer["lines"], sorted(REF)):\n    assert line.startswith(want)',
        'LABELS = ["mean:", "spread ="]\nassert len(answer["lines"]) == 2\n'
        'for place, (line, label) in enumerate(zip(answer["lines"], LABELS)):\n'
        "    assert line.startswith(label), place",
    ),
    "taken-apart-behind-its-name": (
        Cause.WORD_INSIDE,
        'line, want = answer["line"], REF["line"]\nscore = float(line.startswith(want))',
        'line, want = answer["line"], REF["line"]\nscore = 0.0\n'
        'if line.startswith(want):\n    score = float(line[len(want):] == REF["rest"])',
    ),
    "one-less-than-the-pieces": (
        Cause.BOUND,
        'score = float(answer["flow"] - 12.5 <= 0.1)',
        'cuts = len(answer["pieces"]) - 1\nscore = float(cuts <= REF["most"])',
    ),
    "a-limit-of-the-task": (
        Cause.BOUND,
        'slack = REF["slack"]\nscore = float(answer["load"] - REF["empty"] <= slack)',
        'max_load = REF["most"]\nscore = float(answer["load"] - REF["empty"] <= max_load)',
    ),
    "another-file-of-the-same-name": (
        Cause.WORD_INSIDE,
        'with open("/workspace/answer.json") as file:\n    kept = [row["key"] for row in json.load(file)]\n'
        'score = float("tower" in kept[0]["key"].lower())',
        'def test_kept():\n    with open("/workspace/answer.json") as file:\n        kept = set(json.load(file))\n'
        '    due = set()\n    with open("/tests/log.jsonl") as file:\n        for line in file:\n'
        '            row = json.loads(line)\n            name = row["key"].lower()\n'
        '            if "tower" in name:\n                due.add(row["key"])\n    assert kept == due',
    ),
    "compared-whole-besides": (
        Cause.WORD_INSIDE,
        f'def test_word():\n{_READ}    assert "tower" in given["name"].lower()\n'
        f'def test_whole():\n{_READ}    assert given["name"] == REF["name"] or given["name"] == REF["short"]',
        f'def test_word():\n{_READ}    assert "tower" in given["name"].lower()\n'
        f'def test_whole():\n{_READ}    assert given["name"] == REF["name"]',
    ),
    "as-many-checks-as-ever": (
        Cause.PARTIAL,
        "checks = {}\nfor name, value in answer.items():\n    checks[name] = value and value == REF.get(name)\n"
        "right = sum(1 for value in checks.values() if value)\nscore = right / len(checks)",
        'checks = {}\nchecks["flow"] = answer.get("flow") and answer["flow"] == REF["flow"]\n'
        'checks["head"] = answer.get("head") and answer["head"] == REF["head"]\n'
        "right = sum(1 for value in checks.values() if value)\nscore = right / len(checks)",
    ),
    "checks-that-need-a-field": (
        Cause.PARTIAL,
        'checks = {}\nchecks["flow"] = answer.get("flow") and answer["flow"] == REF["flow"]\nif answer.get("head"):\n'
        '    checks["head"] = bool(answer["head"]) and answer["head"] == REF["head"]\n'
        "right = sum(1 for value in checks.values() if value)\nscore = right / len(checks)",
        'checks = []\nchecks.append(answer.get("flow") and answer["flow"] == REF["flow"])\n'
        'checks.append(answer.get("head") and answer["head"] == REF["head"])\n'
        "right = sum(1 for value in checks if value)\nscore = right / len(checks)",
    ),
}
ASKED = "The load must not exceed the limit."


@pytest.mark.parametrize("name", PAIRS)
def test_the_flaw_is_remarked_on(name: str, tmp_path: Path) -> None:
    cause, flawed, _ = PAIRS[name]
    found = remarks_on(tmp_path, flawed, ASKED)
    assert cause in {remark.cause for remark in found}, found


@pytest.mark.parametrize("name", PAIRS)
def test_its_neighbour_is_not(name: str, tmp_path: Path) -> None:
    cause, _, sound = PAIRS[name]
    assert cause not in {remark.cause for remark in remarks_on(tmp_path, sound, ASKED)}


def test_a_word_that_the_task_says_a_field_contains_may_be_looked_for(tmp_path: Path) -> None:
    """Quoted behind "contain", alone or beside others; said of something else it grants nothing."""
    code = 'score = float("tower" in answer["name"].lower())'
    for number, said in enumerate(("Each name contains `tower`.", 'It must contain "hut" or "tower".')):
        assert remarks_on(tmp_path / f"{number}", code, said) == []
    assert remarks_on(tmp_path / "else", code, "The map contains the names; one is a tower.") != []
