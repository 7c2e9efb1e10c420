"""Answers of several files: each of them left out, emptied, made wrong, or in another's place.

What a file is worth is the least that wrong contents in it cost. A file that is missing or empty must cost as
much, and so must two that stand in each other's place, or one that is a copy of another.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import PurePosixPath

from msgspec import Struct, field

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import sentences
from adjudge.audit.probes import Probe, Seen
from adjudge.audit.sections.files.digests import check_digests
from adjudge.audit.sections.files.others import AnswerFile, changed_files, main_file, other_files
from adjudge.audit.sections.left_out import MAY_BE_MISSING
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_MOST_FILES = 3
_MOST_PAIRS = 3
_LEAST_WORTH = 0.02
_ALIKE = 0.5
"""Of two files that share so many lines one is nearly the other."""
_ANY_NAME = re.compile(
    r"\bany (?:file ?)?names?\b|\bnames? (?:of the files? )?(?:(?:is|are) (?:up to you|free|yours)"
    r"|do(?:es)? not matter)|\bnamed? (?:as|however|what(?:ever)?) you\b|\bhowever (?:you )?(?:call|name)",
    re.I,
)
_NO_OTHERS = re.compile(
    r"\b(?:no|any) (?:other|further|additional|extra|more|stray) files?\b|\bnothing else (?:in|below|under)\b"
    r"|\b(?:exactly|only) (?:these|those|the|two|three|four|five|\d+) (?:\w+ )?files\b"
    r"|\bother files (?:are|count|cost|make|in)\b",
    re.I,
)
_FILES = re.compile(r"\b(?:(?:a|each|every|any|that|which) file|files)\b", re.I)
_NOT_COUNTED = re.compile(
    r"\b(?:not|never|n't) (?:be )?(?:scored|checked|graded|read|compared|looked at|counted|marked)\b"
    r"|\bfor (?:people|humans|readers|your own|yourself)\b|\b(?:ignored|informal|free text)\b",
    re.I,
)
_ADVICE = (
    "Go through the files that the task asks for, not through those that are there; one that is missing or "
    "empty must score as one that is wrong."
)
_COMPARE = "Compare the contents of every file that the task asks for with a reference of its own."


class _Tried(Struct):
    """One file, and what became of it in each way."""

    file: AnswerFile
    number: int
    seen: dict[str, tuple[Probe, Seen]] = field(default_factory=dict)
    worth: float | None = None
    """The least that wrong contents cost; None if one kind of them costs nothing or breaks the verifier."""

    def cost(self, way: str, base: float) -> float | None:
        """What one way cost; None if it was not tried, or broke the verifier."""
        if way not in self.seen or self.seen[way][1].broke:
            return None
        return base - self.seen[way][1].reward


def check_files(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try the main file and some of the others in every way, and what is left of many at once."""
    task, files = wrongs.bench.task, wrongs.right.files
    main, others = main_file(task, files), other_files(task, files)
    if main is None or not others:
        return
    tried = [_Tried(file, number) for number, file in enumerate([main, *others[:_MOST_FILES]])]
    groups = [_probes(wrongs, one) for one in tried]
    for one, probes, seen in zip(
        tried, groups, wrongs.bench.run_groups([list(group.values()) for group in groups]), strict=True
    ):
        result.probes += probes.values()
        one.seen = {way: (probes[way], after) for way, after in zip(probes, seen, strict=True)}
        costs = [one.cost(way, wrongs.base) for way in one.seen if way.startswith("wrong")]
        known = [cost for cost in costs if cost is not None]
        one.worth = min(known) if len(known) == len(costs) and min(known) > _LEAST_WORTH else None
    _report_unread(wrongs, tried[1:], result)
    _check_rest(wrongs, others[_MOST_FILES:], result)
    check_digests(wrongs, others[:_MOST_FILES], result)
    _report_missing(wrongs, [one for one in tried if not _excused(task.instruction, one.file)], result)
    _check_places(wrongs, tried, result)
    _check_extra(wrongs, main, result)


def _probes(wrongs: WrongAnswers, one: _Tried) -> dict[str, Probe]:
    name, path = one.file.name, one.file.path
    ways: dict[str, tuple[str, bytes | None]] = {
        "wrong" if not number else f"wrong-{number + 1}": ("wrong", data)
        for number, data in enumerate(one.file.ways_wrong())
    }
    ways["missing"] = ("left out", None)
    ways["empty"] = ("empty", b"")
    if (hollow := one.file.hollow()) is not None:
        ways["hollow"] = ("with nothing in it", hollow)
    return {
        way: _probe(wrongs, f"file-{one.number}/{way}", f"{name} {what}", {path: data})
        for way, (what, data) in ways.items()
    }


def _probe(wrongs: WrongAnswers, name: str, what: str, changes: dict[str, bytes | None]) -> Probe:
    files = changed_files(wrongs.right.files, changes)
    return Probe(f"discrimination/{name}", what, files, path=next(iter(changes)))


def _report_unread(wrongs: WrongAnswers, tried: list[_Tried], result: SectionResult) -> None:
    """Files of data that the task names, in which nothing costs anything."""
    for one in tried:
        costs = [one.cost(way, wrongs.base) for way in one.seen if way.startswith("wrong")]
        if not (one.file.named and one.file.is_data) or any(cost is None or cost > EPS for cost in costs):
            continue
        if _excused(wrongs.bench.task.instruction, one.file):
            continue
        title = f"{one.file.name}: the task asks for it, and nothing in it costs anything"
        _report(wrongs, Severity.MEDIUM, title, Cause.UNSCORED, one.seen["wrong"], _COMPARE, result)


def _excused(instruction: str, file: AnswerFile) -> bool:
    """Does a sentence that names the file, or speaks of files, excuse one that is missing or wrong?"""
    about = [said for said in sentences(instruction) if file.name in said or _FILES.search(said)]
    return any(MAY_BE_MISSING.search(said) or _NOT_COUNTED.search(said) for said in about)


def _check_rest(wrongs: WrongAnswers, rest: list[AnswerFile], result: SectionResult) -> None:
    """Of a folder of many files: all of those that were not tried one by one, wrong at once."""
    rest = [file for file in rest if file.is_data]
    main = PurePosixPath(wrongs.bench.task.verifier.expected_output_path)
    alike = [file for file in rest if file.named or PurePosixPath(file.path).suffix == main.suffix]
    if not alike:
        return
    changes: dict[str, bytes | None] = {file.path: file.ways_wrong()[0] for file in alike}
    probe = _probe(wrongs, "files-rest", f"{len(alike)} files wrong", changes)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and wrongs.base - seen.reward <= EPS:
        title = f"{len(alike)} files, {alike[0].name} among them: nothing in them costs anything"
        _report(wrongs, Severity.MEDIUM, title, Cause.UNSCORED, (probe, seen), _COMPARE, result)


def _report_missing(wrongs: WrongAnswers, tried: list[_Tried], result: SectionResult) -> None:
    """Files that may be left out, or left empty, at less than what wrong contents cost."""
    absent = [one for one in tried if _is_free(wrongs, one, "missing")]
    for one in tried:
        if one.worth is not None and (cost := one.cost("missing", wrongs.base)) is not None:
            wrongs.lost.append(1 - share_kept(cost, one.worth))
    if absent:
        found = max(absent, key=lambda one: one.worth or 0.0)
        names = ", ".join(one.file.name for one in absent)
        worth, shown = found.worth or 0.0, found.seen["missing"]
        together = _together(wrongs, absent, len(tried), result)
        if together is not None:
            shown, worth = together
        title = f"{names}: left out it costs less than wrong contents"
        _report_free(wrongs, title, Cause.DROPPED, shown, worth, result)
    for one in tried:
        way = next((way for way in ("hollow", "empty") if _is_free(wrongs, one, way)), None)
        if one not in absent and way is not None:
            what = "empty" if way == "empty" else "with nothing in it"
            title = f"{one.file.name}: {what} it costs less than wrong contents"
            _report_free(wrongs, title, Cause.EMPTY, one.seen[way], one.worth or 0.0, result)


def _is_free(wrongs: WrongAnswers, one: _Tried, way: str) -> bool:
    cost = one.cost(way, wrongs.base)
    if cost is None or one.worth is None:
        return False
    return share_kept(cost, one.worth) >= KEPT


def _together(
    wrongs: WrongAnswers, absent: list[_Tried], known: int, result: SectionResult
) -> tuple[tuple[Probe, Seen], float] | None:
    """All that may be left out, left out at once (but one, if that is all there is), and their worth."""
    if len(absent) == known:
        absent = sorted(absent, key=lambda one: one.worth or 0.0)[1:]
    if len(absent) < 2:
        return None
    worth = min(wrongs.base, sum(one.worth or 0.0 for one in absent))
    probe = _probe(
        wrongs, "files-missing", f"{len(absent)} files left out", dict.fromkeys(o.file.path for o in absent)
    )
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    free = not seen.broke and share_kept(wrongs.base - seen.reward, worth) >= KEPT
    return ((probe, seen), worth) if free else None


def _check_places(wrongs: WrongAnswers, tried: list[_Tried], result: SectionResult) -> None:
    """Two files of a kind in each other's place, and one that is a copy of another."""
    if _ANY_NAME.search(wrongs.bench.task.instruction):
        return
    pairs = [
        (one, other)
        for one, other in combinations([one for one in tried if one.worth is not None], 2)
        if PurePosixPath(one.file.path).suffix == PurePosixPath(other.file.path).suffix
        and not _nearly_same(one.file.data, other.file.data)
    ][:_MOST_PAIRS]
    for number, (one, other) in enumerate(pairs):
        a, b = one.file, other.file
        worth = min(wrongs.base, (one.worth or 0.0) + (other.worth or 0.0))
        exchanged = _probe(
            wrongs,
            f"files-exchanged-{number + 1}",
            f"{a.name} and {b.name} in each other's place",
            {a.path: b.data, b.path: a.data},
        )
        copied = _probe(
            wrongs, f"files-copied-{number + 1}", f"{b.name} a copy of {a.name}", {b.path: a.data}
        )
        seen = wrongs.bench.run([exchanged, copied])
        result.probes += [exchanged, copied]
        kept = [
            not after.broke and share_kept(wrongs.base - after.reward, due) >= KEPT
            for after, due in zip(seen, (worth, other.worth or 0.0), strict=True)
        ]
        if kept[0]:
            title = f"{a.name} and {b.name} may be exchanged"
            shown = (exchanged, seen[0])
            _report(wrongs, Severity.MEDIUM, title, Cause.SWAPPED, shown, _COMPARE, result)
        if kept[1]:
            title = f"{b.name}: a copy of {a.name} in its place keeps the credit"
            shown = (copied, seen[1])
            _report(wrongs, Severity.MEDIUM, title, Cause.REPEATS, shown, _COMPARE, result)
        if any(kept):
            return


def _nearly_same(one: bytes, other: bytes) -> bool:
    lines = [{line.strip() for line in data.splitlines() if line.strip()} for data in (one, other)]
    return len(lines[0] & lines[1]) >= _ALIKE * max(1, min(map(len, lines)))


def _check_extra(wrongs: WrongAnswers, main: AnswerFile, result: SectionResult) -> None:
    """A stale file beside the right ones, if the task says that there must be no other."""
    if not _NO_OTHERS.search(wrongs.bench.task.instruction):
        return
    place = PurePosixPath(main.path)
    path = str(place.with_name(f"{place.stem}_old{place.suffix}"))
    if path in dict(wrongs.right.files):
        return
    probe = _probe(wrongs, "files-extra", "a stale file beside the right ones", {path: main.ways_wrong()[0]})
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and wrongs.base - seen.reward <= EPS:
        title = "the task allows no other files, and one more costs nothing"
        advice = "List the folder, and let what does not belong there cost something; or do not ask for it."
        _report(wrongs, Severity.LOW, title, Cause.UNSCORED, (probe, seen), advice, result)


def _report_free(
    wrongs: WrongAnswers,
    title: str,
    cause: Cause,
    shown: tuple[Probe, Seen],
    worth: float,
    result: SectionResult,
) -> None:
    """High if half of the reward can be had for files that are not there."""
    half = worth >= 0.5 * wrongs.base and shown[1].reward >= wrongs.base - EPS
    severity = Severity.HIGH if half and not shown[1].held else Severity.MEDIUM
    _report(wrongs, severity, title, cause, shown, _ADVICE, result)


def _report(
    wrongs: WrongAnswers,
    severity: Severity,
    title: str,
    cause: Cause,
    shown: tuple[Probe, Seen],
    advice: str,
    result: SectionResult,
) -> None:
    probe, seen = shown
    result.findings.append(
        wrongs.bench.finding(
            severity,
            Section.DISCRIMINATION,
            title,
            cause=cause,
            seen=f"{probe.what}: {seen.reward:g}; the right answer earns {wrongs.base:g}.",
            advice=advice,
            probe=probe,
            before=wrongs.base,
        )
    )
