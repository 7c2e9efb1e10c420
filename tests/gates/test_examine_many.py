"""Several answers are examined as each would be alone, also if one of them exhausts the child they share."""

from __future__ import annotations

from adjudge.contracts import OutputFormat
from adjudge.gates.examine import Answer, examine, examine_many

SCHEMA = {"type": "object", "properties": {"flow": {"type": "number"}}}
ANSWERS: list[Answer] = [
    (b"flow = 4.2\n", OutputFormat.TOML, SCHEMA),
    (b"flow: [1\n", OutputFormat.YAML, SCHEMA),
    (b'{"flow": "much"}', OutputFormat.JSON, SCHEMA),
    (b"flow: much\n", OutputFormat.YAML, SCHEMA),
    (b"<flow>4.2</flow>", OutputFormat.XML, None),
    (b"def f(:\n", OutputFormat.PYTHON, None),
]


def test_the_same_as_alone() -> None:
    assert examine_many(ANSWERS) == [examine(*answer) for answer in ANSWERS]


def test_one_that_exhausts_the_child_says_nothing_about_the_others() -> None:
    deep: Answer = (b"(" * 60_000 + b")" * 5_000, OutputFormat.PYTHON, None)
    found = examine_many([*ANSWERS, deep])
    assert found[:-1] == [examine(*answer) for answer in ANSWERS]
    assert found[-1].unparseable is not None


def test_none_at_all() -> None:
    assert examine_many([]) == []
