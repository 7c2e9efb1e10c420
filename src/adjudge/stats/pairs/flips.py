"""Sign flips, and the interval that inverts them: the one test behind every claim about a difference.

If two agents are the same, the difference on a task is as likely to be d as -d. So the differences (of whole
clusters, if there are any) are flipped at random, and p is the share of flips that end at least as far out.
Taken of the differences minus theta, the same test asks whether their mean is theta. Flipping some groups
leaves the sum as far out exactly if the mean over those groups is theta or less. So everything follows from
one list: the means over all subsets of the groups. The share of them up to theta is the one-sided p of "the
mean is theta or less", and the interval lies between two of them (Hartigan's typical values). Interval and p
cannot contradict each other, at any level.

All subsets are tried if there are few groups. Otherwise they are drawn under a seed, some evenly and some so
that they lean towards either tail, and weighted by how likely they were to be drawn (importance sampling).
So a p far below one over the number of draws is still known to a few percent, and the test stays valid,
because the subset that flips nothing always counts (Harrison 2012). No p is below what the design can reach,
one over the number of flips. Beyond some thousands of groups the normal limit is used.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from adjudge.stats.means.draws import subset_sums
from adjudge.stats.means.quantiles import coin_tail, normal_quantile, normal_tail, steady
from adjudge.stats.method import Method
from adjudge.stats.trial_table import FloatArray

EXACT_UP_TO = 13
"""Groups of which all subsets are tried."""
NORMAL_BEYOND = 2000
DRAWS = 5000
TIE = 1e-12
"""Means closer than this are equal: sums reached in different orders differ by rounding."""
LEANS = (2.2, 4.2)
"""How many standard errors out the leaning draws aim at, on either side."""


class SubsetMeans(Struct, frozen=True, eq=False):
    """The means over subsets of the groups, sorted; what each counts; and what the empty subset counts."""

    means: FloatArray
    weights: FloatArray
    empty: float

    def up_to(self, theta: float) -> float:
        """The share of subsets, the empty one included, whose mean is theta or less."""
        return min(1.0, self.empty + float(self.weights[self.means <= theta + TIE].sum()))

    def down_to(self, theta: float) -> float:
        """The share whose mean is theta or more, the empty one included here too."""
        return min(1.0, self.empty + float(self.weights[self.means >= theta - TIE].sum()))

    def ends(self, tail: float) -> tuple[float, float]:
        """The smallest and the largest theta that are not rejected with this probability in each tail."""
        from_below = self.empty + np.cumsum(self.weights)
        from_above = self.empty + np.cumsum(self.weights[::-1])
        last = len(self.means) - 1
        low = min(int(np.searchsorted(from_below, tail + TIE, side="right")), last)
        high = min(int(np.searchsorted(from_above, tail + TIE, side="right")), last)
        return float(self.means[low]), float(self.means[last - high])


class NormalLimit(Struct, frozen=True, eq=False):
    """What the same shares tend to with many groups: a normal tail at sum / sqrt(sum of squares)."""

    sums: FloatArray
    sizes: FloatArray

    def up_to(self, theta: float) -> float:
        return normal_tail(-self._errors_out(theta))

    def down_to(self, theta: float) -> float:
        return normal_tail(self._errors_out(theta))

    def _errors_out(self, theta: float) -> float:
        left = self.sums - theta * self.sizes
        return math.fsum(left.tolist()) / math.sqrt(math.fsum((left**2).tolist()))

    def ends(self, tail: float) -> tuple[float, float]:
        found = _aim(self.sums, self.sizes, -normal_quantile(tail))
        return found if found is not None else (-1.0, 1.0)


class FlipTest(Struct, frozen=True, eq=False):
    """The test of a mean difference on these groups; `p` is that of a mean of zero."""

    mean: float
    groups: int
    shares: SubsetMeans | NormalLimit
    below: float
    """One-sided p of "the mean is zero or less"; `above` of "zero or more"."""
    above: float
    method: str
    """How the shares were made; `p_method` how those at zero were, which may be known exactly."""
    p_method: str
    seed: int | None
    mirrored: bool
    """Were the differences negated first? Then A - B and B - A are drawn alike."""
    symmetric: bool
    """Are the differences those of B - A as well? Then draws must not make a difference between the ends."""
    nearest: float
    """How close to zero an end may come that excludes zero."""

    @property
    def p(self) -> float:
        return min(1.0, 2 * min(self.below, self.above))

    @property
    def smallest_p(self) -> float:
        """What p would be if every group pointed the same way."""
        return math.ldexp(1.0, 1 - min(self.groups, 1000))

    def shows(self, level: float) -> int:
        """1 if the mean is shown to be above zero at this level, -1 if below, 0 if neither."""
        if self.p > 1 - level + TIE:
            return 0
        return 1 if self.below < self.above else -1

    def rejects(self, level: float) -> bool:
        """Could so many groups reject anything at this level?"""
        return self.smallest_p <= 1 - level + TIE

    def ends(self, level: float) -> tuple[float, float]:
        """The interval at this level; it excludes zero exactly if `shows` is not 0, and grows with the level.

        From the smallest to the largest group, and with zero, if so few groups can reject nothing.
        """
        low, high = self.shares.ends((1 - level) / 2)
        if self.mirrored:
            low, high = -high, -low
        if self.symmetric:
            low, high = min(low, -high), max(high, -low)
        low, high = min(low, self.mean), max(high, self.mean)
        shown = self.shows(level)
        # p at zero may be exact if the ends are drawn: then the ends follow p.
        low = max(low, self.nearest) if shown > 0 else min(low, 0.0)
        high = min(high, -self.nearest) if shown < 0 else max(high, 0.0)
        return low, high


def flip_test(sums: FloatArray, sizes: FloatArray, method: Method) -> FlipTest:
    """The test of two groups or more, from their sums of differences and their numbers of tasks."""
    mean = math.fsum(sums.tolist()) / math.fsum(sizes.tolist())
    order = np.lexsort((sizes, sums))
    backwards = np.lexsort((sizes, -sums))
    one_way, other_way = (*sums[order], *sizes[order]), (*-sums[backwards], *sizes[backwards])
    symmetric = mean == 0 and one_way == other_way
    mirrored = mean < 0 or (mean == 0 and other_way > one_way)
    sums, sizes = (-sums[backwards], sizes[backwards]) if mirrored else (sums[order], sizes[order])
    groups = len(sums)
    seed = None
    shares: SubsetMeans | NormalLimit
    if groups <= EXACT_UP_TO:
        shares, how = _all_subsets(sums, sizes), f"sign flips, all 2^{groups}"
    elif groups > NORMAL_BEYOND:
        shares, how = NormalLimit(sums, sizes), f"sign flips, normal limit of {groups} terms"
    else:
        draws, seed = method.draws(DRAWS), method.seed
        shares, how = _drawn_subsets(sums, sizes, seed, draws), f"sign flips, {draws} drawn"
    p_method = how
    known = _at_zero(sums)
    if known is not None:
        below, above, p_method = *known, f"sign flips, all 2^{np.count_nonzero(sums)}"
    else:
        least = math.ldexp(1.0, -min(int(np.count_nonzero(sums)), 1000))
        below = steady(max(least, shares.up_to(0.0)))
        # The mean over a subset or that over the rest lies at the mean or above it, so half of them do.
        above = steady(max(0.5, shares.down_to(0.0)))
        if abs(mean) <= TIE:
            below = max(0.5, below)
    if mirrored:
        below, above = above, below
    differing = np.abs(sums[np.abs(sums) > TIE])
    nearest = min(abs(mean), float(differing.min() / sizes.sum())) if len(differing) else 0.0
    if isinstance(shares, SubsetMeans):
        nearest = min(nearest, float(shares.means[shares.means > 0].min(initial=1.0)))
    return FlipTest(mean, groups, shares, below, above, how, p_method, seed, mirrored, symmetric, nearest)


def _at_zero(sums: FloatArray) -> tuple[float, float] | None:
    """Both one-sided p of a mean of zero, exactly; None if that would take too many flips.

    Groups without a difference flip to themselves and do not count. If all others differ by the same amount,
    as with rewards of 0 or 1, the flips are throws of a fair coin (McNemar's exact test).
    """
    terms = sums[np.abs(sums) > TIE]
    if not len(terms):
        return 1.0, 1.0
    lost = int((terms < 0).sum())
    won = len(terms) - lost
    size = np.abs(terms)
    if size.max() - size.min() <= TIE:
        fewer = coin_tail(min(won, lost), len(terms))
        rest = min(1.0, 1 - fewer + _coin_point(min(won, lost), len(terms)))
        return (fewer, rest) if won >= lost else (rest, fewer)
    if len(terms) > EXACT_UP_TO:
        return None
    flipped = np.zeros(1)
    for term in terms:
        flipped = np.concatenate((flipped, flipped + term))
    edge = TIE * float(size.sum())
    return float(np.mean(flipped <= edge)), float(np.mean(flipped >= -edge))


def _coin_point(k: int, n: int) -> float:
    return coin_tail(k, n) - (coin_tail(k - 1, n) if k else 0.0)


def _all_subsets(sums: FloatArray, sizes: FloatArray) -> SubsetMeans:
    total, size = np.zeros(1), np.zeros(1)
    for term, number in zip(sums.tolist(), sizes.tolist(), strict=True):
        total, size = np.concatenate((total, total + term)), np.concatenate((size, size + number))
    means = np.sort((total[1:] / size[1:]).round(12))
    share = math.ldexp(1.0, -len(sums))
    return SubsetMeans(means, np.full(len(means), share), share)


def _drawn_subsets(sums: FloatArray, sizes: FloatArray, seed: int, draws: int) -> SubsetMeans:
    """Subsets drawn evenly and leaning, in equal parts; each counts even chance over the chance it had."""
    leans = [(0.0, 0.0), *_leans(sums, sizes)]
    columns = np.stack((sums, sizes), axis=1)
    parts: list[FloatArray] = []
    none: list[float] = []
    for kind, (theta, tilt) in enumerate(leans):
        chances = 1 / (1 + np.exp(tilt * (sums - theta * sizes)))
        # The log chance of the empty subset, over the even one.
        none.append(float(np.log(2 * (1 - chances)).sum()))
        parts += subset_sums((seed, kind), -(-draws // len(leans)), chances, columns)
    total, size = np.concatenate(parts).T
    # The log chance of each subset under each lean, over the even one.
    log_ratio = np.array(
        [start - tilt * (total - theta * size) for (theta, tilt), start in zip(leans, none, strict=True)]
    )
    top = log_ratio.max(axis=0)
    weights = 1 / (np.exp(log_ratio - top).mean(axis=0) * np.exp(top))
    count = len(total) + 1
    filled = size > 0
    empty = (1 / float(np.exp(none).mean()) + float(weights[~filled].sum())) / count
    means = (total[filled] / size[filled]).round(12)
    order = np.lexsort((weights[filled], means))
    return SubsetMeans(means[order], weights[filled][order] / count, empty)


def _leans(sums: FloatArray, sizes: FloatArray) -> list[tuple[float, float]]:
    """(theta, tilt) of the draws whose subset means fall around theta, `LEANS` errors out on either side.

    A subset's mean is theta or less exactly if its terms e = sum - theta * size add up to zero or less. The
    chances 1/(1 + exp(tilt * e)) with tilt = 2 sum(e)/sum(e²) make their expected sum about zero.
    """
    most = 0.9 * math.sqrt(float(sizes.sum() ** 2 / (sizes**2).sum()))
    found = []
    for lean in sorted({min(lean, most) for lean in LEANS}):
        for theta in _aim(sums, sizes, lean) or ():
            terms = sums - theta * sizes
            squares = float((terms**2).sum())
            if squares > 0:
                found.append((theta, steady(2 * float(terms.sum()) / squares)))
    return found


def _aim(sums: FloatArray, sizes: FloatArray, z: float) -> tuple[float, float] | None:
    """The two theta with sum(e)² = z² sum(e²), where e = sum - theta * size; None if there are none."""
    total, count = math.fsum(sums.tolist()), math.fsum(sizes.tolist())
    ss, sn, nn = (math.fsum(x.tolist()) for x in (sums**2, sums * sizes, sizes**2))
    a, b, c = count**2 - z * z * nn, total * count - z * z * sn, total**2 - z * z * ss
    root = b * b - a * c
    if a <= 0:
        return None
    half = math.sqrt(max(0.0, root))  # below zero by rounding alone, if there is no spread
    return steady((b - half) / a), steady((b + half) / a)
