"""The exhibits of `gallery/memorised.py`: what only knows the examples earns nothing where more is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, audit_task
from adjudge.audit.documents import cases_shown, pairs_shown
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.judged import assert_found, assert_in_peace
from audit.gallery.memorised import MEMORISED, NOT_MEMORISED, PACKED_OTHERWISE


@pytest.mark.parametrize("exhibit", MEMORISED, ids=str)
def test_the_flaw_is_found(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_found(exhibit, sandbox, tmp_path)


@pytest.mark.parametrize("exhibit", NOT_MEMORISED, ids=str)
def test_its_neighbour_is_left_in_peace(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_in_peace(exhibit, sandbox, tmp_path)


def test_hidden_inputs_are_enough(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(PACKED_OTHERWISE, tmp_path))
    found = audit_task(task, sandbox, sections=[Section.EXPLOITS]).certificate.findings
    assert Cause.EXAMPLE not in {f.cause for f in found}


def test_valid_cases_are_told_by_the_words_around_them() -> None:
    told = """Write a regex. `AB-1` and `CD-22` match, but `ab-1` does not.

| right | wrong |
|---|---|
| K-9 | k-9 |

- `Q-1` is valid
- `Q-2` is invalid

Accepted are

    A1   ok
    A2
    B1   # not valid
"""
    valid = cases_shown(told).valid
    assert set(valid) >= {"AB-1", "CD-22", "K-9", "Q-1", "A1", "A2"}
    assert not {"ab-1", "k-9", "Q-2", "B1"} & set(valid)


@pytest.mark.parametrize(
    ("told", "pairs"),
    [
        ("| input | output |\n|---|---|\n| `3 4` | `7` |\n", [("3 4", "7")]),
        ('- `"abc"` -> `"cba"`\n', [("abc", "cba")]),
        ("Input:\n\n    1 2\n    3\n\nOutput:\n\n    6\n", [("1 2\n3", "6")]),
        ("```\n$ python3 solve.py 12 x\n44\n```\n", [("12 x", "44")]),
        ("| pump | flow |\n|---|---|\n| P1 | 7 |\n", []),
        ("From A -> B in two steps.\n", []),
    ],
)
def test_inputs_stand_beside_outputs(told: str, pairs: list[tuple[str, str]]) -> None:
    assert pairs_shown(told) == pairs
