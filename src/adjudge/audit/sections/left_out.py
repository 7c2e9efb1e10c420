"""Whole sections left out: an object, a list, a column, or what stands below a heading.

A mean over the sections that are there rises with each hard one that is missing. A section that is left out
must cost what the same section costs with wrong values in it. Wrong values may void an answer for their form,
so that several kinds are tried, and the cheapest is what a section is worth.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Path, dropped, get, leaves, lists, name_of, name_paths, replaced, slug
from adjudge.audit.probes import Probe, Seen, halved, wrong_everywhere
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_MOST = 10
_MOST_COLUMNS = 6
_LEAST_WORTH = 0.02
_HEADING = re.compile(r"^(?P<marks>#{1,4})[ \t]+(?P<name>\S[^\n]*)$", re.M)
MAY_BE_MISSING = re.compile(
    r"\boptional|\b(?:may|can|need not) be (?:left out|omitted|missing|absent|given)\b"
    r"|\bwhere (?:it is )?known\b"
    r"|\bif (?:any|there (?:is|are) (?:any|one|none)|known|present|applicable|you (?:can|like|wish|want))\b"
    r"|\bleave (?:it |them |this |that )?(?:out|away)\b|\bbonus\b|\bvoluntary\b",
    re.I,
)
"""The task itself says that something may be missing."""


class _Part(Struct):
    """A section of the right answer: how it is left out, and ways to give it wrong."""

    name: str
    without: Any
    wrong: list[Any]
    path: Path = ()
    """Where it stands; nothing for what stands in a list or a text."""
    how: str = "left out"


def check_left_out(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report sections that may be left out at less than what wrong values in them cost."""
    if wrongs.base < 1 - EPS or MAY_BE_MISSING.search(wrongs.bench.task.instruction):
        return
    parts = _parts(wrongs.document.value) if wrongs.document.structured else _headings(wrongs)
    groups = []
    make = _value_probe if wrongs.document.structured else _text_probe
    for part in parts:
        tried = [part.without, *part.wrong]
        names = ["without", *(f"wrong-{number + 1}" for number in range(len(part.wrong)))]
        whats = [part.how, *("with wrong values" for _ in part.wrong)]
        groups.append(
            [
                make(wrongs, f"left-out.{slug((part.name,))}/{name}", f"{part.name}: {what}", value)
                for name, what, value in zip(names, whats, tried, strict=True)
            ]
        )
    result.probes += [probe for group in groups for probe in group]
    free: list[tuple[_Part, Probe, Seen, float]] = []
    for part, group, seen in zip(parts, groups, wrongs.bench.run_groups(groups), strict=True):
        worth = _worth(wrongs, seen[1:])
        without = seen[0]
        cost = wrongs.base - without.reward
        if without.broke or worth is None:
            continue
        kept = share_kept(cost, worth)
        wrongs.lost.append(1 - kept)
        if kept >= KEPT and (cost <= EPS or worth < wrongs.base - EPS):
            free.append((part, group[0], without, worth))
    if free:
        free += _together(wrongs, free, result)
        _report(wrongs, free, result)


def _together(
    wrongs: WrongAnswers, free: list[tuple[_Part, Probe, Seen, float]], result: SectionResult
) -> list[tuple[_Part, Probe, Seen, float]]:
    """All sections at once that may be left out one by one, if there are several side by side."""
    beside = [one for one in free if len(one[0].path) == 1]
    if len(beside) < 2:
        return []
    value = wrongs.document.value
    for part, *_ in beside:
        value = dropped(value, part.path)
    name = f"{len(beside)} sections at once"
    probe = wrongs.probe("left-out.together/without", f"{name}: left out", value)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    worth = min(wrongs.base, sum(one[3] for one in beside))
    if seen.broke or share_kept(wrongs.base - seen.reward, worth) < KEPT:
        return []
    return [(_Part(name, value, []), probe, seen, worth)]


def _worth(wrongs: WrongAnswers, wrong: list[Seen]) -> float | None:
    """The least that wrong values cost; None if some of them cost nothing, or next to nothing."""
    costs = [wrongs.base - seen.reward for seen in wrong if not seen.broke]
    return min(costs) if costs and min(costs) > _LEAST_WORTH else None


def _report(
    wrongs: WrongAnswers, free: list[tuple[_Part, Probe, Seen, float]], result: SectionResult
) -> None:
    part, probe, seen, worth = max(free, key=lambda one: one[3])
    half = worth >= 0.5 * wrongs.base and seen.reward >= wrongs.base - EPS
    names = ", ".join(one[0].name for one in free[:4])
    result.findings.append(
        wrongs.bench.finding(
            Severity.HIGH if half and not seen.held else Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{names}: {part.how} it costs less than wrong values in it",
            cause=Cause.DROPPED,
            seen=f"{part.name} {part.how}: {seen.reward:g}; with wrong values in it: at most "
            f"{wrongs.base - worth:g}; the right answer earns {wrongs.base:g}.",
            advice="Divide by what the task asks for: a section that is missing must score as one that is "
            "wrong.",
            probe=probe,
            before=wrongs.base,
            also=[one[1] for one in free if one[1] is not probe],
        )
    )


def _value_probe(wrongs: WrongAnswers, name: str, what: str, value: Any) -> Probe:
    return wrongs.probe(name, what, value)


def _text_probe(wrongs: WrongAnswers, name: str, what: str, text: str) -> Probe:
    return wrongs.bench.answer(f"discrimination/{name}", what, text.encode(), files=wrongs.right.files)


def _parts(value: Any) -> list[_Part]:
    """The objects and lists of an answer that stand in no list, and the columns of its records."""
    found: list[tuple[Path, Any]] = []
    stack: list[tuple[Path, Any]] = [((), value)]
    for path, node in stack:
        if isinstance(node, dict) and len(stack) < 200:
            stack += [((*path, key), child) for key, child in node.items()]
        if path and isinstance(node, dict | list) and node and leaves(node):
            found.append((path, node))
    parts = []
    for path, node in found[:_MOST]:
        wrong = _ways_wrong(node)
        parts.append(
            _Part(
                name_of(path), dropped(value, path), [replaced(value, [(path, bad)]) for bad in wrong], path
            )
        )
    for path in lists(value)[:2]:
        parts += _columns(value, path)
    return parts


def _ways_wrong(node: Any) -> list[Any]:
    """Wrong far off and near by, the names of records kept in the second."""
    names = name_paths(node)
    near = halved(node)
    texts = [leaf for leaf in leaves(near) if leaf.kind == "text" and leaf.path not in names]
    near = replaced(near, [(leaf.path, "none of these") for leaf in texts])
    return [bad for bad in (wrong_everywhere(node), near) if bad != node]


def _columns(value: Any, path: Path) -> list[_Part]:
    """Each column of a table but the one that names its records: left out of all of them."""
    items = get(value, path)
    if not all(isinstance(item, dict) and item for item in items):
        return []
    names = {place[-1] for place in name_paths(items)}
    keys = [key for key in items[0] if key not in names and all(key in item for item in items)]
    if len(items[0]) < 2:
        return []

    def with_column(key: str, change: Callable[[Any], Any]) -> Any:
        return replaced(value, [(path, [{**item, key: change(item)} for item in items])])

    return [
        _Part(
            f"{name_of(path)}[].{key}",
            replaced(value, [(path, [{k: v for k, v in item.items() if k != key} for item in items])]),
            [
                with_column(key, lambda item, key=key: wrong_everywhere(item)[key]),  # type: ignore[misc]
                with_column(key, lambda item, key=key: _ways_wrong(item[key])[-1]),  # type: ignore[misc]
            ],
        )
        for key in keys[:_MOST_COLUMNS]
        if all(_ways_wrong(item[key]) for item in items)
    ]


def _headings(wrongs: WrongAnswers) -> list[_Part]:
    """What stands below each heading of a text: left out with it, or nothing but a sentence there."""
    text = wrongs.document.render(wrongs.document.value).decode("utf-8", "replace")
    found = list(_HEADING.finditer(text))
    if len(found) < 2:
        return []
    parts = []
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in list(zip(found, ends, strict=True))[:_MOST]:
        body = text[match.end() : end]
        if not body.strip():
            continue
        nothing = f"{text[: match.end()]}\n\nThis was looked at and nothing was noted.\n\n{text[end:]}"
        parts.append(_Part(f"`{match['name'].strip()}`", text[: match.start()] + text[end:], [nothing]))
    return parts
