"""p-values for a paired difference: sign flips, and McNemar's exact test where rewards are 0 or 1.

If two agents are the same, the difference on a task is as likely to be d as -d. So each cluster's sum of
differences (each task's, without clusters) is flipped at random, and p is the share of flips that end at
least as far from zero. Sums of zero flip to themselves and are left out. All flips are tried where there
are few; otherwise they are drawn under a seed; beyond some thousands the normal limit of the same
distribution is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.stats.draws import flipped_sums
from adjudge.stats.quantiles import coin_tail, normal_tail
from adjudge.stats.trial_table import FloatArray

EXACT_UP_TO = 14
NORMAL_BEYOND = 2000
DRAWS = 9999
COINS_UP_TO = 20_000
"""Discordant tasks that McNemar's test counts exactly."""


@dataclass(frozen=True)
class PValue:
    """A two-sided p-value and how it was made; `seed` where it was drawn."""

    value: float
    method: str
    seed: int | None = None


def sign_flip_p(sums: FloatArray, *, seed: int = 0, draws: int = DRAWS) -> PValue:
    """The two-sided p of a sum of symmetric terms. Nothing but zeros: every flip is as far out, p = 1."""
    terms = np.sort(np.abs(sums[sums != 0]))
    m = len(terms)
    observed = abs(math.fsum(sums.tolist()))
    # Equal sums reached in different orders differ by rounding; they are ties all the same.
    edge = observed - 1e-9 * float(terms.sum())
    if m <= EXACT_UP_TO:
        flips = np.zeros(1)
        for term in terms:
            flips = np.concatenate((flips - term, flips + term))
        return PValue(float(np.mean(np.abs(flips) >= edge)), f"sign flips, all 2^{m}")
    if m > NORMAL_BEYOND:
        error = math.sqrt(math.fsum((terms**2).tolist()))
        return PValue(2 * normal_tail(-observed / error), f"sign flips, normal limit of {m} terms")
    hits = sum(int(np.count_nonzero(np.abs(flipped) >= edge)) for flipped in flipped_sums(seed, draws, terms))
    return PValue((1 + hits) / (1 + draws), f"sign flips, {draws} drawn", seed)


def mcnemar_p(only_a: int, only_b: int) -> PValue:
    """The two-sided p that A alone and B alone pass equally often. No discordant task: p = 1."""
    discordant = only_a + only_b
    if discordant > COINS_UP_TO:
        z = -abs(only_a - only_b) / math.sqrt(discordant)
        return PValue(2 * normal_tail(z), f"McNemar, normal limit of {discordant} tasks")
    return PValue(min(1.0, 2 * coin_tail(min(only_a, only_b), discordant)), "McNemar, exact")
