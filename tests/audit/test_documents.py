"""An answer in any format can be changed and written again, and what was not changed is still there."""

from __future__ import annotations

import datetime
import math
import sqlite3
from contextlib import closing
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from adjudge.audit.documents.document import open_document, raw_number
from adjudge.audit.documents.granted import compared_by_bytes
from adjudge.audit.documents.leaves import dropped, leaves, lists, replaced, representative, spread
from adjudge.audit.documents.shapes import several_are_right, stated_share
from adjudge.contracts import OutputFormat

FENCED = 'Working.\n\n```json\n{"a": 1.5, "b": [1, 2]}\n```\n\nDone.\n'
SAMPLES = [
    (OutputFormat.JSON, b'{"a": 1.5, "b": {"c": "x"}}', {"a": 1.5, "b": {"c": "x"}}),
    (OutputFormat.JSONL, b'{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
    (
        OutputFormat.CSV,
        b"tag,flow\nP-1,2.50\nP-2,3\n",
        [{"tag": "P-1", "flow": 2.5}, {"tag": "P-2", "flow": 3}],
    ),
    (
        OutputFormat.CSV,
        b"0,20,304.5\n20,40,435\n",
        [
            {"column 1": 0, "column 2": 20, "column 3": 304.5},
            {"column 1": 20, "column 2": 40, "column 3": 435},
        ],
    ),
    (OutputFormat.TEXT, b"-117.504,35.708\n", [{"column 1": -117.504, "column 2": 35.708}]),
    (OutputFormat.TEXT, b"P1 B3\nP2 B1\nP4 B2\n", ["P1 B3", "P2 B1", "P4 B2"]),
    (OutputFormat.YAML, b"a: 1.5\nb: [1, 2]\n", {"a": 1.5, "b": [1, 2]}),
    (OutputFormat.TOML, b'a = 1.5\n[t]\nb = "x"\nc = [1, 2]\n', {"a": 1.5, "t": {"b": "x", "c": [1, 2]}}),
    (OutputFormat.MARKDOWN, FENCED.encode(), {"a": 1.5, "b": [1, 2]}),
    (OutputFormat.MARKDOWN_JSON, b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
    (OutputFormat.TEXT, b"Force: -42.3 kN\nno number\nMoment = 7\n", {"Force": -42.3, "Moment": 7}),
    (OutputFormat.XML, b"<r><f>1.5</f></r>", {"number at line 1": 1.5}),
]


@pytest.mark.parametrize(
    ("kind", "data", "value"), SAMPLES, ids=[f"{s[0]}-{n}" for n, s in enumerate(SAMPLES)]
)
def test_a_document_is_read_and_written_again(kind: OutputFormat, data: bytes, value: Any) -> None:
    document = open_document(data, kind)
    assert document is not None
    assert document.value == value
    again = open_document(document.render(document.value), kind)
    assert again is not None
    assert again.value == value


def test_the_text_around_an_answer_stays() -> None:
    document = open_document(FENCED.encode(), OutputFormat.MARKDOWN)
    assert document is not None
    written = document.render({"a": 2}).decode()
    assert written == 'Working.\n\n```json\n{\n  "a": 2\n}\n```\n\nDone.\n'


def test_in_prose_only_the_numbers_change() -> None:
    document = open_document(b"Force: -42.3 kN (load case 2)\n", OutputFormat.TEXT)
    assert document is not None
    assert not document.structured
    changed = {**document.value, "Force": 7.5}
    assert document.render(changed) == b"Force: 7.5 kN (load case 2)\n"


@pytest.mark.parametrize("data", [b"", b"no numbers here", b"\xff\xfe\x00"])
def test_what_cannot_be_changed_has_no_document(data: bytes) -> None:
    assert open_document(data, OutputFormat.MARKDOWN) is None


@given(st.binary(max_size=300), st.sampled_from(list(OutputFormat)))
def test_any_bytes_are_survived(data: bytes, kind: OutputFormat) -> None:
    """Never an exception; and what was opened can be written."""
    document = open_document(data, kind)
    if document is not None:
        assert isinstance(document.render(document.value), bytes)


def test_leaves_are_numbers_words_and_truths() -> None:
    found = leaves(
        {"a": 1, "b": [True, "x", None, "4.7 V", math.inf], "c": {"d": "12 apples a day, or more"}}
    )
    kinds = [(leaf.name, leaf.kind, leaf.number) for leaf in found]
    assert kinds == [
        ("a", "number", 1),
        ("b[0]", "truth", 0),
        ("b[1]", "text", 0),
        ("b[3]", "number", 4.7),
        ("c.d", "text", 0),
    ]
    assert found[3].with_number(47.0) == "47.0 V"


def test_of_many_alike_the_first_and_the_last_are_tried() -> None:
    rows = {"rows": [{"x": n, "y": n} for n in range(9)], "total": 3}
    names = [leaf.name for leaf in representative(leaves(rows), 10)]
    assert names == ["rows[0].x", "rows[0].y", "rows[8].x", "rows[8].y", "total"]
    assert spread(list(range(100)), 3) == [0, 50, 99]
    assert lists(rows) == [("rows",)]


def test_an_answer_that_nests_deeply_is_survived() -> None:
    value: Any = 1
    for _ in range(3000):
        value = [value]
    assert [leaf.number for leaf in leaves(value)] == [1]


def test_a_table_with_malformed_rows_can_be_written() -> None:
    """What is no row is one cell: some probes are about just that."""
    document = open_document(b"a,b\n1,2\n3,4\n", OutputFormat.CSV)
    assert document is not None
    written = document.render([*document.value, None, {}, [], "x", -1])
    assert written == b"a,b\n1,2\n3,4\n,\n,\n[],\nx,\n-1,\n"


def test_the_two_numbers_of_a_fraction_are_one_value() -> None:
    document = open_document(b"Ratio: 37/11\nScale: 1 : 50\nFlow: 4.5 m3/s\n", OutputFormat.TEXT)
    assert document is not None
    assert document.value == {"Ratio": 37, "Scale": 1, "Flow": 4.5}


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ("At least 80 % of the items must be right.", 0.8),
        ("The answer passes if two thirds of them match.", 2 / 3),
        ("Four of the five values must be correct.", 0.8),
        ("7 out of 10 correct answers suffice.", 0.7),
        ("The score follows from the median of the errors.", 0.5),
        ("All values must be right within 2 %.", None),
        ("The efficiency of the pump is 80 %. Give the right power.", None),
        ("Work out the head loss.", None),
    ],
)
def test_a_share_that_the_task_grants_is_read(said: str, share: float | None) -> None:
    assert stated_share(said) == share


def test_a_table_keeps_how_its_numbers_are_written() -> None:
    """`900.00` is compared as text by some verifiers; only what changes is written anew."""
    text = b"day,amount\n2026-05-15,900.00\n2026-05-16,0012.50\n"
    document = open_document(text, OutputFormat.CSV)
    assert document is not None
    assert document.render(document.value) == text
    assert document.render(replaced(document.value, [((0, "amount"), 1.5)])) == text.replace(
        b"900.00", b"1.5"
    )


@pytest.mark.parametrize("text", ["2027-03-14", "2027-03-14T08:30:00Z", "08:30", "7:05:10"])
def test_a_date_is_no_number(text: str) -> None:
    assert [leaf.kind for leaf in leaves({"due": text})] == ["text"]


@pytest.mark.parametrize(
    ("instruction", "several"),
    [
        ("Find Kp and Ki so that the overshoot stays below 5 %.", True),
        ("Any valid order is right.", True),
        ("Choose starts such that all is done as early as possible.", True),
        ("State the values as precise as possible.", False),
        ("Find the head loss of each pipe.", False),
    ],
)
def test_a_task_may_have_several_right_answers(instruction: str, several: bool) -> None:
    assert several_are_right(instruction) is several


def test_a_change_shares_the_rest_and_leaves_the_value_as_it_was() -> None:
    """A table of thousands of rows has hundreds of variants; each costs only the rows that change."""
    row = {"a": 1, "b": [1, 2]}
    value = [row, row, {"a": 3, "b": []}]
    changed = replaced(value, [((0, "a"), 9), ((0, "b", 1), 8), ((2,), {"a": 4}), ((2, "a"), 5)])
    assert changed == [{"a": 9, "b": [1, 8]}, {"a": 1, "b": [1, 2]}, {"a": 5}]
    assert changed[1] is row
    assert value == [{"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 2]}, {"a": 3, "b": []}]
    assert replaced(value, [((), 7)]) == 7
    assert dropped(value, (0, "b")) == [{"a": 1}, row, {"a": 3, "b": []}]
    assert dropped(value, (1,)) == [row, {"a": 3, "b": []}]
    assert row == {"a": 1, "b": [1, 2]}


def test_a_code_of_digits_is_no_number() -> None:
    """A station `04124000` that is off by 0.1 % is another station."""
    document = open_document(b"station,days\n04124000,5\n04101800,05\n", OutputFormat.CSV)
    assert document is not None
    kinds = [leaf.kind for leaf in leaves(document.value)]
    assert kinds == ["text", "number", "text", "text"]
    assert [leaf.kind for leaf in leaves(["007", "0.5", "0", "0 m"])] == [
        "text",
        "number",
        "number",
        "number",
    ]


def _database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create table pipes (name text primary key, dn integer, length_m real)")
        db.executemany("insert into pipes values (?, ?, ?)", [("P1", 100, 120.0), ("P2", 80, 75.5)])
        db.commit()
        return db.serialize()


def test_a_database_is_a_document_of_its_tables() -> None:
    document = open_document(_database(), OutputFormat.BINARY)
    assert document is not None
    assert document.value == {
        "pipes": [{"name": "P1", "dn": 100, "length_m": 120.0}, {"name": "P2", "dn": 80, "length_m": 75.5}]
    }
    changed = {"pipes": [{"name": "P1", "dn": 65, "length_m": raw_number("1e3")}, "no row", {"unknown": 1}]}
    again = open_document(document.render(changed), OutputFormat.BINARY)
    assert again is not None
    assert again.value == {"pipes": [{"name": "P1", "dn": 65, "length_m": 1000.0}]}


def test_a_database_takes_a_key_twice_as_an_agent_could_write_it() -> None:
    document = open_document(_database(), OutputFormat.BINARY)
    assert document is not None
    rows = document.value["pipes"]
    again = open_document(document.render({"pipes": [*rows, *rows]}), OutputFormat.BINARY)
    assert again is not None
    assert again.value == {"pipes": [*rows, *rows]}


def test_a_damaged_database_is_no_document() -> None:
    data = bytearray(_database())
    data[100:] = b"\xff" * (len(data) - 100)
    assert open_document(bytes(data), OutputFormat.BINARY) is None


def test_the_digits_of_a_regular_expression_are_no_values() -> None:
    text = rb"(?:25[0-5]|2[0-4]\d|1?\d?\d) (\d{4}-(?:01|03)-30)"
    assert open_document(text + b"\n", OutputFormat.TEXT) is None
    document = open_document(text + b"\nmatches: 9\n", OutputFormat.TEXT)
    assert document is not None
    assert document.value == {"matches": 9}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10.2.0.7\n10.2.0.21\n", ["10.2.0.7", "10.2.0.21"]),
        ("2024-05-01\n2024-06-02\n", ["2024-05-01", "2024-06-02"]),
        (
            "Auk 9\nSkua 5\nTern 1\n",
            [{"column 1": b, "column 2": n} for b, n in (("Auk", 9), ("Skua", 5), ("Tern", 1))],
        ),
        (
            "snow\tснег\nriver\tрека\n",
            [{"column 1": "snow", "column 2": "снег"}, {"column 1": "river", "column 2": "река"}],
        ),
        ("boat\tpoints\nAuk\t9\nTern\t1\n", [{"boat": "Auk", "points": 9}, {"boat": "Tern", "points": 1}]),
        ("Nile\nJane Austen\nBlack Sea\n", ["Nile", "Jane Austen", "Black Sea"]),
    ],
)
def test_lines_that_are_alike_are_a_list(text: str, value: object) -> None:
    document = open_document(text.encode(), OutputFormat.TEXT)
    assert document is not None
    assert (document.value, document.structured) == (value, True)
    assert document.render(document.value) == text.encode()


def test_bare_words_of_yaml_stay_what_a_reader_made_of_them() -> None:
    """`on` is the key true for PyYAML, 14 a number, and the date a date; quotes would make texts of them."""
    text = (
        "on: {push: [main]}\n14: x\n'15': y\nday: 2024-05-01\nversions: ['3.10', '14']\n"
        "base: &b {a: 1}\nmore: {<<: *b}\n"
    )
    document = open_document(text.encode(), OutputFormat.YAML)
    assert document is not None
    assert list(document.value) == ["on", "14", "15", "day", "versions", "base", "more"]
    again = yaml.safe_load(document.render(document.value))
    assert again == yaml.safe_load(text)
    assert {True, 14, "15"} < set(again)
    changed = yaml.safe_load(document.render({**document.value, "day": "2024-06-01"}))
    assert changed["day"] == datetime.date(2024, 6, 1)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("bolts,253\nhinges,165\nrails,438\n", {"column 1": "bolts", "column 2": 253}),
        ("land,2019\nA,3\nB,4\n", {"land": "A", "2019": 3}),
        ("name,kg\nA,3\nB,4\n", {"name": "A", "kg": 3}),
    ],
)
def test_a_first_row_like_all_others_is_no_header(text: str, first: object) -> None:
    document = open_document(text.encode(), OutputFormat.CSV)
    assert document is not None
    assert document.value[0] == first
    assert document.render(document.value) == text.encode()


@pytest.mark.parametrize(
    ("said", "is_exact"),
    [
        ("The file is compared byte for byte.", True),
        ("The check is exact: any other form, e.g. with a unit, scores 0.", True),
        ("The output is compared by its SHA-256.", True),
        ("It is not compared byte for byte.", False),
        ("The count must be exact; any other value is wrong.", False),
    ],
)
def test_what_a_task_says_of_its_comparison(said: str, is_exact: bool) -> None:
    assert compared_by_bytes(said) is is_exact
