"""Which judges may be trusted with which criterion: what the newest calibrations in the ledger say.

A judge is (models, settings, samples, prompt, rubric) as one digest. It counts as calibrated for a criterion
only while the newest calibration of that very judge and criterion says so: another rubric, model or prompt is
another judge, which nobody has calibrated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

CALIBRATION_KIND = "calibration"

Calibrated = frozenset[tuple[str, str]]
"""(judge, criterion)."""


class NewestCalibration(Struct, frozen=True):
    """What the last calibration of a judge and criterion found."""

    key: str
    calibrated: bool
    items: int
    lower_end: float | None
    """Of the agreement with people; None if it could not be told."""
    why_not: str | None


Calibrations = Mapping[tuple[str, str], NewestCalibration]
"""By (judge, criterion)."""


def calibrated_criteria(ledger: Ledger) -> Calibrated:
    """Every judge with each criterion that it is calibrated for; nothing in a ledger without calibrations."""
    return frozenset(who for who, found in newest_calibrations(ledger).items() if found.calibrated)


def newest_calibrations(ledger: Ledger) -> Calibrations:
    """The newest calibration of each judge and criterion, whatever it found."""
    return {
        (row.document["judge"], row.document["criterion"]): NewestCalibration(
            row.key,
            row.document["calibrated"],
            row.document["items"],
            row.document.get("lower_end"),
            row.document["why_not"],
        )
        for row in ledger.attached(CALIBRATION_KIND)
    }
