"""The order of a plain list, and what stands in it twice: whoever compares sets sees neither.

An order counts only if it is asked for: by the name of the list, by the file's name if the list is the whole
answer, or by a sentence of the task that names the list. Another order is tried in two ways, because a
measure of agreement may forgive the very opposite (the size of a correlation) and see any other order.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Path, any_order, get, name_of, naming_key, replaced, slug
from adjudge.audit.probes import Probe, Seen
from adjudge.audit.sections.measure import KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_ORDERED = re.compile(r"order|sequen|rank|sort|ascend|descend|step|chronolog|priorit|stage|path|route", re.I)
_IN_ORDER = re.compile(
    r"\border matters\b|\bin (?:the |that |this )?(?:right |correct |exact |following )?order\b"
    r"|\b(?:largest|smallest|highest|lowest|earliest|latest|best|worst)(?: \w+){0,2} first\b|\bsequence of\b"
    r"|\bin (?:chronological|ascending|descending|alphabetical|increasing|decreasing) order\b"
    r"|\bfrom (?:the )?(?:largest|smallest|highest|lowest|earliest|latest|best|worst) to\b"
    r"|\bin the order in which\b|\b(?:counter-?|anti-?)?clockwise\b|\bwrong order\b",
    re.I,
)
_RANKED = re.compile(
    r"\brank(?:ing|ed)?\b|\b(?:most|least) \w+(?: \w+){0,2} first\b"
    r"|\b(?:largest|smallest|highest|lowest|best|worst|fastest|slowest)(?: \w+){0,2}(?: comes?)? first\b"
    r"|\bfrom (?:the )?(?:largest|smallest|highest|lowest|best|worst) to\b",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=[-*|] )")


def check_order(
    wrongs: WrongAnswers, path: Path, stake: float, permuted: tuple[Probe, Seen], result: SectionResult
) -> None:
    """Weigh a plain list with its first item at the end, backwards, and with every item once."""
    items = get(wrongs.document.value, path)
    if any(isinstance(item, dict | list) for item in items):
        _check_ranking(wrongs, path, stake, permuted, result)
        return
    _check_repetitions(wrongs, path, stake, result)
    if items[1:] == items[:-1] or not _order_is_asked_for(wrongs, path):
        return
    probe, seen = permuted
    if share_kept(wrongs.base - seen.reward, stake) >= 0.95:
        title = f"{name_of(path)}: the order makes no difference"
        said = f"With its first item at the end the list still scores {seen.reward:g}."
        _report(
            wrongs,
            Cause.UNORDERED,
            title,
            said,
            "Compare item by item if the order is asked for.",
            probe,
            result,
        )
        return
    backwards = items[::-1]
    if backwards == items:
        return
    probe, seen = _try(wrongs, path, "backwards", "in the opposite order", backwards, result)
    if not seen.broke and share_kept(wrongs.base - seen.reward, stake) >= KEPT:
        title = f"{name_of(path)}: the opposite order keeps the credit"
        said = f"From the last item to the first the list still scores {seen.reward:g}."
        advice = "Give nothing for an agreement that is negative: no abs() and no square of a correlation."
        _report(wrongs, Cause.UNORDERED, title, said, advice, probe, result)


def _check_ranking(
    wrongs: WrongAnswers, path: Path, stake: float, permuted: tuple[Probe, Seen], result: SectionResult
) -> None:
    """Records that are asked for from the best to the worst, if only their order tells which is before which.

    Where a column falls or rises from record to record, whoever reads it can sort by it.
    """
    items = get(wrongs.document.value, path)
    probe, seen = permuted
    said = wrongs.bench.task.instruction
    asked = _RANKED.search(said) or (_IN_ORDER.search(said) and naming_key(items) is None)
    if path or not asked or any_order(said) or _is_told(items):
        return
    if seen.broke or share_kept(wrongs.base - seen.reward, stake) < 0.95:
        return
    title = f"{name_of(path)}: the order makes no difference"
    said = f"With its first record at the end the list still scores {seen.reward:g}."
    advice = "Compare the records in their order if a ranking is asked for: no sort before the comparison."
    _report(wrongs, Cause.UNORDERED, title, said, advice, probe, result)


def _is_told(items: list[object]) -> bool:
    """Does some column of the records say the order: numbers that all fall, or all rise?"""
    records = [item for item in items if isinstance(item, dict)]
    if len(records) < len(items):
        return True
    for key in records[0]:
        column = [record.get(key) for record in records]
        numbers = [cell for cell in column if isinstance(cell, int | float)]
        if len(numbers) == len(column):
            steps = [one < other for one, other in pairwise(numbers)]
            if len(set(numbers)) == len(numbers) and len(set(steps)) == 1:
                return True
    return False


def _check_repetitions(wrongs: WrongAnswers, path: Path, stake: float, result: SectionResult) -> None:
    items = get(wrongs.document.value, path)
    once = [item for place, item in enumerate(items) if item not in items[:place]]
    if len(once) == len(items):
        return
    probe, seen = _try(wrongs, path, "once", "each item once, although some belong there twice", once, result)
    if not seen.broke and share_kept(wrongs.base - seen.reward, stake) >= 0.95:
        title = f"{name_of(path)}: items that belong there twice may stand there once"
        said = f"With each item once the list still scores {seen.reward:g}."
        advice = "Compare lists, or count the items: a set forgets how often each is there."
        _report(wrongs, Cause.FEW_ITEMS, title, said, advice, probe, result)


def _try(
    wrongs: WrongAnswers, path: Path, name: str, what: str, items: list[object], result: SectionResult
) -> tuple[Probe, Seen]:
    changed = replaced(wrongs.document.value, [(path, items)])
    probe = wrongs.probe(f"list.{slug(path)}/{name}", f"{name_of(path)}: {what}", changed)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return probe, seen


def _report(
    wrongs: WrongAnswers,
    cause: Cause,
    title: str,
    said: str,
    advice: str,
    probe: Probe,
    result: SectionResult,
) -> None:
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            title,
            cause=cause,
            seen=said,
            advice=advice,
            probe=probe,
            before=wrongs.base,
        )
    )


def _order_is_asked_for(wrongs: WrongAnswers, path: Path) -> bool:
    """By the list's or the file's name, or in words: of a list with a name, in a sentence that names it."""
    task = wrongs.bench.task
    if path and _ORDERED.search(name_of(path)) is not None:
        return True
    if any_order(task.instruction):
        return False
    if not path:
        stem = PurePosixPath(task.verifier.expected_output_path).stem
        return any(word is not None for word in (_ORDERED.search(stem), _IN_ORDER.search(task.instruction)))
    key = str(path[-1])
    named = re.compile(rf"(?<![\w-]){re.escape(key)}(?![\w-])")
    return any(named.search(said) and _IN_ORDER.search(said) for said in _SENTENCE.split(task.instruction))
