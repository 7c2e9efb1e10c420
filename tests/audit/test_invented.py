"""Answers that are made up or copied out of the task earn where only the form is looked at, not elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, audit_task
from adjudge.audit.sections.attacks.own_tests import hollow_test
from adjudge.audit.sections.invented.drafts import placeholders_filled
from adjudge.audit.sections.invented.exemplars import exemplar
from adjudge.audit.sections.invented.rules import numbers_within, read_rules
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.invented import COMPARED, PARSED, TOLD
from audit.gallery.patterned import PATTERNED_KEPT
from audit.gallery.rewritten import KEPT, OF_ITS_OWN


@pytest.mark.parametrize("exhibit", [*COMPARED, *PARSED, *KEPT, *PATTERNED_KEPT], ids=str)
def test_what_is_compared_is_not_earned(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    """The same tasks, whose verifiers look at values or say that any will do, stay clean."""
    assert exhibit.section is not None
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[exhibit.section]).certificate
    assert [f for f in certificate.findings if f.severity.rank <= Severity.LOW.rank] == []


def test_tests_of_the_verifiers_own_are_not_rewritten(sandbox: Sandbox, tmp_path: Path) -> None:
    """Where the verifier brings its tests along, those of the workspace earn nothing (what else is found
    there is a flaw of another kind: it imports the program)."""
    [exhibit] = OF_ITS_OWN
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.EXPLOITS]).certificate
    assert all(f.cause != Cause.SIDE_FILE for f in certificate.findings)


def test_a_hollow_test_keeps_its_names() -> None:
    """Classes and functions of tests are there, with nothing in them, and nothing else is."""
    text = "import x\nclass TestA(unittest.TestCase):\n    def test_b(self):\n        assert x.y\n"
    made = hollow_test(f"{text}@mark(3)\ndef test_c(fixture):\n    assert fixture\ndef help(): ...\n", ".py")
    assert "class TestA(unittest.TestCase):\n\n    def test_b(self):\n        pass" in made
    assert "def test_c():\n    pass" in made
    assert not [word for word in ("import x", "help", "assert") if word in made]


def test_a_token_that_is_told_is_no_high_finding(sandbox: Sandbox, tmp_path: Path) -> None:
    """The instruction holds the right answer and cannot help it: medium, and the text to be copied is low."""
    [exhibit] = TOLD
    folder = build(exhibit, tmp_path)
    (folder / "goldens/pass").mkdir(parents=True)
    (folder / "goldens/pass/token.txt").write_text("LEVELS-SEEN-41\n")
    certificate = audit_task(load_task(folder), sandbox, sections=[Section.TRIVIAL]).certificate
    assert [f for f in certificate.findings if f.severity is Severity.HIGH] == []
    assert any(f.cause == Cause.QUOTED for f in certificate.findings)


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ('{"n": <number>, "who": "<name>"}', {"n": 1, "who": "name"}),
        ('{"items": ["a", "b", ...], // all of them\n "more": true,}', {"items": ["a", "b"], "more": True}),
        ('{"ratio": float, "word": string}', {"ratio": 1, "word": "invented"}),
        ("[timestamp] started", None),
    ],
)
def test_an_example_with_placeholders_is_read(shown: str, value: object) -> None:
    """What stands for a value becomes one; what is no JSON even so is none."""
    assert placeholders_filled(shown) == value


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"ATTACK\s+HID\s+(?:STORAGE|DISK)", "ATTACK HID STORAGE"),
        (r"^port\s*=\s*(\d{2,4})$", "port=11"),
        (r"[^\s:]+: (?P<n>\d+)", "x: 1"),
        (r"(a|b)\1", "aa"),
        (r"x{3,", "x{3,"),
        (r"(?<!a)(", None),
    ],
)
def test_a_pattern_has_an_exemplar(pattern: str, text: str | None) -> None:
    """The shortest text that it finds; none for what is no pattern."""
    assert exemplar(pattern) == text


def test_bounds_are_read_by_field_and_references_are_not(tmp_path: Path) -> None:
    """Bounds of either polarity, members, lengths and lines; a value by itself is left out."""
    source = """
def test_one(data):
    share = float(data["share"])
    assert 0 <= share <= 1 and data["total"] == 417
    if data.get("count") < 3 or len(data["names"]) != 5:
        raise ValueError("no")
    for name in data["names"]:
        assert name in {"ab", "cd"}
def test_two(text):
    lines = text.split("\\n")
    value = float(lines[2].replace("x:", "").strip())
    assert value > 45
"""
    (tmp_path / "check.py").write_text(source)
    rules = read_rules(tmp_path)
    assert rules.of("share").tests == [(">=", 0.0), ("<=", 1.0)]
    assert rules.of("count").tests == [(">=", 3.0)]
    assert rules.of("names").lengths == [("==", 5.0)]
    assert rules.of("names[]").choices == ["ab", "cd"]
    assert rules.of("#2").tests == [(">", 45.0)]
    assert rules.of("total").tests == []


def test_numbers_within_bounds_are_plain_ones_first() -> None:
    """The wish if it fits; else the nearest plain number, never below zero without need."""
    assert numbers_within([(">=", 0), ("<=", 1)], [0.74], whole=False)[0] == 0.74
    assert numbers_within([(">", 45), ("<=", 300)], [7], whole=True)[0] == 50
    assert numbers_within([("<", 0.3)], [0.5], whole=False)[0] > 0
    assert numbers_within([("<", -4)], [1], whole=True)[0] < -4
