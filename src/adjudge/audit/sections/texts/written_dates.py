"""Dates in layouts whose order as texts is not that of time: `05.11.2026`, `03/20/2026`, `1 March`.

Who compares them as texts looks at what stands first, which is the day or the month. So what stands last, the
year or else the month, is put earlier and later: if both keep the credit, it is not looked at, or only if all
before it is the same. One of them alone may be within a bound that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Leaf, leaves, replaced, slug
from adjudge.audit.probes import Seen
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report
from adjudge.contracts import Severity

_MOST_COLUMNS = 4
_YEARS = 4
"""A leap year stays one."""
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_NAMES = "|".join(f"{name[:3]}[a-z]{{0,6}}" for name in _MONTHS)
_YEAR_LAST = re.compile(
    rf"(?P<before>[0-3]?\d([./-])[0-3]?\d\2"
    rf"|[0-3]?\d(?:st|nd|rd|th)?\.?[ -](?:{_NAMES})\.?,?[ -]|(?:{_NAMES})\.? [0-3]?\d(?:st|nd|rd|th)?,? )"
    r"(?P<year>(?:19|20)\d\d)(?P<after>.*)",
    re.I,
)
_MONTH_LAST = re.compile(
    rf"(?P<before>[0-3]?\d(?:st|nd|rd|th)?\.?[ -])(?P<month>{_NAMES})(?P<after>\.?)", re.I
)
_HALF_DAY = re.compile(r"(?P<before>[01]?\d:[0-5]\d(?::[0-5]\d)? ?)(?P<half>[AaPp])(?P<after>\.?[Mm]\.?)")
_LEAST_MONTH, _LAST_MONTH = 1, 12


def check_written_dates(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report dates whose last part may be earlier and later."""
    if not wrongs.document.structured:
        return
    tried = list(_tried(wrongs))
    groups = []
    for leaf, others in tried:
        values = {"none": "none of these", **others}
        groups.append(
            [
                wrongs.probe(
                    f"{slug(leaf.path)}/written-{name}",
                    f"{leaf.name}: {value} instead of {leaf.value}",
                    replaced(wrongs.document.value, [(leaf.path, value)]),
                )
                for name, value in values.items()
            ]
        )
    result.probes += [probe for group in groups for probe in group]
    for (leaf, others), group, seen in zip(tried, groups, wrongs.bench.run_groups(groups), strict=True):
        stake = wrongs.base - seen[0].reward
        if seen[0].broke or stake <= EPS:
            continue
        kept = [_kept(wrongs, one, stake) for one in seen[1:]]
        wrongs.lost.append(1 - sum(kept) / len(kept))
        if min(kept) >= KEPT:
            title = f"{leaf.name}: {' and '.join(others.values())} keep the credit of {leaf.value}"
            report(
                wrongs, Severity.MEDIUM, Cause.CLAMPED, title, group[-1], seen[-1], result, also=group[1:-1]
            )


def _kept(wrongs: WrongAnswers, seen: Seen, stake: float) -> float:
    return 0.0 if seen.broke else share_kept(wrongs.base - seen.reward, stake)


def _tried(wrongs: WrongAnswers) -> Iterator[tuple[Leaf, dict[str, str]]]:
    """One date of each column, and the same with its last part earlier and later."""
    columns: dict[tuple[str, ...], tuple[Leaf, dict[str, str]]] = {}
    for leaf in leaves(wrongs.document.value):
        if leaf.kind != "text":
            continue
        pattern = tuple("*" if isinstance(step, int) else step for step in leaf.path)
        others = other_written(str(leaf.value).strip())
        if pattern not in columns and (len(others) > 1 or "half-day" in others):
            columns[pattern] = (leaf, others)
    yield from list(columns.values())[:_MOST_COLUMNS]


def other_written(text: str) -> dict[str, str]:
    """An earlier and a later date that begin with the same characters; nothing for what is no such date."""
    if match := _YEAR_LAST.fullmatch(text):
        year = int(match["year"])
        return {
            name: f"{match['before']}{year + step}{match['after']}"
            for name, step in (("earlier", -_YEARS), ("later", _YEARS))
        }
    if match := _MONTH_LAST.fullmatch(text):
        short = match["month"][:3].title()
        month = next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(short))
        names = [name if len(match["month"]) > 3 else name[:3] for name in _MONTHS]
        others = {"earlier": max(_LEAST_MONTH, month - 4), "later": min(_LAST_MONTH, month + 4)}
        return {
            name: f"{match['before']}{names[other - 1]}{match['after']}"
            for name, other in others.items()
            if other != month
        }
    if match := _HALF_DAY.fullmatch(text):
        other = {"A": "P", "P": "A", "a": "p", "p": "a"}[match["half"]]
        return {"half-day": f"{match['before']}{other}{match['after']}"}
    return {}
