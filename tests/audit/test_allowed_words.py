"""What a task allows in words is tried as it says; what it forbids, or says of its inputs, is not."""

from __future__ import annotations

import pytest

from adjudge.audit.documents import open_document
from adjudge.audit.sections.layouts.allowed import allowed_spellings
from adjudge.audit.sections.layouts.raised import raised
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import OutputFormat, Severity

CSV, JSON, TEXT = OutputFormat.CSV, OutputFormat.JSON, OutputFormat.TEXT
BILLS = "name;n;amount\nA;4;4820.50\nB;7;-1200000.25\n"
TIMES = "at;x\n08:30;1\n"
STAMPS = '{"eta": "2026-02-12T05:55:00+01:00"}'
RING = '{"ring": [[0, 0], [4, 0], [4, 3], [0, 3], [0, 0]]}'
TOUR = '{"tour": ["A", "C", "B", "D", "E"], "km": 12.5}'

ALLOWED = [
    ("Commas as thousands separators are welcome but not required.", CSV, BILLS, "4,820.50"),
    ("Thousands separators may be used.", CSV, BILLS, "-1,200,000.25"),
    ("Numbers with or without thousands separators.", CSV, "n;x\nA;4,820.50\n", "4820.50"),
    ("Decimal point or comma, as you like.", CSV, BILLS, "4820,50"),
    (
        'A number (such as 0.125) or a percentage with the sign (`"12.5%"`).',
        JSON,
        '{"pd": 0.0045}',
        '"0.45%"',
    ),
    ("Shares as 25 % or 0.25.", JSON, '{"s": "25 %"}', "0.25"),
    ("Losses with a minus sign or in brackets.", CSV, BILLS, "(1200000.25)"),
    ("A plus sign is optional.", CSV, BILLS, "+4820.50"),
    ("Scientific notation is accepted.", JSON, '{"k": 0.00123}', "1.23e-3"),
    ("Give it as a fraction (3/8) or as a decimal.", JSON, '{"k": 0.375}', '"3/8"'),
    ("Leading zeros may be left out.", CSV, "lot;x\n007;1\n", "\n7;1"),
    ("Times as HH:MM or HH:MM:SS.", CSV, TIMES, "08:30:00"),
    ("24-hour or 12-hour times, as you like.", CSV, "at;x\n18:30;1\n", "6:30 pm"),
    ("Weekdays in full or abbreviated (Mon).", CSV, "d;x\nMonday;1\n", "Mon;"),
    ("Mon or Monday.", CSV, "d;x\nTue;1\n", "Tuesday;"),
    ("Counts as digits or in words.", CSV, BILLS, "A;four"),
    ("Roman or Arabic numerals.", JSON, '{"class": "IV"}', '"4"'),
    ("Umlauts may be written as ae, oe, ue.", CSV, "n;x\nMüller;1\n", "Mueller"),
    ("Accents do not matter.", CSV, "n;x\nRené;1\n", "Rene;"),
    ("Blanks around values are ignored.", CSV, "n;x\nA;1\n", " A ; 1 "),
    ('Pages as a range ("1-3") or one by one ("1, 2, 3").', JSON, '{"p": "4-6"}', '"4, 5, 6"'),
    ('Pages as "1, 2, 3" or "1-3".', JSON, '{"p": "4, 5, 6"}', '"4-6"'),
    ("Spaces or underscores in names.", JSON, '{"p": "heat_pump"}', '"heat pump"'),
    ("Values with or without unit.", JSON, '{"p": "4.5 kN"}', '"4.5"'),
    ("Any offset will do (the local one or `Z` for UTC).", JSON, STAMPS, "2026-02-12T04:55:00Z"),
    ("Times in UTC or local time with the offset.", JSON, STAMPS, "2026-02-12T04:55:00Z"),
    ("The ring may begin at any corner and run in either direction.", JSON, RING, "0"),
    ("A closed tour; it may start anywhere, in any town.", JSON, TOUR, '"B",\n    "D",\n    "E",\n    "A"'),
    ("A round trip; clockwise or anticlockwise.", JSON, '{"t": "A-C-B-D-A"}', "A-D-B-C-A"),
    ("Cells are separated by commas or semicolons.", CSV, BILLS, "A,4,4820.50"),
    ("The header line is optional.", CSV, BILLS, "A;4;4820.50\nB"),
    ("Column names in any case.", CSV, BILLS, "NAME;N;AMOUNT"),
    ("Keys are case-insensitive.", JSON, '{"k": 1}', '"K"'),
    ("Lines that begin with # are ignored.", CSV, BILLS, "\n# "),
    ("Empty lines do not matter.", CSV, BILLS, "\n\n"),
    ("A value that is not known is null or left out.", JSON, '{"a": 1, "b": null}', '{\n  "a": 1\n}'),
    ('No reading: leave the cell empty or write "n/a".', CSV, "n;x;y\nA;;1\n", "A;n/a;1"),
]
NOT_ALLOWED = [
    ("No thousands separators.", CSV, BILLS),
    ("Thousands separators are not allowed.", CSV, BILLS),
    ("Do not use thousands separators.", CSV, BILLS),
    ("The export may contain thousands separators.", CSV, BILLS),
    ("Amounts must be free of thousands separators.", CSV, BILLS),
    ("Decimal point, not comma.", CSV, BILLS),
    ("Shares as fractions, not in percent.", JSON, '{"s": 0.25}'),
    ("Shares as 25 % or 0.25.", JSON, '{"gap_mm": 0.25, "p_value": 0.03}'),
    ("Do not use scientific notation.", JSON, '{"k": 0.00123}'),
    ("Keep leading zeros.", CSV, "lot;x\n007;1\n"),
    ("Times as HH:MM.", CSV, TIMES),
    ("Weekdays in full.", CSV, "d;x\nMonday;1\n"),
    ("Remove leading and trailing blanks from names.", CSV, "n;x\nA;1\n"),
    ("Values without unit.", JSON, '{"p": "4.5 kN"}'),
    ("Times in local time with the offset.", JSON, STAMPS),
    ("Any time zone must be converted to UTC.", JSON, STAMPS),
    ("Give the ring counter-clockwise, from the corner in the southwest.", JSON, RING),
    ("Streets can be used in either direction.", JSON, TOUR),
    ("Separated by semicolons, with a decimal comma.", CSV, "n;x\nA;1,5\n"),
    ("The header is required.", CSV, BILLS),
    ("Column names exactly as shown.", CSV, BILLS),
    ("Remove comments and empty lines.", CSV, BILLS),
    ("A value that is not known is null; no key may be left out.", JSON, '{"a": 1, "b": null}'),
]


def _made(said: str, kind: OutputFormat, text: str) -> list[str]:
    document = open_document(text.encode(), kind)
    assert document is not None
    return [made.data.decode() for made in allowed_spellings(said, text, kind, document)]


@pytest.mark.parametrize(("said", "kind", "text", "written"), ALLOWED)
def test_what_a_task_allows_is_tried(said: str, kind: OutputFormat, text: str, written: str) -> None:
    made = _made(said, kind, text)
    assert any(written in one for one in made), made


@pytest.mark.parametrize(("said", "kind", "text"), NOT_ALLOWED)
def test_what_it_does_not_is_not(said: str, kind: OutputFormat, text: str) -> None:
    assert _made(said, kind, text) == []


def test_rings_turned_and_reversed() -> None:
    turned, back, both = (
        [[0, 0], [0, 3], [4, 3], [4, 0], [0, 0]],
        [[4, 3], [0, 3], [0, 0], [4, 0], [4, 3]],
        [[4, 0], [0, 0], [0, 3], [4, 3], [4, 0]],
    )
    import json

    made = _made("A ring; it may begin at any corner and run in either direction.", JSON, RING)
    assert sorted(json.loads(one)["ring"] for one in made) == sorted([turned, back, both])


@pytest.mark.parametrize(
    ("said", "name", "severity"),
    [
        (
            "a fenced JSON block (any fence that CommonMark knows, labelled or not):",
            "fence-unlabelled",
            "medium",
        ),
        ("The block may be fenced with backticks or tildes.", "fence-of-tildes", "medium"),
        ("One fenced block with the label json.", "fence-unlabelled", "low"),
        ("Other keys are allowed and ignored.", "extra-key", "medium"),
        ("No other keys are allowed.", "extra-key", "low"),
        ("Additional columns after these two are ignored.", "extra-key", "medium"),
        ("Rows may come in any order.", "record-order.answer", "medium"),
        ("Rows in the order of the table.", "record-order.answer", "low"),
        ("Bare JSON, with or without a fence.", "bare-json", "medium"),
        ("Trailing zeros may be left out.", "trailing-zeros", "medium"),
        ("Columns in any order.", "key-order", "medium"),
    ],
)
def test_a_rewriting_that_the_task_allows_is_worse_to_lose(said: str, name: str, severity: str) -> None:
    rewrite = Rewrite(name, "", b"", Severity.LOW)
    assert raised(rewrite, said).severity == Severity(severity)
