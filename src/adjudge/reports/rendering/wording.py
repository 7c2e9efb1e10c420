"""Numbers as people read them: one way to write a reward, an interval, a p-value, a count.

Terminal, Markdown and HTML all call this module, so a number looks the same wherever it is read. An
undefined number is a word and a reason, never 0.0 and never `nan`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.contracts import Interval
from adjudge.stats import Bounds, Coverage, Estimate

UNDEFINED = "undefined"
NOT_KNOWN = "not known"
NO_DIFFERENCE = 1e-9
"""Below, a difference is what rounding leaves."""


def number(value: float | None) -> str:
    """A reward, a share, an agreement: three decimals."""
    return UNDEFINED if value is None else f"{value + 0.0:.3f}"


def signed(value: float | None) -> str:
    """A difference: three decimals and its sign; one digit more than zeros if it would look like none."""
    if value is None:
        return UNDEFINED
    if NO_DIFFERENCE < abs(value) < 0.0005:
        return f"{value:+.{1 - math.floor(math.log10(abs(value)))}f}".rstrip("0")
    return f"{value + 0.0:+.3f}"


def interval(found: Interval | None, *, sign: bool = False) -> str:
    """`[0.650, 0.780]`; empty for none."""
    if found is None:
        return ""
    write = signed if sign else number
    return f"[{write(found.low)}, {write(found.high)}]"


def estimate(found: Estimate, *, sign: bool = False) -> str:
    """`0.720 [0.650, 0.780]`; without an interval the number alone; without a number `undefined`."""
    write = signed if sign else number
    return f"{write(found.value)} {interval(found.interval, sign=sign)}".rstrip()


def scored(found: Coverage | None) -> str:
    """`180 of 200`; empty where nothing is known of the trials."""
    return "" if found is None else f"{found.scored:,} of {found.trials:,}"


def coverage(found: Coverage) -> list[str]:
    """`180 of 200 usable`, `17 unparseable`, `3 verifier failures`: the last two where there are any."""
    parts = [f"{scored(found)} usable"]
    if found.unparseable:
        parts.append(f"{found.unparseable:,} unparseable")
    if found.verifier_failed:
        parts.append(f"{found.verifier_failed:,} verifier failure{'' if found.verifier_failed == 1 else 's'}")
    return parts


def bounds(found: Bounds | None) -> list[str]:
    """`bounds [0.700, 0.730]`, where the machinery failed."""
    return [] if found is None else [f"bounds [{number(found.low)}, {number(found.high)}]"]


def headline(found: Estimate, *, suspected: int = 0) -> str:
    """`0.720 [0.650, 0.780] · 180 of 200 usable · 3 verifier failures · bounds [0.700, 0.730]`."""
    return " · ".join([estimate(found), *beside(found, suspected=suspected)])


def beside(found: Estimate, *, suspected: int = 0) -> list[str]:
    """What stands beside a headline: coverage, suspected trials, bounds, and why something is missing."""
    parts = coverage(found.coverage) if found.coverage is not None else []
    if suspected:
        parts.append(f"{suspected:,} suspected")
    parts += bounds(found.bounds)
    if found.reason:
        parts.append(found.reason)
    return parts


def p_value(p: float | None) -> str:
    """`p = 0.031`, `p < 0.001`."""
    if p is None:
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def money(usd: float | None) -> str:
    """`$0.41`, `$0.0031`; `not known`."""
    if usd is None:
        return NOT_KNOWN
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.2g}"


def seconds(value: float | None) -> str:
    """`0.12 s`, `75 s`; `not known`."""
    if value is None:
        return NOT_KNOWN
    return f"{value:,.0f} s" if value >= 100 else f"{value:.3g} s"


def percent(level: float) -> str:
    """`95 %`."""
    return f"{100 * level:g} %"


def some(names: Sequence[str], most: int = 3) -> str:
    """`ant; bee; cat and 4 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{'; '.join(names[:most])}{more}"


def count(n: int, noun: str) -> str:
    """`1 trial`, `2,000 trials`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
