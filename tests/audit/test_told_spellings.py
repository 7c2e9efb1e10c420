"""Other spellings are tried only where the task allows them of the answer, not of what it is made from."""

from __future__ import annotations

import pytest

from adjudge.audit.documents import open_document
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
