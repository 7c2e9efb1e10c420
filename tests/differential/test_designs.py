"""Every format has the numbers that plain formulas give: a few designs; `make numbers` tries more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from differential.check import check
from differential.claims import claims
from differential.designs import draw


@pytest.mark.parametrize("seed", range(1, 11))
def test_every_format_says_what_plain_formulas_say(seed: int, tmp_path: Path) -> None:
    check(draw(seed), tmp_path)


def test_what_is_said_of_one_question_agrees() -> None:
    """Of a hundred designs; two plans are simulated."""
    for seed in range(1, 101):
        claims(draw(seed), np.random.default_rng(seed), plans=seed % 50 == 0)


def test_the_designs_hold_what_makes_numbers_difficult() -> None:
    """Of the first thousand: many agents, one task, clusters, unequal attempts, failures, unknown costs."""
    designs = [draw(seed) for seed in range(1, 1001)]
    attempts = [{len(a) for tasks in d.agents.values() for a in tasks.values()} for d in designs]
    everything = [
        [a for tasks in d.agents.values() for found in tasks.values() for a in found] for d in designs
    ]
    assert {1, 2, 40} <= {len(d.agents) for d in designs}
    assert sum(d.clusters is not None for d in designs) > 200
    assert sum(len(found) > 1 for found in attempts) > 200
    assert sum(any(a.reward is None for a in found) for found in everything) > 200
    assert sum(all(a.reward is None for a in found) for found in everything) > 10
    assert sum(any(a.cost is None for a in found) for found in everything) > 200
