"""A stream is kept whole up to its limit, and by its two ends beyond it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.sandbox.watching.capture import Capture


@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(min_value=0, max_value=1000))
def test_both_ends_are_kept_however_the_stream_is_cut(chunks: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for chunk in chunks:
        capture.add(chunk)
    whole, kept = b"".join(chunks), capture.value()
    assert len(kept) <= limit
    assert capture.exceeded == (len(whole) > limit)
    if not capture.exceeded:
        assert kept == whole
    elif b" bytes left out ...]" in kept:
        head, _, rest = kept.partition(b"\n[... ")
        number, _, tail = rest.partition(b" bytes left out ...]\n")
        assert whole.startswith(head)
        assert whole.endswith(tail)
        assert len(head) + int(number) + len(tail) == len(whole)


def test_worked_example() -> None:
    """Limit 100: 49 bytes are set aside for the note, 25 kept at either end of 1,000, and 950 left out."""
    capture = Capture(100)
    capture.add(b"a" * 500 + b"z" * 500)
    assert capture.value() == b"a" * 25 + b"\n[... 950 bytes left out ...]\n" + b"z" * 25


def test_memory_stays_bounded() -> None:
    capture = Capture(1000)
    for _ in range(1000):
        capture.add(b"x" * 10_000)
    assert len(capture._head) + len(capture._tail) < 20_000
