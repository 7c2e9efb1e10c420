"""The audit finds the flaw of every exhibit: its cause, in its section, at least as bad as stated."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from adjudge.audit import audit_task
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.flawed import FLAWED


def _marked() -> list[ParameterSet]:
    """The first exhibit of every second cause is always tried; the others are the long part."""
    first = {exhibit.cause: exhibit for exhibit in reversed(FLAWED)}
    always = {first[cause].name for cause in sorted(first, key=str)[::2]}
    return [
        pytest.param(exhibit, id=exhibit.name, marks=() if exhibit.name in always else (pytest.mark.gallery,))
        for exhibit in FLAWED
    ]


@pytest.mark.parametrize("exhibit", _marked())
def test_the_flaw_is_found(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    """Only the flaw's own section is run; the cause that it must name stands beside the flaw."""
    assert exhibit.section is not None
    task = load_task(build(exhibit, tmp_path))
    audit = audit_task(task, sandbox, sections=[exhibit.section])
    found = [f for f in audit.certificate.findings if f.cause == exhibit.cause]
    assert found, [f"{f.severity}: {f.cause}: {f.title}" for f in audit.certificate.findings]
    assert found[0].severity.rank <= exhibit.severity.rank, found[0]
    if found[0].evidence is not None:
        assert found[0].evidence in audit.evidence


def test_there_are_enough_flaws() -> None:
    """The names are unique, and each exhibit says what must be found."""
    assert len({exhibit.name for exhibit in FLAWED}) == len(FLAWED) >= 120
    assert all(exhibit.cause for exhibit in FLAWED)
