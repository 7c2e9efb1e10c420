"""What comes first in a set of texts is remarked on; what cannot change with it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

PAIRED = """
free, pairs = {kind}, {{}}
for want in sorted(REF):
    for one in {over}:
        if {test}:
            pairs[want] = one
            free.remove(one)
            break
score = len(pairs) / len(REF)
"""
FLAWED = {
    "paired-from-a-set": PAIRED.format(
        kind="0", over="set(answer['times'])", test="abs(int(one[:2]) - int(want[:2])) <= 1"
    ),
    "popped": "names = set(answer['names'])\nscore = float(names.pop().startswith(tuple(REF)))",
    "what-is-left": (
        "left = frozenset(answer['names']) - set(REF)\nfirst = None\nfor one in left:\n    if len(one) > 3:\n"
        "        first = one\n        break\nscore = float(first in REF)"
    ),
}
SOUND = {
    "sorted-first": PAIRED.format(
        kind="0", over="sorted(set(answer['times']))", test="abs(int(one[:2]) - int(want[:2])) <= 1"
    ),
    "equal-to-one-at-most": PAIRED.format(kind="0", over="set(answer['times'])", test="one == want"),
    "numbers-keep-their-order": PAIRED.format(
        kind="0", over="set(map(int, answer['hours']))", test="abs(one - len(want)) <= 1"
    ),
}


@pytest.mark.parametrize("name", FLAWED)
def test_what_comes_first_is_remarked_on(name: str, tmp_path: Path) -> None:
    assert Cause.RANDOM in {remark.cause for remark in remarks_on(tmp_path, FLAWED[name])}


@pytest.mark.parametrize("name", SOUND)
def test_an_order_that_does_not_matter_is_not(name: str, tmp_path: Path) -> None:
    assert Cause.RANDOM not in {remark.cause for remark in remarks_on(tmp_path, SOUND[name])}
