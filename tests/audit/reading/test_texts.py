"""How a verifier compares texts, and what it throws away before, as its source shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

GIVEN = 'word, want = str(answer["word"]), REF["word"]\n'
FLAWED = {
    "inside-the-reference": ('score = float(word.lower() in "compliant")', Cause.WORD_INSIDE),
    "inside-the-answer": ('score = float("compliant" in word.lower())', Cause.WORD_INSIDE),
    "digits-inside": ('score = float("79" in word.strip())', Cause.WORD_INSIDE),
    "beginning": ("score = float(want.startswith(word))", Cause.WORD_INSIDE),
    "goes-on": ("score = float(word.startswith(want))", Cause.WORD_INSIDE),
    "open-ended": ("score = float(bool(re.match(re.escape(want), word)))", Cause.WORD_INSIDE),
    "alike": (
        "SIMILAR = 0.85\nscore = float(difflib.SequenceMatcher(None, word, want).ratio() >= SIMILAR)",
        Cause.WORD_INSIDE,
    ),
    "pattern": ("score = float(bool(re.fullmatch(word, want)))", Cause.PATTERN),
    "like": (
        'rows = sqlite3.connect(":memory:").execute("SELECT 1 WHERE \'kg\' LIKE ?", (word,)).fetchall()\n'
        "score = float(len(rows))",
        Cause.PATTERN,
    ),
    "query": (
        "rows = sqlite3.connect(\":memory:\").execute(f\"SELECT 1 WHERE 'kg' = '{word}'\").fetchall()\n"
        "score = float(len(rows))",
        Cause.CODE,
    ),
    "never-equal": ('score = float(word.lower() == "Yes")', Cause.SPELLING),
    "minus-deleted": ('score = float(re.sub(r"[^0-9.]", "", word) == want)', Cause.SIGN),
    "minus-replaced": ('score = float(abs(float(word.replace("-", "")) - want) <= 1)', Cause.SIGN),
    "zeros-stripped": ('score = float(word.rstrip("0") == str(want).rstrip("0"))', Cause.SCALE),
    "unit-dropped": ("score = float(abs(float(word.split()[0]) - want) <= 1)", Cause.SCALE),
    "case-folded": ("score = float(word.lower() == want.lower())", Cause.CLAMPED),
    "part-compared": ("score = float(word[:7] == want[:7])", Cause.CLAMPED),
}
FLAWED["half-turn"] = (
    "d = abs(float(word) - want) % 180\nscore = float(min(d, 180 - d) <= 1)",
    Cause.SIGN,
)
SOUND = {
    "equal": "score = float(word == want)",
    "one-of": 'score = float(word in ("yes", "true"))',
    "whole-turn": "d = abs(float(word) - want) % 360\nscore = float(min(d, 360 - d) <= 1)",
    "letters": 'score = float(all(c in "0123456789.-" for c in word) and word == want)',
    "whole": "score = float(bool(re.fullmatch(re.escape(want), word)))",
    "nearly-the-same": "score = float(difflib.SequenceMatcher(None, word, want).ratio() >= 0.97)",
    "parameter": (
        'rows = sqlite3.connect(":memory:").execute("SELECT 1 WHERE \'kg\' = ?", (word,)).fetchall()\n'
        "score = float(len(rows) == 1)"
    ),
    "kept-minus": 'score = float(re.sub(r"[^0-9.-]", "", word) == want)',
    "guarded-zeros": 'score = float((word.rstrip("0") if "." in word else word) == want)',
    "a-list-of-numbers": 'score = float(word == want and "79" in word.split())',
    "prefix-of-a-line": 'score = float(word[:2] == "V=" and word == want)',
}
ASKED = "Give the value with its unit, such as `5.2 kN`; case matters. Bearings are true ones."


@pytest.mark.parametrize("name", FLAWED)
def test_the_flaw_is_remarked_on(name: str, tmp_path: Path) -> None:
    code, cause = FLAWED[name]
    found = remarks_on(tmp_path, GIVEN + code, ASKED)
    assert cause in {remark.cause for remark in found}, found


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    assert remarks_on(tmp_path, GIVEN + SOUND[name], ASKED) == []


def test_what_the_task_grants_is_not_remarked_on(tmp_path: Path) -> None:
    """A task that says nothing of case may fold it, and one that asks for a pattern may use it."""
    assert remarks_on(tmp_path / "case", GIVEN + FLAWED["case-folded"][0]) == []
    asked = "The word is a regular expression."
    assert remarks_on(tmp_path / "pattern", GIVEN + FLAWED["pattern"][0], asked) == []
