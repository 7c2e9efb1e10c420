"""Records that claim something else of the same thing, records that are none, and junk beside a single one.

Where the task lists what a column may hold ("valid field names: ..."), each right record is repeated with
another of these words: a verifier may forgive what follows from an error, whatever is said of it.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Path, get, name_of, replaced, slug
from adjudge.audit.probes import Probe, Seen, junk
from adjudge.audit.sections.measure import EPS, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_QUOTED = re.compile(r"[`\"']([A-Za-z][\w .-]{1,40})[`\"']")
_LEAST_OPTIONS = 3
_MOST_OPTIONS = 12
_FREE = 0.95
_MOST_SINGLE = 2


def check_neighbours(wrongs: WrongAnswers, path: Path, stake: float, result: SectionResult) -> None:
    """Add to every record its like under another word that the task allows, one word at a time."""
    items = get(wrongs.document.value, path)
    column, options = _column(items, wrongs.bench.task.instruction)
    if column is None:
        return
    name, probes = name_of(path), {}
    for option in options[:_MOST_OPTIONS]:
        more = [{**item, column: option} for item in items if item[column] != option]
        more = [one for one in more if not any(_same(one, item, column) for item in items)]
        if more:
            changed = replaced(wrongs.document.value, [(path, [*items, *more])])
            what = f"{name}: each record once more with {column} {option}"
            probes[option] = wrongs.probe(f"list.{slug(path)}/also-{slug((option,))}", what, changed)
    seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
    result.probes += probes.values()
    kept = [
        option
        for option, s in seen.items()
        if not s.broke and share_kept(wrongs.base - s.reward, stake) >= _FREE
    ]
    if kept:
        _report(wrongs, name, column, kept, probes[kept[0]], seen[kept[0]], result)


def check_single(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Lists of one item, in which there is nothing to cut or exchange: is there room for junk?"""
    for path in _single(wrongs.document.value)[:_MOST_SINGLE]:
        [item] = get(wrongs.document.value, path)
        name = name_of(path)
        made = {
            "emptied": ("no items", []),
            # On both sides: if the first counts, or the last, whoever lists everything has to guess still.
            "padded": ("a junk item on each side of the right one", [junk(item, 0), item, junk(item, 1)]),
        }
        probes = {
            kind: wrongs.probe(
                f"list.{slug(path)}/{kind}",
                f"{name}: {what}",
                replaced(wrongs.document.value, [(path, items)]),
            )
            for kind, (what, items) in made.items()
        }
        emptied, padded = wrongs.bench.run(list(probes.values()))
        result.probes += probes.values()
        stake = wrongs.base - emptied.reward
        if emptied.broke or padded.broke or stake <= EPS:
            continue
        kept = share_kept(wrongs.base - padded.reward, stake)
        wrongs.lost.append(1 - kept)
        if kept >= _FREE:
            result.findings.append(
                wrongs.bench.finding(
                    Severity.MEDIUM,
                    Section.DISCRIMINATION,
                    f"{name}: junk beside the only right item costs nothing",
                    cause=Cause.PADDING,
                    seen=f"With two thirds junk the answer still scores {padded.reward:g}: listing "
                    "everything wins.",
                    advice="Let every item that is not asked for cost something.",
                    probe=probes["padded"],
                    before=wrongs.base,
                )
            )


def _single(value: Any) -> list[Path]:
    """The paths of lists of one record or text: the answer itself, or directly inside of it."""
    nodes: list[tuple[Path, Any]] = [((), value)]
    nodes += [((key,), child) for key, child in value.items()] if isinstance(value, dict) else []
    return [path for path, node in nodes if isinstance(node, list) and len(node) == 1 and _is_item(node[0])]


def _is_item(node: Any) -> bool:
    return isinstance(node, str) or (isinstance(node, dict) and bool(node))


def _column(items: list[Any], instruction: str) -> tuple[str | None, list[str]]:
    """The column whose words the task lists in one line, and these words."""
    if not items or not all(isinstance(item, dict) for item in items):
        return None, []
    for column in items[0]:
        words = [item.get(column) for item in items]
        if all(isinstance(word, str) for word in words):
            for line in instruction.splitlines():
                told = list(dict.fromkeys(_QUOTED.findall(line)))
                if len(told) >= max(_LEAST_OPTIONS, len(set(words)) + 1) and set(words) <= set(told):
                    return column, told
    return None, []


def _same(one: dict[str, Any], other: dict[str, Any], column: str) -> bool:
    """Do they say a thing of one and the same: the word, and the first value beside it?"""
    beside = next((key for key in one if key != column), None)
    return one[column] == other.get(column) and (beside is None or one[beside] == other.get(beside))


def _report(
    wrongs: WrongAnswers,
    name: str,
    column: str,
    kept: list[str],
    probe: Probe,
    seen: Seen,
    result: SectionResult,
) -> None:
    result.findings.append(
        wrongs.bench.finding(
            Severity.LOW,
            Section.DISCRIMINATION,
            f"{name}: more records with {column} {', '.join(kept[:3])} cost nothing",
            cause=Cause.PADDING,
            seen=f"Each right record was repeated with the same values and that word: {seen.reward:g}.",
            advice="If consequences of an error may be listed, check what is said of them, too.",
            probe=probe,
            before=wrongs.base,
        )
    )


def check_malformed(
    wrongs: WrongAnswers,
    path: Path,
    probe: Probe,
    malformed: Seen,
    padded: Seen,
    stake: float,
    result: SectionResult,
) -> None:
    """Items that are no records void the answer, though wrong records cost little: an error became a zero."""
    kept = share_kept(wrongs.base - padded.reward, stake)
    if malformed.broke or malformed.reward > EPS or kept < 0.5:
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.LOW,
            Section.DISCRIMINATION,
            f"{name_of(path)}: items that are no records void the answer, wrong ones cost little",
            cause=Cause.CRASHES,
            seen=f"With null, a text and a number among the items the answer scores {malformed.reward:g}, "
            f"with more junk than that {padded.reward:g}.",
            advice="Pass over what is no record, or count it as a wrong one: one slip is not a whole answer.",
            probe=probe,
            before=wrongs.base,
        )
    )
