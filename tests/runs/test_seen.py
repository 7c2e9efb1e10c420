"""What a run has come by is told from what it has not, like in a set, and in little memory."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from adjudge.runs.seen import SeenTrials, holds


@given(st.lists(st.sampled_from("abcdefgh") | st.text(st.characters(exclude_categories=()), max_size=3)))
def test_each_text_is_new_once(texts: list[str]) -> None:
    seen, known = SeenTrials(), set[str]()
    for text in texts:
        assert seen.add(text) is (text not in known)
        known.add(text)


def test_bytes_across_two_pieces_are_none_of_them() -> None:
    first, second = bytes(range(11)), bytes(range(100, 111))
    bucket = bytearray(first + second)
    across = (first + second)[4:15]
    assert holds(bucket, first)
    assert holds(bucket, second)
    assert not holds(bucket, across)
    assert holds(bytearray(first + second + across), across)
    assert not holds(bytearray(), first)


def test_many_take_little_memory() -> None:
    seen = SeenTrials()
    count = 50_000
    assert sum(seen.add(f"t{number:024x}") for number in range(count)) == count
    assert sum(seen.add(f"t{number:024x}") for number in range(0, count, 97)) == 0
    held = sum(sys.getsizeof(bucket) for bucket in seen._buckets)
    assert held / count < 24, "a set of the ids takes five times as much"
