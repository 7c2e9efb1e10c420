"""Nothing that an agent writes can break a check: that would make a wrong answer a verifier failure."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.contracts import EvaluationResult
from adjudge.scoring import read_artifacts
from adjudge_kit import Verifier, read_answer, within

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 5e-324, 1.7e308, -0.0])
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(max_size=12)
    | st.sampled_from(
        ["3.04 V", "1,234", "\x1b[2J", "\ud800", "compliant!", "-", "9" * 300, "id,v\n1,2", "\u202e"]
    )
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "v", "columns", "rows", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)
NAMES = ["n", "n0", "unit", "temp_c", "range", "flag", "choice", "text", "set", "seq", "rec", "tab"]


def verify(v: Verifier) -> None:
    v.number("n", 3.04, rel=0.02, strings=True, thousands=True, fade=3, also={"twice": 2})
    v.number("n0", 0.0, abs=0.01)
    v.number("unit", 3.04, rel=0.02, unit="V", convert=True)
    v.number("temp_c", 48.8, abs=0.1)
    v.between("range", 0, 1, unit="%")
    v.boolean("flag", True)
    v.choice("choice", "compliant", among=["compliant", "non-compliant"])
    v.text("text", "abc", ignore_case=True, ignore_space=True)
    v.members("set", [1, "a", None, True], rel=0.01)
    v.sequence("seq", [1.0, "a", [2]], rel=0.01)
    v.records("rec", [{"id": 1, "v": 2.0}, {"id": "B", "v": "x"}], key="id", rel=0.01)
    v.table("tab", "id,v\n1,2\n", key="id")


@settings(max_examples=250, deadline=None)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, values)) | values)
def test_no_answer_breaks_a_verifier(answer: Any) -> None:
    with tempfile.TemporaryDirectory() as logs:
        v = Verifier(answer, logs=logs)
        verify(v)
        reward = v.finish()
        result = read_artifacts(logs, strict=True)
        text = "".join((Path(logs) / name).read_text("utf-8") for name in ("details.json", "errors.json"))
    assert 0.0 <= reward <= 1.0
    assert result == EvaluationResult.model_validate_json(result.model_dump_json())
    assert len(text) < 40_000
    assert all(c.isprintable() or c in "\n " for c in text)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_break_the_reading(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.md", "a.jsonl", "a.csv", "a.txt"):
            output = Path(folder) / name
            output.write_bytes(data)
            v = Verifier.from_file(output, logs=Path(folder) / "logs")
            verify(v)
            assert 0.0 <= v.finish() <= 1.0


def test_large_answers_take_no_long_time() -> None:
    """Each of these makes a naive reader or matcher quadratic; with a bound they take a moment."""
    long_lists = {"set": [0.5] * 300_000, "seq": [1.0] * 300_000, "rec": [{"id": i} for i in range(50_000)]}
    for answer in (
        long_lists,
        {"n": "1" * 1_000_000, "unit": "1" + " " * 1_000_000 + "x y", "choice": "compliant " * 100_000},
        " \n" * 500_000 + "n: 5" + "\t" * 500_000,
        {"tab": "id,v\n" + "1,2\n" * 200_000},
    ):
        with tempfile.TemporaryDirectory() as logs:
            v = Verifier(answer, logs=logs)
            verify(v)
            assert 0.0 <= v.finish() <= 1.0
    assert read_answer("{" * 1_000_000 + json.dumps({"a": 1})) == {"a": 1}
    assert within(0, 1)(None, "x" * 1_000_000, "n").score == 0.0
