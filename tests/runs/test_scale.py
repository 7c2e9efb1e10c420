"""The simulation behind the note on scale: one writer, many workers."""

from __future__ import annotations

import pytest
from benchmarks.scale import BATCH, MOST_HELD, simulate

from adjudge.runs import recorder

ROW = 70e-6


def test_the_simulation_holds_what_the_recorder_holds() -> None:
    assert (BATCH, MOST_HELD) == (recorder.MOST_AT_ONCE, recorder.MOST_HELD)


def test_few_cores_never_wait_for_the_writer() -> None:
    found = simulate(2, 0.02, row=ROW, overhead=0.001, lasts=60)
    assert found.per_second == pytest.approx(100, rel=0.1)
    assert found.cores_busy > 0.95


def test_many_quick_verifiers_are_held_to_what_one_writer_can_do() -> None:
    """A full batch of 1000 rows takes 1 ms and 70 ms: 14,085 per second, however many cores there are."""
    found = simulate(10_000, 0.02, row=ROW, overhead=0.001, lasts=60)
    assert found.per_second == pytest.approx(1000 / 0.071, rel=0.02)
    assert found.cores_busy < 0.05


def test_a_far_database_costs_its_round_trips() -> None:
    """1000 rows in 400 ms and 70 ms."""
    found = simulate(10_000, 1.0, row=ROW, overhead=0.4, lasts=60)
    assert found.per_second == pytest.approx(1000 / 0.47, rel=0.03)
