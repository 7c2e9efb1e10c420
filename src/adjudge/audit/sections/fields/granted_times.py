"""Dates and times that are off by more, and by less, than the task grants in words: "within 5 minutes".

All moments of a column are moved at once, twelve times as far as is granted, and less than half as far (or by
the least step that they can show, if that much is granted). What the column is worth is what moments that are
hours or months off cost.
"""

from __future__ import annotations

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Leaf, granted_times, leaves, replaced, several_are_right, slug
from adjudge.audit.probes import Probe
from adjudge.audit.sections.lists import like, place_of
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_FAR = 12
_NEAR = 0.4
_MAX_COLUMNS = 3
_DAY, _MINUTE = 86400, 60
_ABSURD = 3 * _DAY + 7 * 3600 + 13 * _MINUTE
_WORDS = {
    "far-lost": "all of them hours or days off",
    "far-later": f"all of them later, {_FAR} times what the task grants",
    "far-earlier": f"all of them earlier, {_FAR} times what the task grants",
    "near-later": "all of them later, by less than the task grants",
    "near-earlier": "all of them earlier, by less than the task grants",
}
_ADVICE = "Read both as moments, and compare their distance with the tolerance that the task states."


class _Column(Struct):
    """The moments of one name, and what the task grants each of them, in seconds."""

    name: str
    leaves: list[Leaf]
    granted: list[float]

    @property
    def unit(self) -> int:
        """The least step that all of them can show."""
        return max(_unit(str(leaf.value)) for leaf in self.leaves)

    def moved(self, seconds: float) -> dict[Leaf, str]:
        """All of them moved; without times of day that would leave their day."""
        new = {leaf: _moved(str(leaf.value), seconds) for leaf in self.leaves}
        return {leaf: text for leaf, text in new.items() if text is not None and text != leaf.value}


def check_granted_times(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try each column of dates or times for which the task says how far off they may be."""
    for column in _columns(wrongs):
        if not several_are_right(wrongs.bench.task.instruction):
            _check_far(wrongs, column, result)
        _check_near(wrongs, column, result)


def _columns(wrongs: WrongAnswers) -> list[_Column]:
    groups: dict[str, list[Leaf]] = {}
    for leaf in leaves(wrongs.document.value):
        names = [step for step in leaf.path if isinstance(step, str)]
        if leaf.kind == "text" and names:
            groups.setdefault(names[-1], []).append(leaf)
    keys = sorted(groups)
    found = []
    for name, group in groups.items():
        if all(place_of(leaf.value) is not None for leaf in group):
            granted = granted_times(wrongs.bench.task.instruction, name, keys)
            found += [_Column(name, group, granted)] if granted else []
    return found[:_MAX_COLUMNS]


def is_granted_time(wrongs: WrongAnswers, leaf: Leaf, other: str) -> bool:
    """Is another moment so near to the right one that the task may take it as well?"""
    places = place_of(leaf.value), place_of(other)
    names = [step for step in leaf.path if isinstance(step, str)]
    if places[0] is None or places[1] is None or not names:
        return False
    paths = [one.path for one in leaves(wrongs.document.value) if one.kind == "text"]
    keys = {next((step for step in reversed(path) if isinstance(step, str)), "") for path in paths}
    granted = granted_times(wrongs.bench.task.instruction, names[-1], sorted(keys - {""}))
    return abs(places[0] - places[1]) <= 1.5 * max(granted, default=0.0)


def _check_far(wrongs: WrongAnswers, column: _Column, result: SectionResult) -> None:
    step = _FAR * max(column.granted)
    lost = _ABSURD + 20 * step
    changes = {"far-lost": column.moved(lost) or column.moved(-lost)}
    changes |= {"far-later": column.moved(step), "far-earlier": column.moved(-step)}
    tried = {name: texts for name, texts in changes.items() if len(texts) == len(column.leaves)}
    if "far-lost" not in tried:  # times of day: half a day away in either direction, and never the same
        half = {leaf: _turned(str(leaf.value)) for leaf in column.leaves}
        if any(text is None for text in half.values()) or step >= _DAY / 4:
            return
        tried = {"far-lost": {leaf: text or "" for leaf, text in half.items()}, **tried}
    probes = {name: _probe(wrongs, column, name, texts) for name, texts in tried.items()}
    seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
    result.probes += probes.values()
    worth = wrongs.base - seen["far-lost"].reward
    if worth <= EPS or seen["far-lost"].broke:
        return
    for name, probe in probes.items():
        kept = share_kept(wrongs.base - seen[name].reward, worth)
        if name == "far-lost" or seen[name].broke or kept < KEPT:
            continue
        title = f"{column.name}: {_FAR} times as far off as the task grants keeps the credit"
        text = next(iter(tried[name].values()))
        _report(wrongs, column, title, Cause.TOLERANCE, probe, text, result)
        return


def _check_near(wrongs: WrongAnswers, column: _Column, result: SectionResult) -> None:
    """Reported only if both directions cost: a golden may lie at the edge of what is granted."""
    step = max(_NEAR * min(column.granted) // column.unit * column.unit, column.unit)
    if step > min(column.granted):
        return
    tried = {name: column.moved(sign * step) for name, sign in (("near-later", 1), ("near-earlier", -1))}
    probes = {name: _probe(wrongs, column, name, texts) for name, texts in tried.items() if texts}
    seen = wrongs.bench.run(list(probes.values()))
    result.probes += probes.values()
    if len(probes) == 2 and all(wrongs.base - after.reward > EPS and not after.broke for after in seen):
        how = "less than half as far off as" if step <= _NEAR * min(column.granted) else "as far off as"
        title = f"{column.name}: {how} the task grants loses credit"
        text = next(iter(tried["near-later"].values()))
        _report(wrongs, column, title, Cause.NARROW, probes["near-later"], text, result)


def _report(
    wrongs: WrongAnswers,
    column: _Column,
    title: str,
    cause: Cause,
    probe: Probe,
    text: str,
    result: SectionResult,
) -> None:
    reward = wrongs.bench.log[probe.name][1].reward
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            title,
            cause=cause,
            seen=f"{text} instead of {column.leaves[0].value}, and the others likewise; the task grants "
            f"{max(column.granted):g} s. The reward is {reward:g}; the right answer earns {wrongs.base:g}.",
            advice=_ADVICE,
            probe=probe,
            before=wrongs.base,
        )
    )


def _probe(wrongs: WrongAnswers, column: _Column, name: str, texts: dict[Leaf, str]) -> Probe:
    changed = replaced(wrongs.document.value, [(leaf.path, text) for leaf, text in texts.items()])
    return wrongs.probe(f"{slug((column.name,))}/time-{name}", f"{column.name}: {_WORDS[name]}", changed)


def _unit(text: str) -> int:
    if len(text) == len("2026-03-01") and ":" not in text:
        return _DAY
    return 1 if text.count(":") - ("+" in text) > 1 else _MINUTE


def _moved(text: str, seconds: float) -> str | None:
    place = place_of(text)
    if place is None or ("-" not in text and not 0 <= place + seconds < _DAY):
        return None
    return str(like(text, place + seconds))


def _turned(text: str) -> str | None:
    """A time of day that is eleven hours away, on the same day."""
    place = place_of(text)
    return None if place is None else str(like(text, (place + 11 * 3600) % _DAY))
