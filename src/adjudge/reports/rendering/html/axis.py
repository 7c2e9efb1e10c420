"""A linear axis for a chart: round ticks, and where a value lies between them, in percent."""

from __future__ import annotations

import math

from msgspec import Struct


class Axis(Struct, frozen=True):
    """From `low` to `high`; both are ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @property
    def labelled(self) -> tuple[float, ...]:
        """The ticks that have room for a number: from five on every other one, counted from the middle."""
        middle = len(self.ticks) // 2
        return self.ticks if len(self.ticks) < 5 else self.ticks[middle % 2 :: 2]

    def percent(self, value: float) -> float:
        """Where a value lies, 0 to 100; values outside lie at the ends."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 3)


def axis_to(highest: float, steps: int = 5) -> Axis:
    """An axis from zero that holds `highest`; from 0 to 1 where that is not above zero."""
    if not highest > 0:
        return Axis(0.0, 1.0, (0.0, 0.5, 1.0))
    rough = highest / steps
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough * (1 - 1e-9))
    count = math.ceil(highest / step - 1e-9)
    return Axis(0.0, step * count, tuple(step * at for at in range(count + 1)))


def axis_within(low: float, high: float) -> Axis:
    """An axis for rewards that uses the range there is: in steps of 0.05, 0.1 or 0.25, within 0 and 1."""
    for step in (0.05, 0.1, 0.25):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if 1 <= last - first <= 6:
            ticks = tuple(round(step * at, 2) for at in range(first, last + 1))
            return Axis(ticks[0], ticks[-1], ticks)
    return UNIT


def axis_around_zero(furthest: float) -> Axis:
    """An axis with zero in its middle that holds `furthest` on either side; to 0.1 at least."""
    right = axis_to(max(furthest, 0.1), 3)
    return Axis(-right.high, right.high, (*(-tick for tick in right.ticks[:0:-1]), *right.ticks))


UNIT = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
"""Rewards and shares."""
