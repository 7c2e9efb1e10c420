"""A mean difference between -1 and 1: what the sign flips show, and how far the mean may lie.

`flips.py` decides what is shown: its interval excludes zero exactly if p is at most 1 - level. Flips assume
that differences scatter evenly around their mean, which two equal agents do. They say too little about
losses that are rare but large: three losses in two hundred tasks, or none yet. So on the side on which
nothing is shown, the interval is at least as wide as a second one that knows of such losses. It takes gains
and losses apart, gives each the score interval of a mean, and puts them together again (MOVER: the method
of variance estimates recovery). `skew.py` lets it out further if the differences lean to one side. What is
shown without the second interval agreeing carries a caveat: it would not hold if a rare kind of task,
unseen so far, went the other way.

On the side that is shown, the end is at most what is left of the mean if tasks of an unseen kind, as many as
none seen allow, were ties. So differences that are equal, or nearly so, do not claim certainty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace

from adjudge.contracts import Interval
from adjudge.stats.means.bootstrap import cluster_sums
from adjudge.stats.means.errors import NO_SPREAD, effective_clusters, standard_error
from adjudge.stats.means.intervals import share_that_differs
from adjudge.stats.means.units import few_caveat, mean_of_units
from adjudge.stats.method import Method
from adjudge.stats.pairs.flips import FlipTest, flip_test
from adjudge.stats.pairs.skew import skewed_ends
from adjudge.stats.trial_table import Codes, FloatArray, IntArray, exact_mean

ENOUGH_DIFFERENCES = 20
"""Tasks, or clusters of equal size, from which on intervals of a difference cover what they promise."""


@dataclass(frozen=True, eq=False)
class DifferenceTest:
    """What two groups or more say about their mean difference, at any level."""

    values: FloatArray
    codes: IntArray | None
    value: float
    standard_error: float | None
    flips: FlipTest
    method: Method
    _cautious_ends: dict[float, tuple[float, float]] = field(default_factory=dict, repr=False)
    """By level; interval and caveats ask for the same ones."""

    @property
    def p(self) -> float:
        return self.flips.p

    def shows(self, level: float) -> int:
        """1 if the mean is shown to be above zero at this level, -1 if below, 0 if neither."""
        return self.flips.shows(level)

    def interval(self, level: float) -> Interval:
        """The interval at this level; it excludes zero exactly if `shows` is not 0.

        One at a higher level contains it: each part below only moves outwards as the level rises, and a side
        that is no longer shown passes zero.
        """
        low, high = self._cautious(level)
        flipped = self.flips.ends(level)
        shown = self.shows(level)
        least = self.value * (1 - share_that_differs(self.alike, level))
        wider = (
            min(flipped[0], least if shown > 0 else low),
            max(flipped[1], least if shown < 0 else high),
        )
        if not self.flips.rejects(level):
            how = f"gains and losses apart; {self.flips.groups} flips cannot reject anything at this level"
        else:
            how = self.flips.method.replace("sign flips", "sign flips inverted", 1)
            if wider != flipped:
                how += ", widened for rare differences"
        return Interval(low=wider[0], high=wider[1], level=level, method=how)

    @property
    def alike(self) -> float:
        """How many groups of equal size these weigh like."""
        return self.flips.groups if self.codes is None else effective_clusters(self.codes)

    def caveats(self, level: float) -> tuple[str, ...]:
        """What may make the interval at this level, or the claim read off it, untrue."""
        alike = self.alike
        few = few_caveat(alike, self.codes is not None, enough=ENOUGH_DIFFERENCES)
        shown = self.shows(level)
        low, high = self._cautious(level)
        if not shown or (low if shown > 0 else -high) > 0:
            return few
        unseen = 100 * (1 - (1 - level) ** (1 / alike))
        of = "" if self.codes is None else " clusters"
        return (
            f"this holds for tasks like these {self.flips.groups}{of}: up to {unseen:.0f} % of all tasks may "
            "be of a kind that is missing here, and could reverse it",
        )

    def _cautious(self, level: float) -> tuple[float, float]:
        if level not in self._cautious_ends:
            # As the flips do it: A - B and B - A then agree to the last digit.
            way = -1.0 if self.flips.mirrored else 1.0
            ends = cautious_ends(way * self.values, self.codes, level, self.method)
            self._cautious_ends[level] = ends if way > 0 else (-ends[1], -ends[0])
        return self._cautious_ends[level]


def cautious_ends(
    values: FloatArray, codes: IntArray | None, level: float, method: Method
) -> tuple[float, float]:
    """How far the mean may lie if a rare kind of task is lost or won in full.

    Gains and losses apart: each mean with its interval, put together by how they correlate; let out for a
    long tail. Two groups or more; everything if there are fewer.
    """
    gains, losses = np.maximum(values, 0.0), np.maximum(-values, 0.0)
    how = replace(method, level=level, interval="score")
    up, down = (mean_of_units(part, codes, method=how) for part in (gains, losses))
    if up.interval is None or down.interval is None:
        return -1.0, 1.0
    together = _correlation(gains - up.value, losses - down.value, codes)

    def apart(a: float, b: float) -> float:
        # Gains and losses of clusters may go together; neither may then hide how far the other could lie.
        return max(a, b, math.sqrt(max(0.0, a * a + b * b - 2 * together * a * b)))

    value = exact_mean(values)
    low = value - apart(up.value - up.interval.low, down.interval.high - down.value)
    high = value + apart(up.interval.high - up.value, down.value - down.interval.low)
    leaning = skewed_ends(values, value, codes, level)
    if leaning is not None:
        low, high = min(low, leaning[0]), max(high, leaning[1])
    return max(-1.0, low), min(1.0, high)


def difference_test(values: FloatArray, cluster: Codes | None, method: Method) -> DifferenceTest | None:
    """The test of these differences; None for fewer than two groups, which show nothing."""
    codes = None if cluster is None else np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    groups = len(values) if codes is None else int(codes.max()) + 1
    if groups < 2:
        return None
    mean = exact_mean(values)
    if codes is None:
        sums, sizes = values, np.ones(len(values))
    else:
        sums, sizes = cluster_sums(values, codes), np.bincount(codes).astype(np.float64)
    error, _ = standard_error(values, mean, codes)
    return DifferenceTest(values, codes, mean, error, flip_test(sums, sizes, method), method)


def _correlation(a: FloatArray, b: FloatArray, codes: IntArray | None) -> float:
    if codes is not None:
        a, b = cluster_sums(a, codes), cluster_sums(b, codes)
    squares = math.fsum((a**2).tolist()) * math.fsum((b**2).tolist())
    return math.fsum((a * b).tolist()) / math.sqrt(squares) if squares > NO_SPREAD**2 else 0.0
