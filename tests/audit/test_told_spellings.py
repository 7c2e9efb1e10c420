"""Other spellings are tried only where the task allows them of the answer, not of what it is made from."""

from __future__ import annotations

import pytest

from adjudge.audit.documents import open_document
from adjudge.audit.sections.layouts.dates import allowed_dates
from adjudge.audit.sections.layouts.synonyms import told_synonyms
from adjudge.audit.sections.layouts.told import told_spellings
from adjudge.contracts import OutputFormat

ANSWER = b'{"status": "pass", "at": "2024-05-01T10:00:00Z"}'


@pytest.mark.parametrize(
    ("instruction", "tried"),
    [
        ("Give the status; upper or lower case is fine.", True),
        ("The status is not case-sensitive.", True),
        ("Flag keys whose path contains `Run` (case-insensitive). Give the status.", False),
        ("Sort the names ignoring case.\nGive the status.", False),
        ("Sort the names ignoring case.\nThe case of the status does not matter: case-insensitive.", True),
    ],
)
def test_case_that_does_not_matter(instruction: str, tried: bool) -> None:
    document = open_document(ANSWER, OutputFormat.JSON)
    assert document is not None
    assert ("told-case" in {made.name for made in told_synonyms(instruction, document)}) is tried


@pytest.mark.parametrize(
    ("instruction", "tried"),
    [
        ("All times in ISO 8601.", True),
        ("All times in ISO 8601: `YYYY-MM-DDTHH:MM:SSZ`.", False),
        ("All times in ISO 8601 (yyyy-MM-dd'T'HH:mm:ss'Z').", False),
    ],
)
def test_the_offset_of_a_moment(instruction: str, tried: bool) -> None:
    document = open_document(ANSWER, OutputFormat.JSON)
    assert document is not None
    made = told_spellings(instruction, ANSWER.decode(), OutputFormat.JSON, document)
    assert ("told-offset" in {one.name for one in made}) is tried


@pytest.mark.parametrize(
    ("instruction", "written"),
    [
        ("One decimal place is enough.", b"f: 1591.5\n"),
        ("Give two decimals; three decimals will do as well.", b"f: 1591.549\n"),
        ("Give it with two or more decimals.", b"f: 1591.55\n"),
        ("Give it to one decimal.", None),
    ],
)
def test_as_many_decimals_as_the_task_says_are_enough(instruction: str, written: bytes | None) -> None:
    answer = b"f: 1591.54943\ng: 2.5\nh: 3\n"
    document = open_document(answer, OutputFormat.TEXT)
    assert document is not None
    made = told_spellings(instruction, answer.decode(), OutputFormat.TEXT, document)
    found = [one.data for one in made if one.name == "told-decimals"]
    assert [data.partition(b"\n")[0] + b"\n" for data in found] == ([] if written is None else [written])


@pytest.mark.parametrize(
    ("instruction", "answer", "written"),
    [
        ("Either `YYYY-MM-DD` or `DD.MM.YYYY`.", "ends 2024-02-29", "ends 29.02.2024"),
        ("Dates as DD/MM/YYYY or YYYY-MM-DD.", "29/02/2024,1", "2024-02-29,1"),
        ("Dates as YYYY-MM-DD.", "2024-02-29", None),
        ("Not DD.MM.YYYY. Dates as YYYY-MM-DD.", "2024-02-29", None),
        ("Either `YYYY-MM-DD` or `DD.MM.YYYY`.", "version 12024-02-291", None),
    ],
)
def test_dates_in_each_layout_that_a_sentence_allows(
    instruction: str, answer: str, written: str | None
) -> None:
    assert [made.data.decode() for made in allowed_dates(instruction, answer)] == (
        [] if written is None else [written]
    )


def test_a_word_that_may_be_written_for_another() -> None:
    document = open_document(b'{"a": "Medium"}', OutputFormat.JSON)
    assert document is not None
    [made] = told_synonyms("`Low`, `Medium`, `High`; `Med` may be written for `Medium`.", document)
    assert b'"Med"' in made.data


def test_a_letter_for_an_option() -> None:
    """`yes` or `no`; `y` and `n` will do as well."""
    said = "`taxed` is `yes` or `no`; `y` and `n` will do as well."
    document = open_document(b'{"a": "yes", "b": "no"}', OutputFormat.JSON)
    assert document is not None
    [made] = told_synonyms(said, document)
    assert b'"y"' in made.data
    assert b'"n"' in made.data
