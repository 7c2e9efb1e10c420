"""What it means that a wrong value in one field keeps its credit.

Seen from outside, a tolerance that is far too wide and a bound that was meant ("at least 5") can look alike;
so a field that keeps credit for a wrong number is measured on both sides. Credit that reaches equally far up
and down, past zero, is a tolerance and a flaw (high); credit that goes on to one side only is told as low.
A third up and down is one as well (medium), unless the task speaks of estimates or grants it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Document,
    get,
    named_columns,
    replaced,
    required_names,
    says,
    several_are_right,
    slug,
    within_factor,
    write_number,
)
from adjudge.audit.probes import Bench, scaled
from adjudge.audit.sections.fields.ladders import measure_tolerances
from adjudge.audit.sections.fields.report import report_field
from adjudge.audit.sections.fields.signs import weigh_sign
from adjudge.audit.sections.lists import MakeProbe, costs_its_record, near_zero
from adjudge.audit.sections.measure import EPS, FieldTrial
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import BadJson, OutputFormat, Severity, Task, parse_json
from adjudge.scoring import files_of_image

_HERE = Section.DISCRIMINATION
_SETTINGS = frozenset({OutputFormat.TOML, OutputFormat.YAML, OutputFormat.TEXT, OutputFormat.BINARY})
_TELLING = 3
"""Smaller numbers stand in a text for many reasons."""
_FAR = (0.2, 0.5, 1.0, 2.0, 4.0, 9.0, 99.0)
_SMALL_STAKE = 0.1
_MAX_LADDERS = 6
_PARTLY = 0.3
_SCALES_AND_SIGN = ("times-10", "times-100", "times-1000", "sign")
_WORTH = re.compile(
    r"(?:^|_)(?:costs?|price|length|distance|makespan|duration|objective|profit|revenue|fitness|penalty)(?:_|$)",
    re.I,
)
_THE_BEST = re.compile(
    r"\b(?:smallest|tightest|shortest|cheapest|minimal|minimum|optimal|largest|maximal|maximum)\b", re.I
)
_STRONG = ("times-10", "times-100", "times-1000", "half", "sign", "zero", "one", "thousand", "minus-one")


def check_fields(
    bench: Bench,
    fields: list[FieldTrial],
    base: float,
    make: MakeProbe,
    document: Document,
    result: SectionResult,
) -> None:
    """Report what single fields let through, what counts for nothing, and how wide tolerances are."""
    numbers = [trial for trial in fields if trial.leaf.kind == "number"]
    for trial in numbers:
        kept = [change for change in _STRONG if trial.kept(change) and not _granted(bench, trial, change)]
        if trial.scored and kept:
            _weigh_number(bench, trial, kept, base, make, document, result)
        elif trial.scored and _partly(trial):
            _reach(bench, trial, base, make, document, +1, result)
            _weigh_partly(bench, trial, make, document, result)
    for trial in fields:
        if trial.leaf.kind == "text" and trial.scored:
            _weigh_text(bench, trial, result)
        if trial.scored and trial.kept("dropped"):
            report_field(
                bench,
                Severity.MEDIUM,
                trial,
                "dropped",
                f"{trial.leaf.name}: leaving it out costs nothing, giving it wrong does",
                "A field that is missing must score as one that is wrong.",
                Cause.DROPPED,
                result,
            )
    if base >= 1 - EPS:  # else the field may be the one that is wrong already, with nothing left to lose
        _report_unscored(bench, fields, result)
    steady = [t for t in numbers if t.scored and not any(t.kept(change) for change in _STRONG)]
    measure_tolerances(bench, steady[:_MAX_LADDERS], make, document, result)


def _granted(bench: Bench, trial: FieldTrial, change: str) -> bool:
    """Is the number that a change puts there right enough, by a factor that the task states?"""
    number = trial.numbers.get(change, 0.0)
    return within_factor(bench.task.instruction, number, trial.leaf.number)


def _weigh_number(
    bench: Bench,
    trial: FieldTrial,
    kept: list[str],
    base: float,
    make: MakeProbe,
    document: Document,
    result: SectionResult,
) -> None:
    name = trial.leaf.name
    tried = [change for change in _STRONG if change in trial.costs]
    if set(kept) == set(tried):
        title = f"{name}: any number scores"
        advice = "Compare the value with the reference; to be there is not enough."
        report_field(bench, Severity.MEDIUM, trial, kept[0], title, advice, Cause.ANY_VALUE, result)
        return
    if kept == ["sign"]:
        weigh_sign(bench, trial, make, document, result)
        return
    if trial.leaf.number == 0:
        title = f"{name}: {' and '.join(kept)} instead of zero keep the credit"
        advice = "Tighten the tolerance around zero."
        report_field(bench, Severity.LOW, trial, kept[0], title, advice, Cause.TOLERANCE, result)
        return
    for direction in (+1, -1):
        _reach(bench, trial, base, make, document, direction, result)
    kept = [change for change in kept if trial.kept(change)]  # the stake is better known now
    if kept:
        small = near_zero(document.value, trial.leaf)
        reach = _steps_kept(trial, +1), _steps_kept(trial, -1)
        _weigh_reach(bench, trial, kept, reach, document, result, small=small)


def _partly(trial: FieldTrial) -> list[str]:
    """Other scales, or the opposite sign, that keep part of the credit although half the value keeps none."""
    if "half" not in trial.costs or trial.share_kept("half") >= 0.1:
        return []
    return [c for c in _SCALES_AND_SIGN if c in trial.costs and trial.share_kept(c) >= _PARTLY]


def _weigh_partly(
    bench: Bench, trial: FieldTrial, make: MakeProbe, document: Document, result: SectionResult
) -> None:
    """Part of the credit for another scale or the opposite sign, and none for what lies between."""
    between = [_step_name(+1, step) for step in _FAR if step in (1.0, 2.0, 4.0)]
    found = _partly(trial)
    if any(change in trial.costs and trial.share_kept(change) >= 0.1 for change in between):
        return  # any number in a range keeps as much, which is partial credit and no matter of scale
    name = trial.leaf.name
    if found and costs_its_record(bench, trial, found[0], make, document, result):
        return  # such a record is not read at all
    if found and found != ["sign"]:
        title = f"{name}: {' and '.join(found)} keep part of the credit, half the value does not"
        advice = "Accept one unit and one scale; compare numbers, not digits."
        report_field(bench, Severity.MEDIUM, trial, found[0], title, advice, Cause.SCALE, result)
    elif found:
        title = f"{name}: the opposite sign keeps part of the credit, half the value does not"
        advice = "Compare signed values; if both signs are right, say so in the task."
        report_field(bench, Severity.MEDIUM, trial, "sign", title, advice, Cause.SIGN, result)


def _weigh_reach(
    bench: Bench,
    trial: FieldTrial,
    kept: list[str],
    reach: tuple[int, int],
    document: Document,
    result: SectionResult,
    *,
    small: bool,
) -> None:
    """`reach` counts the steps of `_FAR` that keep the credit, up and down.

    `small`: the value is near zero as its column goes, so that no multiple of it says much.
    """
    up, down = reach
    name, change = trial.leaf.name, kept[0]
    widest = 0.0 if not min(up, down) else _FAR[min(up, down) - 1]
    similar = abs(up - down) <= 1 or (small and max(up, down) < len(_FAR))
    both_ways = similar and min(up, down) < len(_FAR)
    if both_ways and widest >= 1.0:
        alone = trial.stake >= _SMALL_STAKE and trial.items == 1  # one record of many is worth little
        severity = Severity.LOW if small else Severity.HIGH if alone else Severity.MEDIUM
        example = "zero" if trial.kept("zero") else change
        report_field(
            bench,
            severity,
            trial,
            example,
            f"{name}: the tolerance is wider than the value itself",
            "Use a relative tolerance; an absolute one that exceeds the value accepts zero.",
            Cause.TOLERANCE,
            result,
        )
    elif both_ways and widest >= 0.5:
        report_field(
            bench,
            Severity.LOW if small else Severity.MEDIUM,
            trial,
            change,
            f"{name}: keeps its credit when it is off by {widest:.0%}",
            "Tighten the tolerance, or say in the task how rough an estimate may be.",
            Cause.TOLERANCE,
            result,
        )
    elif kept == ["zero"] and up == 0:
        report_field(
            bench,
            Severity.MEDIUM,
            trial,
            change,
            f"{name}: zero keeps the credit, other wrong numbers do not",
            "Compare zero as any other number: `if not value` takes it for a missing one.",
            Cause.ZEROS,
            result,
        )
    elif (up == 0 and down == 0) or (not both_ways and up and "times-10" in kept and up < 5):
        report_field(
            bench,
            Severity.MEDIUM,
            trial,
            change,
            f"{name}: {', '.join(kept)} keep the credit, values between do not",
            "Accept one unit and one scale; compare numbers, not digits.",
            Cause.SCALE,
            result,
        )
    else:
        side = "above" if up > down else "below"
        change = next((c for c in kept if (trial.numbers[c] > trial.leaf.number) is (up > down)), change)
        endless = max(up, down) == len(_FAR)  # a hundred times the value: no bound that anybody meant
        if _is_worth_of_a_plan(trial, document):
            report_field(
                bench,
                Severity.MEDIUM,
                trial,
                change,
                f"{name}: any value {side} the right one keeps the credit, whatever the plan is worth",
                "Work out what a plan is worth from the plan itself; what the answer says of it is a claim.",
                Cause.CLAIMED,
                result,
            )
            return
        far = endless and trial.stake >= _SMALL_STAKE
        report_field(
            bench,
            Severity.MEDIUM if far or _asks_for_the_best(bench.task.instruction) else Severity.LOW,
            trial,
            change,
            f"{name}: any value {side} the right one seems to do",
            "If a bound is meant, say so in the task; if a value is meant, compare with it on both sides.",
            Cause.BOUND,
            result,
        )


def _asks_for_the_best(instruction: str) -> bool:
    """Then a bound is not enough; but of several best answers, one may have a value that another has not."""
    return says(_THE_BEST, instruction) and not several_are_right(instruction)


def _is_worth_of_a_plan(trial: FieldTrial, document: Document) -> bool:
    """Is it what an answer says of itself: the length of the route, or the cost of the plan beside it?"""
    path = trial.leaf.path
    if not path or _WORTH.search(str(path[-1])) is None:
        return False
    beside = get(document.value, path[:-1])
    return isinstance(beside, dict) and any(isinstance(other, list | dict) for other in beside.values())


def _reach(
    bench: Bench,
    trial: FieldTrial,
    base: float,
    make: MakeProbe,
    document: Document,
    direction: int,
    result: SectionResult,
) -> None:
    """Measure what each step of `_FAR` costs in one direction; what is learned changes the stake, too."""
    n = trial.leaf.number
    numbers = {_step_name(direction, step): scaled(n, 1 + direction * step) for step in _FAR}
    probes = [
        make(
            f"{slug(trial.leaf.path)}/{change}",
            f"{trial.leaf.name}: {number:g} instead of {n:g}",
            replaced(document.value, [(trial.leaf.path, trial.leaf.with_number(number))]),
        )
        for change, number in numbers.items()
    ]
    result.probes += probes
    for (change, number), seen in zip(numbers.items(), bench.run(probes), strict=True):
        if not seen.broke:
            trial.costs[change] = base - seen.reward
            trial.numbers[change] = number


def _steps_kept(trial: FieldTrial, direction: int) -> int:
    """How many steps of `_FAR` keep the credit in one direction, before the first that loses it."""
    kept = [trial.kept(_step_name(direction, step)) for step in _FAR]
    return kept.index(False) if False in kept else len(kept)


def _step_name(direction: int, step: float) -> str:
    return f"off-by-{'plus' if direction > 0 else 'minus'}-{step:g}"


def _weigh_text(bench: Bench, trial: FieldTrial, result: SectionResult) -> None:
    name = trial.leaf.name
    if trial.anything_goes:
        return  # where any word will do, the right one inside another shows nothing
    if trial.kept("every-option"):
        title = f"{name}: naming all options at once keeps the credit"
        advice = "Compare the whole word; do not look for it inside a longer text."
        report_field(bench, Severity.MEDIUM, trial, "every-option", title, advice, Cause.WORD_INSIDE, result)
    elif trial.kept("negated"):
        title = f"{name}: the right word inside its opposite keeps the credit"
        advice = "Compare the whole word: `compliant` is part of `non_compliant`."
        report_field(bench, Severity.MEDIUM, trial, "negated", title, advice, Cause.WORD_INSIDE, result)


def required_of(task: Task) -> set[str]:
    """The names that the task's shape requires, and a schema among its files that the instruction names."""
    found = required_names(task.output.json_schema) or set(named_columns(task.instruction))
    for path, file in files_of_image(task).items():
        name = PurePosixPath(path).name
        if name.endswith("schema.json") and name in task.instruction:
            with suppress(BadJson):
                found |= required_names(parse_json(file.data.decode("utf-8", "replace")))
    return found


def _report_unscored(bench: Bench, fields: list[FieldTrial], result: SectionResult) -> None:
    """Fields that the task asks for by name and the verifier does not look at."""
    required = required_of(bench.task)
    free = [trial for trial in fields if trial.free and trial.leaf.path and trial.probes]
    if len(free) == len(fields):
        return
    ignored = [trial for trial in free if trial.leaf.path[-1] in required]
    if not ignored:
        ignored = [t for t in free if t.items > 1 and f'"{t.leaf.path[-1]}"' in bench.task.instruction]
    if not ignored and bench.task.output.format in _SETTINGS:
        ignored = [trial for trial in free if _is_told(trial, bench.task.instruction)]
    if not ignored:
        return
    names = list(dict.fromkeys(trial.leaf.name for trial in ignored))
    change = next(iter(ignored[0].probes))
    asked = [trial for trial in ignored if trial.leaf.path[-1] in required]
    values = any(trial.leaf.kind != "text" for trial in asked or ignored)  # a note may be for people only
    result.findings.append(
        bench.finding(
            Severity.MEDIUM if values else Severity.LOW,
            _HERE,
            f"the task asks for {', '.join(names[:5])}, and no wrong value there costs anything",
            cause=Cause.UNSCORED,
            seen=f"Every change to {'them' if len(names) > 1 else 'it'} alone left the reward at "
            f"{ignored[0].base:g}.",
            advice="Score what the task asks for, or do not ask for it.",
            probe=ignored[0].probes[change],
            before=ignored[0].base,
        )
    )


def _is_told(trial: FieldTrial, instruction: str) -> bool:
    """Does the task give the number itself, so that a file of settings has to have it?"""
    number = trial.leaf.number
    told = rf"(?<![\w.,-]){re.escape(write_number(number))}(?![\w]|[.,]\d)"
    return (
        trial.leaf.kind == "number" and abs(number) >= _TELLING and re.search(told, instruction) is not None
    )
