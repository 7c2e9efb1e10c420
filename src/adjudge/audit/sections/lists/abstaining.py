"""Abstentions: whoever says "no data" of everything has answered nothing.

A verifier that takes out of its denominator what an answer leaves open pays an agent that leaves all open. So
all records are written in each lesser shape that a record may have (those of the right answer, of the
instruction's examples, nothing but a name, nulls, a word for "not known"), and all but one. What that earns
beyond the records that really are so is the gain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.documents import (
    Path,
    get,
    leaves,
    lists,
    name_of,
    naming_key,
    options_shown,
    replaced,
    slug,
)
from adjudge.audit.probes import wrong_everywhere
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report_gain

_OPEN = (
    r"no[ _-](?:data|value|answer|result|reading|record|match)|n/?\.?a\.?|none|null|nil|nan|unknown|unclear"
    r"|undefined|undetermined|indeterminate|inconclusive|skip(?:ped)?|abstain(?:ed)?|missing|blank|empty|pending"
    r"|tbd|not[ _-](?:applicable|available|measured|known|given|stated|found|sure|determined|assessed|tested"
    r"|legible)|cannot[ _-](?:tell|determine|say|be determined)|can't[ _-]tell|unanswered|unavailable"
    r"|unmeasured|unsure|insufficient(?:[ _-]\w+)?|excluded|omitted"
)
_IS_OPEN = re.compile(_OPEN, re.I)
_SAID = re.compile(rf"[`\"'“‘]({_OPEN})[`\"'”’]|\b(null|n/a|no data)\b", re.I)
_QUOTED = re.compile(r"[`\"'“‘]([^\W\d_][\w -]{1,30})[`\"'”’]")
_OBJECT = re.compile(r"\{[^{}]{2,400}\}")
_LEAST = 3
_BY_PEOPLE = ("goldens/", "the reference solution", "tests/fixtures/")
"""Right answers that the task's authors call right."""
_MOST_LISTS = 2
_MOST_WORDS = 3
_MOST_SHAPES = 6
_MOST_LABELS = 6
_PER_COLUMN = 3
_GAIN, _MUCH = 0.25, 0.5
_HIGH_ENOUGH = 0.7
"""Of the reward: what a share of marks for an open answer, which a task may grant, hardly reaches."""
_ADVICE = "Divide by what is expected, not by what was answered: what is left open counts as wrong."


class _Open(Struct, frozen=True):
    """Records that leave something open, and how many of them are right to do so."""

    name: str
    what: str
    records: list[Any]
    fair: int = 0
    """How many of the records are right, if that is not to be seen by comparing them."""


def check_abstaining(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Leave open all records, or fields, and all but one."""
    value, wrong = wrongs.document.value, wrongs.whole.get("all-wrong")
    if not wrongs.document.structured or wrong is None or wrong[1].reward >= _MUCH * wrongs.base:
        return
    told = wrongs.bench.task.instruction
    found = False
    for path in lists(value, _LEAST)[:_MOST_LISTS]:
        items = get(value, path)
        if all(isinstance(item, dict) for item in items):
            found = True
            if _nothing_but_open(items) and not wrongs.right.source.startswith(_BY_PEOPLE):
                _report_found(wrongs, path, result)
                continue
            _try_all(wrongs, path, items, _shapes(items, told), result)
    for path in [] if found else _tables(value):
        table = get(value, path)
        ways = _shapes(list(table.values()), told) if _are_records(table) else _words(table, told)
        _try_all(wrongs, path, list(table.values()), ways, result, keys=list(table))


def _nothing_but_open(items: Sequence[dict[str, Any]]) -> bool:
    """Does no record say anything but its name, and one word for all that nothing is known?"""
    names = _names(items)
    told = [{key: child for key, child in item.items() if key not in names} for item in items]
    same = all(rest == told[0] for rest in told)
    return same and bool(told[0]) and all(map(_is_empty, told[0].values()))


def _report_found(wrongs: WrongAnswers, path: Path, result: SectionResult) -> None:
    """What was found for want of a right answer leaves all open: it is none, and it earns the reward."""
    probe = next(p for p in result.probes if p.name.startswith("discrimination/unchanged"))
    seen = wrongs.bench.log[probe.name][1]
    report_gain(
        wrongs,
        wrongs.base,
        Cause.PARTIAL,
        probe,
        seen,
        result,
        title=f"{name_of(path)}: everything left open earns {wrongs.base:g}",
        told="In no record is anything told but its name, and that nothing is known.",
        advice=_ADVICE,
    )


def _tables(value: Any) -> list[Path]:
    """Objects of records by name, or of fields: the answer itself, or what stands under one of its keys."""
    nodes = [((), value), *(((key,), node) for key, node in value.items())] if isinstance(value, dict) else []
    fit = [path for path, node in nodes if isinstance(node, dict) and len(node) >= _LEAST]
    deeper = [path for path in fit if path or _is_flat(value) or _are_records(value)]
    return deeper[:_MOST_LISTS]


def _is_flat(table: dict[str, Any]) -> bool:
    return not any(isinstance(child, dict | list) for child in table.values())


def _are_records(table: dict[str, Any]) -> bool:
    return all(isinstance(child, dict) and child for child in table.values())


def _odd(column: Sequence[Any]) -> list[str]:
    """Texts where most other values are numbers: `illegible` among `4.2 bar`."""
    kinds = [next((leaf.kind for leaf in leaves(child)), "") for child in column]
    if 2 * kinds.count("number") <= len(column):
        return []
    return [x for x, kind in zip(column, kinds, strict=True) if kind == "text" and isinstance(x, str) and x]


def _said(instruction: str) -> list[str]:
    """Words for "not known" that the task gives, in its own spelling."""
    found = [match[1] or match[2] for match in _SAID.finditer(instruction)]
    return list(dict.fromkeys(word for word in found if word))[:_MOST_WORDS]


def _words(table: dict[str, Any], instruction: str) -> list[_Open]:
    """Every field of an object a word for "not known"."""
    here = [child for child in table.values() if isinstance(child, str) and _IS_OPEN.fullmatch(child)]
    here += _odd(list(table.values()))
    said = list(dict.fromkeys([*here, *_said(instruction), "n/a"]))
    ways = [_Open(f"word-{slug((word,))}", f"{word!r}", [word] * len(table)) for word in said[:_MOST_WORDS]]
    return [*ways, _Open("null", "null", [None] * len(table))]


def _shapes(items: Sequence[dict[str, Any]], instruction: str) -> list[_Open]:
    """The records in each lesser shape; what names a record stays."""
    names = _names(items)
    keys = list(dict.fromkeys(key for item in items for key in item))
    ways: dict[str, _Open] = {}
    for template in [*_lesser(items), *_examples(instruction, keys)]:
        told = {key: child for key, child in template.items() if key not in names}
        rows = [{**{key: item[key] for key in item if key in names}, **told} for item in items]
        shown = ", ".join(f"{key} {child}" for key, child in told.items() if child not in (None, ""))
        ways.setdefault(json.dumps(told, default=str), _Open("", shown[:60] or "nothing", rows))
    for column in keys:
        for word in dict.fromkeys(_odd([item.get(column) for item in items])):
            rows = [{**item, column: word} for item in items]
            ways.setdefault(f"{column} {word}", _Open("", f"{column} {word}", rows))
    for column, word in _options(items, names, instruction):
        for gap in ("left out", "null"):
            rest = {key: None for key in keys if key not in names and key != column} if gap == "null" else {}
            rows = [
                {**{key: item[key] for key in item if key in names}, column: word, **rest} for item in items
            ]
            ways.setdefault(json.dumps({column: word, **rest}), _Open("", f"{column} {word}", rows))
    bare = [{key: child for key, child in item.items() if key in names} for item in items]
    if names:
        ways.setdefault("bare", _Open("", "nothing but a name", bare))
    nulls = [{key: child if key in names else None for key, child in item.items()} for item in items]
    ways.setdefault("nulls", _Open("", "null for every value", nulls))
    made = list(ways.values())[:_MOST_SHAPES]
    shapes = [_Open(f"shape-{number + 1}", way.what, way.records) for number, way in enumerate(made)]
    return [*shapes, *islice(_labels(items, names, instruction), _MOST_LABELS)]


def _labels(items: Sequence[dict[str, Any]], names: set[str], instruction: str) -> Iterator[_Open]:
    """Each word of a column of labels in all records, the other values wrong: one may mean "do not count"."""
    bad = [wrong_everywhere(item) for item in items]
    for key in items[0]:
        column = [item.get(key) for item in items]
        truths = all(isinstance(word, bool) for word in column)
        words = all(isinstance(word, str) for word in column) and 2 * len(set(column)) <= len(column)
        if key in names or len(items[0]) < _LEAST or not (truths or words):
            continue
        told = [word for word in _told(key, instruction) if word not in column]
        for word in (True, False) if truths else [*told, *dict.fromkeys(column)][:_PER_COLUMN]:
            if _is_empty(word) or word in items[0]:
                continue
            rows = [
                {**wrong, **{name: item[name] for name in names if name in item}, key: word}
                for item, wrong in zip(items, bad, strict=True)
            ]
            what = f"wrong, with {key} {str(word).lower() if truths else word}"
            yield _Open(f"label-{slug((key, str(word)))}"[:60], what, rows, column.count(word))


def _told(column: str, instruction: str) -> list[str]:
    """The words that the task gives for a column: as options in its example, or quoted behind its name."""
    options = re.split(r"\s*[|/]\s*|\s+or\s+", options_shown(instruction).get(column, ""))
    behind = re.search(rf"[`\"']{re.escape(column)}[`\"'](?!\s*:)([^.;\n]{{2,160}})", instruction)
    quoted = _QUOTED.findall(behind[1]) if behind else []
    return list(dict.fromkeys(word for word in [*options, *quoted] if word))


def _names(items: Sequence[dict[str, Any]]) -> set[str]:
    """What names a record: the first text that is another in each, else the first column that is so."""
    text = naming_key(items)
    if text is not None:
        return {text}
    for key in items[0]:
        column = [item.get(key) for item in items]
        plain = all(isinstance(name, str | int) and not isinstance(name, bool) for name in column)
        if plain and len(set(column)) == len(column):
            return {key}
    return set()


def _is_empty(child: Any) -> bool:
    return child is None or child == "" or (isinstance(child, str) and bool(_IS_OPEN.fullmatch(child)))


def _filled(item: dict[str, Any]) -> int:
    return sum(not _is_empty(child) for child in item.values())


def _lesser(items: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One record of each shape in which less is told than in others."""
    most, seen = max(map(_filled, items)), set()
    for item in sorted(items, key=_filled):
        shape = tuple(sorted(key for key, child in item.items() if not _is_empty(child)))
        if _filled(item) < most and shape not in seen:
            seen.add(shape)
            yield item


def _examples(instruction: str, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Records that the instruction shows, and that tell less than others which it shows."""
    shown = []
    for match in _OBJECT.finditer(instruction):
        try:
            found = json.loads(match[0])
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found and set(found) <= set(keys):
            shown.append(found)
    most = max([len(keys), *map(_filled, shown)])
    yield from (found for found in shown if _filled(found) < most and len(found) > 1)


def _options(items: Sequence[dict[str, Any]], names: set[str], instruction: str) -> Iterator[tuple[str, str]]:
    """A column of words, and a word for "not known" that the task or the right answer has."""
    said = _said(instruction)
    for key in items[0]:
        column = [item.get(key) for item in items]
        if key in names or not all(isinstance(word, str) for word in column):
            continue
        own = [str(word) for word in column if _IS_OPEN.fullmatch(str(word))]
        yield from ((key, word) for word in list(dict.fromkeys([*own, *said]))[:_MOST_WORDS])


def _try_all(
    wrongs: WrongAnswers,
    path: Path,
    items: list[Any],
    ways: Sequence[_Open],
    result: SectionResult,
    keys: list[str] | None = None,
) -> None:
    """Weigh each way, and each with one record right that has something to say."""
    name = "the answer" if not path else name_of(path)
    kept = next((n for n, item in enumerate(items) if not _open_throughout(item)), 0)
    made = []
    for way in ways:
        right = max(way.fair, sum(given == item for given, item in zip(way.records, items, strict=True)))
        if right == len(items):
            continue
        one = [items[n] if n == kept else given for n, given in enumerate(way.records)]
        made.append((way, f"open-{way.name}", way.records, right / len(items), "everything"))
        fair = (right + 1) / len(items)
        made.append((way, f"open-{way.name}-but-one", one, fair, "everything but one"))
    probes = [
        wrongs.probe(
            f"list.{slug(path)}/{which}",
            f"{name}: {how} left open ({way.what})",
            replaced(
                wrongs.document.value, [(path, rows if keys is None else dict(zip(keys, rows, strict=True)))]
            ),
        )
        for way, which, rows, _, how in made
    ]
    result.probes += probes
    wrong = wrongs.whole["all-wrong"][1].reward / wrongs.base
    shown = []
    for (_, which, _, fair, _), probe, seen in zip(made, probes, wrongs.bench.run(probes), strict=True):
        earned = seen.reward / wrongs.base
        gain = earned - max(fair, wrong)
        wrongs.lost.append(1 - min(1.0, max(0.0, gain)))
        if not seen.broke and gain >= _GAIN and earned >= _HIGH_ENOUGH:
            shown.append((gain, which, probe, seen))
    if not shown:
        return
    gain, _, probe, seen = max(shown, key=lambda one: one[0])
    if _wrong_pays_as_well(wrongs, path, items, kept, keys, seen.reward, result):
        return
    fair = (seen.reward / wrongs.base - gain) * wrongs.base
    told = f"The right answer earns {wrongs.base:g}; what really is open there is worth {fair:.2g} at most."
    also = [other for _, _, other, _ in shown if other is not probe]
    report_gain(wrongs, gain, Cause.PARTIAL, probe, seen, result, told=told, advice=_ADVICE, also=also)


def _open_throughout(item: Any) -> bool:
    return _is_empty(item) or any(_is_empty(leaf.value) for leaf in leaves(item)) or item is None


def _wrong_pays_as_well(
    wrongs: WrongAnswers,
    path: Path,
    items: list[Any],
    kept: int,
    keys: list[str] | None,
    earned: float,
    result: SectionResult,
) -> bool:
    """Does the one record that stays right earn about as much beside wrong ones? Then little else counts."""
    bad = [item if n == kept else get(wrong_everywhere([item]), (0,)) for n, item in enumerate(items)]
    names = _names(items) if all(isinstance(item, dict) for item in items) and keys is None else set()
    for item, wrong in zip(items, bad, strict=True):
        wrong.update({key: item[key] for key in names if key in item}) if names else None
    changed = bad if keys is None else dict(zip(keys, bad, strict=True))
    what = f"{name_of(path)}: one part right, all others wrong"
    probe = wrongs.probe(
        f"list.{slug(path)}/open-none", what, replaced(wrongs.document.value, [(path, changed)])
    )
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return seen.broke or earned - seen.reward < _GAIN * wrongs.base
