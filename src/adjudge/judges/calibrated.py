"""Which judges may be trusted with which criterion: what the newest calibrations in the ledger say.

A judge is (models, settings, samples, prompt, rubric) as one digest. It counts as calibrated for a criterion
only while the newest calibration of that very judge and criterion says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

CALIBRATION_KIND = "calibration"

Calibrated = frozenset[tuple[str, str]]
"""(judge, criterion)."""


def calibrated_criteria(ledger: Ledger) -> Calibrated:
    """Every judge with each criterion that it is calibrated for; nothing in a ledger without calibrations."""
    return frozenset(calibrations(ledger))


def calibrations(ledger: Ledger) -> dict[tuple[str, str], str]:
    """The same, with the key of the calibration that says so."""
    newest: dict[tuple[str, str], str | None] = {}
    for row in ledger.attached(CALIBRATION_KIND):
        passed = row.key if row.document["calibrated"] else None
        newest[row.document["judge"], row.document["criterion"]] = passed
    return {who: key for who, key in newest.items() if key is not None}
