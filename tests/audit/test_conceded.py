"""What a task says does not count is not held against a verifier; words on its inputs allow nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Section, audit_task
from adjudge.audit.documents import (
    candidates_taken,
    free_order,
    granted_margins,
    open_document,
    part_counts,
    sign_is_free,
    unwrapped,
)
from adjudge.audit.probes import InputText, far_apart, has_every_name, turned
from adjudge.audit.sections.layouts.synonyms import told_synonyms
from adjudge.contracts import OutputFormat, Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import build
from audit.gallery.other_tongues import other

ROUTES = other(
    "routes-of-which-half-are-right",
    """Which are all the cheapest routes from `K` to `T` in `/workspace/fares.txt`? Write
`/workspace/routes.txt`,
a route on each line, stations with ` > ` between them. The score is the number of right routes over the
number of
routes that are right or given.""",
    ("routes.txt", "K > L > T\nK > M > T\nK > N > O > T\nK > P > Q > T\n"),
    python="""
        want = {("K", "L", "T"), ("K", "M", "T"), ("K", "N", "O", "T"), ("K", "P", "Q", "T")}
        lines = [line for line in body("/workspace/routes.txt").splitlines() if line.strip()]
        given = {tuple(part.strip().upper() for part in line.split(">")) for line in lines}
        out(len(given & want) / len(given | want))
        """,
)
"""Lines without a value: few sections can be run, so it is no exhibit of the gallery."""


@pytest.mark.parametrize(
    ("instruction", "free"),
    [
        ("Only the magnitude of each moment is compared, within 2 %.", True),
        ("Sign conventions differ, so signs are not looked at.", True),
        ("The sign of a moment does not matter.", True),
        ("Give the forces regardless of sign.", True),
        ("Either sign is accepted for the shear.", True),
        ("The sign convention is up to you.", True),
        ("The sign matters: compression is negative.", False),
        ("Do not give only the magnitudes.", False),
        ("Give the force with its sign.", False),
        ("A percent sign is ignored.", False),
    ],
)
def test_signs(instruction: str, free: bool) -> None:
    assert sign_is_free(instruction) is free


@pytest.mark.parametrize(
    ("instruction", "free"),
    [
        ("Only the last four digits of what you give are compared.", True),
        ("Of a code only the part before the dash counts.", True),
        ("Whatever follows the number is ignored.", True),
        ("The last four digits of the code are the year.", False),
        ("Give only the last four digits.", False),
        ("Anything before or after the JSON block is ignored.", False),
        ("Only the last JSON block counts.", False),
        ("Only orders after 1 May count, by their numbers.", False),
    ],
)
def test_parts_of_codes(instruction: str, free: bool) -> None:
    assert part_counts(instruction) is free


@pytest.mark.parametrize(
    ("instruction", "many"),
    [
        ("Give up to three candidates; it counts if the right one is among them.", 3),
        ("At most 5 guesses each; full marks if the answer is one of your guesses.", 5),
        ("Name up to three candidates for the post.", 0),
        ("List the parts that are broken, at most three.", 0),
    ],
)
def test_candidates(instruction: str, many: int) -> None:
    assert candidates_taken(instruction) == many


@pytest.mark.parametrize(
    ("instruction", "free"),
    [
        ("List them in any\norder.", True),
        ("The rows of the file are in any order. List the names sorted by age.", False),
        ("Rows may stand in any order. Give the events in chronological order.", False),
    ],
)
def test_order(instruction: str, free: bool) -> None:
    assert free_order(instruction) is free


@pytest.mark.parametrize(
    "instruction",
    [
        "In the export `USD` and `US$` mean the same. Give the currency.",
        "Flags are 1, true or yes. Write `yes` or `no`.",
        "Names are case-insensitive (BOB is Bob). Give them in\nlower case.",
    ],
)
def test_what_is_said_of_the_inputs(instruction: str) -> None:
    document = open_document(b'{"currency": "USD", "paid": "yes", "name": "bob"}', OutputFormat.JSON)
    assert document is not None
    assert list(told_synonyms(unwrapped(instruction), document)) == []


@pytest.mark.parametrize(
    "instruction",
    [
        "Customers who pay within 10 days of the invoice get a credit of 2 %.",
        "Right is what is not off by more than 2 % of the full scale.",
        "Right is what is within 0.5 dB of the reference.",
        "A letter is free if it arrives within 5 days of posting.",
    ],
)
def test_margins_of_other_things(instruction: str) -> None:
    assert granted_margins(instruction, "days", ["days", "credit_eur"]) == []
    assert granted_margins(instruction, "x_w", ["x_w"]) == []


def test_paragraphs_are_joined_and_examples_are_not() -> None:
    text = "Give the\nlist in any\norder.\n\n- one\n- two\n  more\n\n```json\n{\n1}\n```\n| a |\n| b |\nso"
    assert unwrapped(text) == (
        "Give the list in any order.\n\n- one\n- two more\n\n```json\n{\n1}\n```\n| a |\n| b |\nso"
    )


def test_groups_are_changed_and_not_renamed() -> None:
    """Of values that stand there several times, each other place is tried until the groups are others."""
    for change in (turned, far_apart):
        made = change(["l", "r", "l", "r", "l", "r"])
        assert sorted(made) == ["l", "l", "l", "r", "r", "r"]
        assert made not in (["l", "r", "l", "r", "l", "r"], ["r", "l", "r", "l", "r", "l"])
    assert turned([1, 2, 3]) == [2, 3, 1]
    assert turned([1, 2]) == [2, 1]


def test_all_names_are_given() -> None:
    rows = [{"file": "a.bin", "crc": "1"}, {"file": "b.bin", "crc": "2"}]
    assert has_every_name(rows, [InputText("", "The images a.bin and b.bin.")])
    assert not has_every_name(rows, [InputText("", "The images a.bin, b.bin and c.bin.")])
    meters = [{"meter": "M1"}, {"meter": "M2"}]
    assert has_every_name(meters, [InputText("m.csv", "meter,x\nM2,3\nM1,4\n")])
    assert not has_every_name(meters, [InputText("m.csv", "meter,x\nM2,3\nM1,4\nM3,1\n")])


def test_lines_that_are_no_sentences(sandbox: Sandbox, tmp_path: Path) -> None:
    """Half of the lines beside the right ones earn what their share leaves of the score, as the task says."""
    task = load_task(build(ROUTES, tmp_path))
    found = audit_task(task, sandbox, sections=[Section.DISCRIMINATION]).certificate.findings
    assert [f for f in found if f.severity.rank <= Severity.MEDIUM.rank] == []
