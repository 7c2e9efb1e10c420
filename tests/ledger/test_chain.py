"""What a row's hash covers: spelled out, so that a ledger of last year verifies next year."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adjudge.ledger.store.chain import GENESIS, Appender, canonical, row_hash

VALUES = (
    st.none()
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | st.binary(max_size=8)
)
MARKS = st.lists(st.tuples(st.text(max_size=3), st.integers(), st.integers()), max_size=3)


def test_the_bytes_are_these() -> None:
    """Never to be changed: every ledger there is stands on them."""
    row = {
        "seq": 7,
        "document": '{"é":"\\n"}',
        "reward": 0.1,
        "small": 1e-05,
        "scored_at": 1e16,
        "output_sha256": b"\x00\xff",
        "replaces": None,
        "hash": b"not covered",
    }
    text = (
        '{"document":"{\\"é\\":\\"\\\\n\\"}","marks":[["tag",3,7],["tag",4,7]],"output_sha256":"00ff",'
        '"reward":0.1,"scored_at":1e+16,"seq":7,"small":1e-05,"table":"evaluations"}'
    )
    assert canonical("evaluations", row, [("tag", 4, 7), ("tag", 3, 7)]) == text.encode()
    first = row_hash(GENESIS, "names", {"seq": 1, "text": "a"})
    assert first.hex() == "7928b6165389a22b2272991285300cb6ba83dd83567004e005377cc68470cf88"


@given(st.dictionaries(st.sampled_from("abcdefgh"), VALUES, max_size=8), MARKS)
def test_a_row_is_compact_sorted_json_without_its_nulls(row: dict[str, Any], marks: list[Any]) -> None:
    """The definition, by the library that everybody has."""
    plain = {k: v.hex() if isinstance(v, bytes) else v for k, v in row.items() if v is not None}
    plain |= {"table": "t"} | ({"marks": sorted(marks)} if marks else {})
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert canonical("t", row, marks) == text.encode("utf-8", "surrogatepass")


def test_each_row_stands_on_the_one_before() -> None:
    appender = Appender(0, GENESIS)
    appender.append("names", {"text": "a"})
    appender.append("names", {"text": "b"}, [("tag", 1, 2), ("tag", 1, 2)])
    first, second = appender.rows["names"]
    assert first["hash"] == row_hash(GENESIS, "names", {"seq": 1, "text": "a"})
    assert second["hash"] == row_hash(first["hash"], "names", {"seq": 2, "text": "b"}, [("tag", 1, 2)])
    assert appender.marks == [{"kind": "tag", "value": 1, "evaluation": 2, "origin": 2}]
    assert (appender.seq, appender.head) == (2, second["hash"])
