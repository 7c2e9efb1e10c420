"""No false alarm: a sound verifier's audit finds nothing of high severity, whatever its habits."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.allowed_words import ALLOWED_AND_KEPT
from audit.gallery.as_allowed import AS_ALLOWED
from audit.gallery.beside import BESIDE_SOUND
from audit.gallery.changed_inputs import REST_COMPARED
from audit.gallery.collected import COLLECTED_SOUND
from audit.gallery.conceded import CONCEDED
from audit.gallery.consistent_values import CONSISTENT_SOUND
from audit.gallery.covering import NOT_COVERING
from audit.gallery.drawn_bounds import AS_SAID
from audit.gallery.eighth_hands import EIGHTH_SOUND
from audit.gallery.either_way import ONE_WAY
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.fifth_hands import FIFTH_SOUND
from audit.gallery.foreseen import FORESEEN_SOUND
from audit.gallery.fourth_hands import FOURTH_SOUND
from audit.gallery.granted_times import TIMES_KEPT
from audit.gallery.granted_words import GRANTS_KEPT
from audit.gallery.in_force import IN_FORCE_SOUND
from audit.gallery.laid_out import LAID_OUT_SOUND
from audit.gallery.left_open import NOTHING_LEFT_OPEN
from audit.gallery.many_files import MANY_FILES_SOUND
from audit.gallery.never_said import NEVER_SAID_SOUND
from audit.gallery.ninth_hands import NINTH_SOUND
from audit.gallery.ninth_pairs import NINTH_NEIGHBOURS
from audit.gallery.other_tongues import OTHER_SOUND
from audit.gallery.outsiders import OUTSIDERS_SOUND
from audit.gallery.own_scripts import OWN_SCRIPTS_SOUND
from audit.gallery.own_terms import WITHOUT_TERMS
from audit.gallery.plain_decimals import CELLS_AS_NUMBERS
from audit.gallery.queries import QUERIES_SOUND
from audit.gallery.records import STRICT
from audit.gallery.remarks import REMARKS_SOUND
from audit.gallery.said_otherwise import SAID_OTHERWISE_SOUND
from audit.gallery.seventh_hands import SEVENTH_SOUND
from audit.gallery.sixth_sound import SIXTH_SOUND
from audit.gallery.sound import SOUND
from audit.gallery.spellings import ACCEPTED
from audit.gallery.stated_margins import KEPT
from audit.gallery.too_kind import KIND_ENOUGH

QUESTIONED = {
    "notes-are-ignored": "a field whose right value is the 0 that the instruction shows",
    "zeros-are-right": "most of the right answer is what the instruction shows",
    "bounds-are-meant": "zero is within one of its bounds",
    "most-pumps-are-worn": "a list of all pumps earns nine tenths",
    "reference-in-a-file": "a link to that file would be followed, where a runner lets one through",
}
"""Sound, but with something that an author should hear of: medium at most."""


@pytest.mark.parametrize(
    "exhibit",
    [
        pytest.param(exhibit, id=exhibit.name, marks=() if number % 18 == 0 else pytest.mark.gallery)
        for number, exhibit in enumerate(
            [
                *SOUND,
                *OWN_SCRIPTS_SOUND,
                *FORESEEN_SOUND,
                *OTHER_SOUND,
                *FOURTH_SOUND,
                *FIFTH_SOUND,
                *WITHOUT_TERMS,
                *QUERIES_SOUND,
                *OUTSIDERS_SOUND,
                *ACCEPTED,
                *KIND_ENOUGH,
                *STRICT,
                *COLLECTED_SOUND,
                *SIXTH_SOUND,
                *SEVENTH_SOUND,
                *NINTH_SOUND,
                *EIGHTH_SOUND,
                *NINTH_NEIGHBOURS,
                *LAID_OUT_SOUND,
                *NOT_COVERING,
                *NOTHING_LEFT_OPEN,
                *BESIDE_SOUND,
                *IN_FORCE_SOUND,
                *REMARKS_SOUND,
                *KEPT,
                *ALLOWED_AND_KEPT,
                *CONSISTENT_SOUND,
                *SAID_OTHERWISE_SOUND,
                *NEVER_SAID_SOUND,
                *AS_SAID,
                *CELLS_AS_NUMBERS,
                *REST_COMPARED,
                *AS_ALLOWED,
                *CONCEDED,
                *MANY_FILES_SOUND,
                *ONE_WAY,
                *GRANTS_KEPT,
                *TIMES_KEPT,
            ]
        )
    ],
)
def test_nothing_is_held_against_it(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    """All sections are run; nothing high is found, and nothing medium without a reason."""
    certificate = audit_task(load_task(build(exhibit, tmp_path)), sandbox).certificate
    worst = Severity.HIGH if exhibit.name in QUESTIONED else Severity.MEDIUM
    assert [f for f in certificate.findings if f.severity.rank <= worst.rank] == []
    assert [report.section for report in certificate.sections] == list(Section)
    assert certificate.deterministic is True
    assert certificate.discrimination is not None
    assert certificate.discrimination >= 0.7
