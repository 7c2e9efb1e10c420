"""How a verifier compares numbers, as its source shows: each flaw beside the sound way of writing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

GIVEN = 'x, want = float(answer["x"]), REF["x"]\n'
FLAWED = {
    "one-sided": ("score = float(x - want <= 0.1)", Cause.BOUND),
    "one-sided-helper": (
        "def error(a, b):\n    return a - b\nscore = float(error(x, want) < 0.1)",
        Cause.BOUND,
    ),
    "by-the-answer": ("score = float(math.isfinite(x) and abs(x - want) / x < 0.1)", Cause.BOUND),
    "wrapped": ("d = x - want\nscore = float(min(d, 360 - d) <= 1)", Cause.BOUND),
    "unsigned": ("score = float(abs(abs(x) - abs(want)) < 0.1)", Cause.SIGN),
    "nan": ("score = 1.0\nif abs(x - want) > 0.1:\n    score = 0.0", Cause.NOT_A_NUMBER),
    "clamped-nan": ("score = 1 - min(1.0, abs(x - want) / want)", Cause.NOT_A_NUMBER),
    "cut": ('score = float(int(float(answer["x"])) == int(want))', Cause.TOLERANCE),
    "sum": ('score = float(abs(sum(answer["parts"]) - sum(REF["parts"])) < 0.1)', Cause.CANCELS),
    "median": (
        'errors = [abs(a - b) for a, b in zip(answer["p"], REF["p"], strict=True)]\n'
        "score = float(statistics.median(errors) < 0.1)",
        Cause.CLAMPED,
    ),
    "only-float": (
        'score = float(isinstance(answer["x"], float) and abs(answer["x"] - want) <= 0.1)',
        Cause.NUMBER_FORMAT,
    ),
    "own-tolerance": (
        'sigma = float(answer["sigma"])\nscore = float(abs(x - want) <= 2 * sigma)',
        Cause.CLAIMED,
    ),
    "share-of-the-largest": (
        'most = max(REF["p"])\nscore = float(all(abs(a - b) <= 0.01 * most for a, b in zip(answer["p"], REF["p"], strict=True)))',
        Cause.TOLERANCE,
    ),
    "only-agree": (
        'p, q, n = answer["p"], answer["q"], answer["n"]\n'
        "def near(a, b):\n    return abs(a - b) < 0.01\n"
        "score = float(near(p + q, 1) and near(n, p * 200) and near(q * 200, 200 - n))",
        Cause.AGREES,
    ),
    "own-objective": (
        'makespan, ops = answer["makespan"], answer["ops"]\n'
        "actual = max(op[1] for op in ops)\nscore = float(makespan == actual)",
        Cause.AGREES,
    ),
}
FLAWED["equal-to-its-own-product"] = (
    'lines, foot = answer["lines"], answer["foot"]\nrunning = 0\ngood = True\nfor qty, price, total in lines:\n'
    "    good = good and float(qty) * float(price) == float(total)\n    running += float(total)\n"
    "score = float(good and float(foot) == running)",
    Cause.AGREES,
)
FLAWED["any-plan"] = (
    'route = answer["route"]\nEDGES = {("a", "b"), ("b", "c")}\n'
    'score = float(route[0] == "a" and all(hop in EDGES for hop in zip(route, route[1:])))',
    Cause.UNSCORED,
)
SOUND = {
    "both-sides": "score = float(abs(x - want) <= 0.1)",
    "two-bounds": "score = float(x - want <= 0.1 and want - x <= 0.1)",
    "squared": "score = float((x - want) ** 2 <= 0.01)",
    "by-the-reference": "score = float(abs(x - want) / abs(want) <= 0.1)",
    "wrapped-size": "d = abs(x - want) % 360\nscore = float(min(d, 360 - d) <= 1)",
    "chi-square": 'score = float(sum((o - e) ** 2 / e for o, e in zip(answer["o"], REF["e"], strict=True)) <= 3)',
    "range-check": "score = float(abs(x) < 1e12 and abs(x - want) <= 0.1)",
    "within-a-range": "score = 1.0\nif not 0 <= x <= 1e4 or abs(x - want) > 0.1:\n    score = 0.0",
    "finite": "score = 1.0\nif not math.isfinite(x) or abs(x - want) > 0.1:\n    score = 0.0",
    "sum-and-parts": (
        'score = float(abs(sum(answer["p"]) - 1) < 0.1'
        ' and all(abs(a - b) <= 0.1 for a, b in zip(answer["p"], REF["p"], strict=True)))'
    ),
    "sigma-within-bounds": (
        'sigma = float(answer["sigma"])\nscore = float(sigma <= 0.5 and abs(x - want) <= 2 * sigma)'
    ),
    "scale-of-two": "score = float(abs(x - want) <= 0.01 * max(abs(want), 1e-9))",
    "agree-and-right": (
        'p, q = answer["p"], answer["q"]\nscore = float(abs(p + q - 1) < 0.01 and abs(p - REF["p"]) <= 0.01)'
    ),
    "objective-and-best": (
        'makespan, ops = answer["makespan"], answer["ops"]\nbest = 11\n'
        'score = float(makespan == max(op[1] for op in ops) and makespan == REF["makespan"])'
    ),
}
SOUND["shortest-plan"] = (
    'route = answer["route"]\nEDGES = {("a", "b"), ("b", "c")}\n'
    'score = float(len(route) == REF["stops"] and all(hop in EDGES for hop in zip(route, route[1:])))'
)
ASKED = "Give the smallest possible **makespan**."


@pytest.mark.parametrize("name", FLAWED)
def test_the_flaw_is_remarked_on(name: str, tmp_path: Path) -> None:
    code, cause = FLAWED[name]
    found = remarks_on(tmp_path, GIVEN + code, ASKED)
    assert cause in {remark.cause for remark in found}, found


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    assert remarks_on(tmp_path, GIVEN + SOUND[name], ASKED) == []
