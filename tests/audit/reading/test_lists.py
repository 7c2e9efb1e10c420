"""How a verifier counts items and fields, and adds up credit, as its source shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

GIVEN = 'items, WANT = answer["items"], REF["items"]\n'
FLAWED = {
    "short-pairs": ("score = float(all(a == b for a, b in zip(items, WANT)))", Cause.FEW_ITEMS),
    "all-of-nothing": ("score = float(all(item in WANT for item in items))", Cause.FEW_ITEMS),
    "vacuous": ("score = float(all(WANT[item] == 1 for item in items))", Cause.EMPTY),
    "superset": ("score = float(set(WANT) <= set(items))", Cause.PADDING),
    "recall": ("score = len(set(items) & set(WANT)) / len(WANT)", Cause.PADDING),
    "recall-by-count": ("score = sum(1 for item in WANT if item in items) / len(WANT)", Cause.PADDING),
    "repeated": ("score = min(1.0, sum(item in WANT for item in items) / len(WANT))", Cause.REPEATS),
    "anywhere": ("score = float(any(abs(item - WANT[0]) < 0.1 for item in items))", Cause.ANYWHERE),
    "best-of-many": (
        "def score_of(item):\n    return float(item == WANT[0])\nscore = max(score_of(item) for item in items)",
        Cause.HEDGED,
    ),
    "unordered": ("score = float(sorted(items) == sorted(WANT))", Cause.UNORDERED),
    "given-only": (
        "score = 1.0\nfor name, value in answer.items():\n    if value != REF[name]:\n        score = 0.0",
        Cause.EMPTY,
    ),
    "mean-of-given": (
        "right = sum(1 for i in items if i in WANT)\nscore = right / len(items)",
        Cause.PARTIAL,
    ),
    "counted-if-there": (
        "total = right = 0\nfor name in REF:\n    if name in answer:\n        total += 1\n"
        "        right += answer[name] == REF[name]\nscore = right / total",
        Cause.PARTIAL,
    ),
    "right-by-default": ('score = float(answer.get("mode", REF["mode"]) == REF["mode"])', Cause.DROPPED),
    "truthy": ('score = 0.0\nif answer["stable"]:\n    score = 1.0', Cause.TRUTHY),
    "weights": (
        'WEIGHTS = {"a": 0.6, "b": 0.6}\n'
        "score = min(1.0, sum(w for n, w in WEIGHTS.items() if answer[n] == REF[n]))",
        Cause.CLAMPED,
    ),
    "weights-in-tuples": (
        'RUBRIC = {"a": (0.7, 1), "b": (0.7, 2)}\n'
        "score = min(1.0, sum(w for n, (w, v) in RUBRIC.items() if answer[n] == v))",
        Cause.CLAMPED,
    ),
    "penalties-only": (
        "score = 1.0\nfor item in items:\n    if item not in WANT:\n        score -= 0.25",
        Cause.EMPTY,
    ),
}
FLAWED["less-what-is-given"] = (
    "missing = collections.Counter(WANT) - collections.Counter(items)\nscore = float(not missing)",
    Cause.PADDING,
)
FLAWED["any-of-a-key"] = (
    "given = collections.defaultdict(set)\nfor row in items:\n    given[row['id']].add(row['lang'])\n"
    "score = sum(lang in given[name] for name, lang in REF.items()) / len(REF)",
    Cause.HEDGED,
)
SOUND = {
    "order-of-modules": (
        "done = set()\ngood = True\nfor name in items:\n    if name in done or REF[name] - done:\n"
        "        good = False\n    done.add(name)\nscore = float(good and done == REF.keys())"
    ),
    "less-both-ways": (
        "given, want = collections.Counter(items), collections.Counter(WANT)\n"
        "score = float(not want - given and not given - want)"
    ),
    "pairs-of-one-length": "score = float(len(items) == len(WANT) and all(a == b for a, b in zip(items, WANT)))",
    "strict-pairs": "score = float(all(a == b for a, b in zip(items, WANT, strict=True)))",
    "equal-sets": "score = float(sorted(set(items)) == sorted(set(WANT)) and len(items) == len(WANT) and items == WANT)",
    "f1": (
        "hits = len(set(items) & set(WANT))\nprecision, recall = hits / max(1, len(items)), hits / len(WANT)\n"
        "score = 2 * precision * recall / ((precision + recall) or 1)"
    ),
    "jaccard": "score = len(set(items) & set(WANT)) / len(set(items) | set(WANT))",
    "each-reference-once": "score = sum(items.count(item) == 1 for item in WANT) / max(len(WANT), len(items))",
    "in-its-order": "score = float(items == WANT)",
    "all-fields": "score = sum(answer.get(name) == REF[name] for name in REF) / len(REF)",
    "neutral-default": 'score = float(answer.get("mode", None) == REF["mode"])',
    "is-true": 'score = 0.0\nif answer["stable"] is True:\n    score = 1.0',
    "weights-of-one": (
        'WEIGHTS = {"a": 0.4, "b": 0.6}\n'
        "score = min(1.0, sum(w for n, w in WEIGHTS.items() if answer[n] == REF[n]))"
    ),
    "penalties-and-count": (
        "score = 1.0 if len(items) == len(WANT) else 0.0\n"
        "for item in items:\n    if item not in WANT:\n        score -= 0.25"
    ),
}
ASKED = "List them in ascending order."


@pytest.mark.parametrize("name", FLAWED)
def test_the_flaw_is_remarked_on(name: str, tmp_path: Path) -> None:
    code, cause = FLAWED[name]
    found = remarks_on(tmp_path, GIVEN + code, ASKED)
    assert cause in {remark.cause for remark in found}, found


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    assert remarks_on(tmp_path, GIVEN + SOUND[name], ASKED) == []


def test_an_order_counts_only_if_it_is_asked_for(tmp_path: Path) -> None:
    assert remarks_on(tmp_path, GIVEN + FLAWED["unordered"][0], "In any order.") == []
