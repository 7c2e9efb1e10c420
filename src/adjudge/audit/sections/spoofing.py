"""Spoofs: values and whole answers that are not right must not be taken for right.

A single field is weighed by what it is worth, a whole answer by what the right one earns, less what it gets
right by chance (a `true` where true is right). Several answers in one output are tried with the right one in
the middle.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    candidates_taken,
    expressions_allowed,
    get,
    leaves,
    name_paths,
    part_counts,
    replaced,
    slug,
    unquoted,
)
from adjudge.audit.probes import (
    CODE as PROGRAMS,
)
from adjudge.audit.probes import (
    Probe,
    Seen,
    Spoof,
    case_spoofs,
    code_spoofs,
    cut_spoofs,
    exponent_spoofs,
    expression_spoofs,
    field_spoofs,
    likeness_spoofs,
    path_spoofs,
    pattern_spoofs,
    tongues_of,
    turn_spoofs,
    verifier_sources,
    whole_spoofs,
    wrong_everywhere,
)
from adjudge.audit.sections.attacks.programs import data_files
from adjudge.audit.sections.factors import check_factors
from adjudge.audit.sections.fields import is_granted_time
from adjudge.audit.sections.free_values import (
    is_free_unless_a_number,
    is_just_a_number,
    is_named_freely,
    is_not_asked_for,
    is_only_long,
    is_unit,
)
from adjudge.audit.sections.lists import check_cancelling, keeps_halfway
from adjudge.audit.sections.measure import EPS, KEPT, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.minority import granted
from adjudge.audit.sections.points import check_points
from adjudge.audit.sections.result import SectionResult, in_turn
from adjudge.audit.sections.sentences import check_units
from adjudge.audit.sections.several import check_lines, check_several
from adjudge.audit.sections.weighing import by_chance, numbers_count, report, weigh_share
from adjudge.contracts import OutputFormat, Severity

_HERE = Section.DISCRIMINATION
_MAX_FIELDS = 8
_MOST_GUARDED = 2
_STATEMENT = 12
"""Fields that are tried for what a verifier does to all of them alike, as it reads them by one rule."""
_MOMENTS = ("year", "month", "day", "weekday", "hour", "minute", "offset", "day-month")
_OF_THE_REST = (Cause.WORD_INSIDE, Cause.HEDGED, Cause.CLAMPED)
"""Shown by what stands beside the part of a text that is compared, as the task says."""
_TELLING = ("sql", "digit", "glob", "regex", "like", "case", *_MOMENTS)
"""Spoofs that show something only if other wrong values are refused."""
_NO_NUMBER = (Cause.HEDGED, Cause.PATTERN)
"""Shown by a list of numbers or a pattern only if what is no number at all is refused."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def check_spoofs(wrongs: WrongAnswers, options: dict[str, str], result: SectionResult) -> None:
    """Try spoofs of single fields and of the whole answer."""
    in_turn(
        lambda: _check_whole(wrongs, result),
        lambda: _check_single(wrongs, options, result),
        lambda: check_several(wrongs, result),
        lambda: check_lines(wrongs, result),
        lambda: check_units(wrongs, result) if numbers_count(wrongs) else None,
        lambda: check_points(wrongs, result),
        lambda: check_factors(wrongs, result),
        lambda: _check_forgiving(wrongs, result),
        lambda: check_cancelling(wrongs, result),
        lambda: check_executed(wrongs, result),
    )


def _check_single(wrongs: WrongAnswers, options: dict[str, str], result: SectionResult) -> None:
    told = [t for t in wrongs.fields if t.scored and t.leaf.value != ""]  # nothing stands inside of anything
    worth = sorted(told, key=lambda trial: -trial.stake)
    spoken = [t for t in worth[_MAX_FIELDS:] if len(str(t.leaf.value).split()) >= _STATEMENT]
    worth = [*worth[:_MAX_FIELDS], *spoken[:1]]  # words are matched by a rule of their own
    numbers = [float(n) for n in dict.fromkeys(_NUMBER.findall(wrongs.bench.task.instruction)[:40])]
    worked_out = expressions_allowed(wrongs.bench.task.instruction)  # code is tried all the same
    tongues = tongues_of(verifier_sources(wrongs.bench.task))
    code = [
        _field_probe(wrongs, trial, spoof)
        for number, trial in enumerate(wrongs.fields[: 2 * _MAX_FIELDS])
        for spoof in code_spoofs(trial.leaf, guarded=number < _MOST_GUARDED, tongues=tongues)
    ]
    spoofs_of: list[list[Spoof]] = []
    taken = {str(leaf.value) for leaf in leaves(wrongs.document.value)}
    moments = 0
    for number, trial in enumerate(worth):
        shown = options.get(str(trial.leaf.path[-1])) if trial.leaf.path else None
        spoofs = field_spoofs(trial.leaf, shown, numbers, taken)
        if number < _MOST_GUARDED:
            spoofs += [
                *([] if worked_out else expression_spoofs(trial.leaf)),
                *path_spoofs(trial.leaf, data_files(wrongs.bench)),
                *exponent_spoofs(trial.leaf),
                *likeness_spoofs(trial.leaf),
                *pattern_spoofs(trial.leaf),
            ]
        said = wrongs.bench.task.instruction
        spoofs += [*case_spoofs(trial.leaf, said), *turn_spoofs(trial.leaf, said)]
        spoofs += cut_spoofs(trial.leaf, said)
        if candidates_taken(said):
            spoofs = [spoof for spoof in spoofs if spoof.cause is not Cause.HEDGED]
        if part_counts(said):
            spoofs = [spoof for spoof in spoofs if spoof.cause not in _OF_THE_REST]
        spoofs = [
            s for s in spoofs if s.name not in _MOMENTS or not is_granted_time(wrongs, trial.leaf, s.value)
        ]
        if any(spoof.name in _MOMENTS for spoof in spoofs):
            moments += 1
            spoofs = [spoof for spoof in spoofs if spoof.name not in _MOMENTS or moments <= _MOST_GUARDED]
        if not wrongs.document.structured:
            spoofs = [spoof for spoof in spoofs if isinstance(spoof.value, str)]
        spoofs_of.append(spoofs)
    groups = [
        [_field_probe(wrongs, trial, spoof) for spoof in spoofs]
        for trial, spoofs in zip(worth, spoofs_of, strict=True)
    ]
    result.probes += [probe for group in (code, *groups) for probe in group]
    seen_in_turn = wrongs.bench.run_groups([code, *groups])
    next(seen_in_turn)  # what code did is asked of all probes together: `check_executed`
    for trial, spoofs, probes, group in zip(worth, spoofs_of, groups, seen_in_turn, strict=True):
        _weigh_single(wrongs, trial, list(zip(spoofs, probes, group, strict=True)), result)


def _weigh_single(
    wrongs: WrongAnswers,
    trial: FieldTrial,
    tried: list[tuple[Spoof, Probe, Seen]],
    result: SectionResult,
) -> None:
    any_words = trial.anything_goes or is_only_long(wrongs, trial, tried)
    if trial.leaf.kind == "text" and any_words and not _has_options(tried):
        _report_any_text(wrongs, trial, tried, result)  # of what else is taken nothing follows
        return
    if trial.leaf.kind == "number" and all(trial.kept(change) for change in ("dropped", "half", "zero")):
        return  # where nothing at all will do, nothing follows from what else is taken
    anything = trial.kept("other")  # then nothing follows from what else is taken
    if trial.leaf.kind == "text" and is_not_asked_for(wrongs, trial, tried, result):
        return
    stake = min(trial.due, _worth_of_options(wrongs, tried) or trial.due)
    if trial.leaf.kind == "number" and is_free_unless_a_number(wrongs, tried, stake):
        tried = [one for one in tried if one[0].cause is Cause.EMPTY]  # the others show the same
    if trial.leaf.kind == "number":
        tried = [one for one in tried if not is_just_a_number(one[0], trial)]
    free = is_named_freely(wrongs, trial, tried, stake)
    for spoof, probe, seen in tried:
        if free and spoof.cause is Cause.WORD_INSIDE:
            continue
        if seen.broke or (anything and (spoof.name.startswith(("option", "cut")) or spoof.name in _TELLING)):
            continue
        kept = share_kept(wrongs.base - seen.reward, stake)
        wrongs.lost.append(1 - kept)
        number = (
            1
            if spoof.name == "true"
            else spoof.value
            if spoof.name.startswith(("shown", "first-digit"))
            else None
        )
        if kept >= KEPT and (number is None or not keeps_halfway(wrongs, trial, spoof.name, number, result)):
            title = f"{trial.leaf.name}: {spoof.what} keeps the credit"
            report(wrongs, spoof.severity, spoof.cause, title, probe, seen, result)


def _report_any_text(
    wrongs: WrongAnswers, trial: FieldTrial, tried: list[tuple[Spoof, Probe, Seen]], result: SectionResult
) -> None:
    """A text that must be there, and may be any: a note for people, or a value that nobody compares."""
    for spoof, probe, seen in tried:
        if spoof.cause is Cause.ANY_VALUE and not seen.broke and wrongs.base - seen.reward <= EPS:
            title = f"{trial.leaf.name}: any text keeps the credit"
            unit = is_unit(wrongs, trial)
            severity, cause = (Severity.MEDIUM, Cause.SCALE) if unit else (Severity.LOW, Cause.ANY_VALUE)
            report(wrongs, severity, cause, title, probe, seen, result)
            return


def _has_options(tried: list[tuple[Spoof, Probe, Seen]]) -> bool:
    return any(spoof.name.startswith("option") for spoof, _, _ in tried)


def _worth_of_options(wrongs: WrongAnswers, tried: list[tuple[Spoof, Probe, Seen]]) -> float | None:
    """What another option costs: a word that is no option may cost the whole answer. None without options."""
    costs = [
        wrongs.base - seen.reward
        for spoof, _, seen in tried
        if spoof.name.startswith("option") and not seen.broke
    ]
    return max(costs) if costs and max(costs) > EPS else None


def _field_probe(wrongs: WrongAnswers, trial: FieldTrial, spoof: Spoof) -> Probe:
    changed = replaced(wrongs.document.value, [(trial.leaf.path, spoof.value)])
    return wrongs.probe(
        f"{slug(trial.leaf.path)}/spoof-{spoof.name}", f"{trial.leaf.name}: {spoof.what}", changed
    )


def _check_whole(wrongs: WrongAnswers, result: SectionResult) -> None:
    if "all-wrong" not in wrongs.whole:  # not an answer of fields, or there was no time
        return
    spoofs = whole_spoofs(wrongs.document.value)
    wrong = wrongs.whole["all-wrong"][1].reward  # what any wrong answer gets is a finding of its own
    if wrongs.bench.task.output.format is OutputFormat.CSV:
        spoofs = [spoof for spoof in spoofs if spoof.name != "same-keys"]
    right = wrongs.document.render(wrongs.document.value)  # where keys cannot be added, nothing is changed
    spoofs = [spoof for spoof in spoofs if unquoted(wrongs.document.render(spoof.value)) != right]
    probes = [wrongs.probe(f"spoof-{spoof.name}", spoof.what, spoof.value, alone=True) for spoof in spoofs]
    result.probes += probes
    for spoof, probe, seen in zip(spoofs, probes, wrongs.bench.run(probes), strict=True):
        if not seen.broke:
            given = spoof.value if spoof.name != "same-keys" else wrong_everywhere(wrongs.document.value, 2)
            floor = max(wrong, by_chance(wrongs, given))
            if spoof.cause is Cause.NOT_A_NUMBER and "absurd-numbers" in wrongs.whole:
                floor = max(floor, wrongs.whole["absurd-numbers"][1].reward)  # where any number will do
            if spoof.cause in _NO_NUMBER and "nulls" in wrongs.whole:
                floor = max(floor, wrongs.whole["nulls"][1].reward)  # where what is no number is passed over
            if spoof.cause is Cause.PATTERN and seen.reward > floor + EPS:
                floor = max(floor, _with_right_names(wrongs, result))
            share = (seen.reward - floor) / wrongs.base
            weigh_share(wrongs, spoof.cause, probe, seen, share, result)


def _with_right_names(wrongs: WrongAnswers, result: SectionResult) -> float:
    """What the names of records earn that stand beside the patterns, with words that match nothing."""
    value = wrongs.document.value
    names = name_paths(value)
    others = [(leaf.path, "none of these") for leaf in leaves(value) if leaf.path not in names]
    probe = wrongs.probe("names-only", "the right names, all else wrong", replaced(value, others), alone=True)
    if probe.name not in wrongs.bench.log:
        result.probes.append(probe)
    return wrongs.bench.run([probe])[0].reward


def _check_forgiving(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Wrong values cost less, one at a time, than they do together: a sum is cut, or a mark is low."""
    value = wrongs.document.value
    short = [t for t in wrongs.fields if t.leaf.kind != "text" or len(str(t.leaf.value)) < 40]
    if not wrongs.document.structured:
        _check_sum_of_parts(wrongs, result)
        return
    wrong = wrongs.whole.get("all-wrong")
    if wrong is None or len(short) < 2 or wrong[1].reward > 0.5 * wrongs.base:
        return
    free = [trial for trial in short if trial.probes and trial.free]
    if len(free) < 2:
        _check_sum_of_parts(wrongs, result)
        return
    half = free[: max(2, len(free) // 2)]
    bad = wrong_everywhere(value)
    changed = replaced(value, [(trial.leaf.path, get(bad, trial.leaf.path)) for trial in half])
    everything = replaced(value, [(trial.leaf.path, get(bad, trial.leaf.path)) for trial in free])
    probes = [
        wrongs.probe("half-wrong", f"{len(half)} of {len(free)} values wrong", changed),
        wrongs.probe("these-wrong", f"all {len(free)} of these values wrong", everything),
    ]
    partly, fully = wrongs.bench.run(probes)
    result.probes += probes
    if fully.broke or partly.broke:
        return
    if wrongs.base - fully.reward <= EPS:  # nobody looks at them, or only beside the others
        _check_sum_of_parts(wrongs, result)
        return
    names = ", ".join(trial.leaf.name for trial in free[:4])
    if wrongs.base - partly.reward <= EPS:
        title = f"{len(half)} wrong values of {len(free)} cost nothing"
        probe, seen = probes[0], partly
    else:
        title = f"one wrong value of {len(free)} costs nothing: {names}"
        probe = next(iter(free[0].probes.values()))
        seen = wrongs.bench.log[probe.name][1]
    if not granted(wrongs, len(half) if probe is probes[0] else 1, len(short)):
        report(wrongs, Severity.MEDIUM, Cause.CLAMPED, title, probe, seen, result)
    result.findings = [f for f in result.findings if f.cause != Cause.UNSCORED]  # they are, together


def _check_sum_of_parts(wrongs: WrongAnswers, result: SectionResult) -> None:
    """All parts of the answer wrong together cost far more than the sum of each part wrong alone."""
    value = wrongs.document.value
    if not isinstance(value, dict) or not 2 <= len(value) <= _MAX_FIELDS:
        return
    bad = wrong_everywhere(value)
    probes = [wrongs.probe("part/all", "every part wrong", bad)]
    probes += [
        wrongs.probe(f"part/{slug((key,))}", f"{key} wrong, all else right", {**value, key: bad[key]})
        for key in value
    ]
    all_of_them, *each = wrongs.bench.run(probes)
    result.probes += probes
    if all_of_them.broke or any(seen.broke for seen in each):
        return
    whole = wrongs.base - all_of_them.reward
    alone = sum(max(0.0, wrongs.base - seen.reward) for seen in each)
    if whole >= 0.5 * wrongs.base and alone < 0.7 * whole and not granted(wrongs, 1, len(each)):
        title = f"{len(each)} wrong parts cost {whole:.2g} together and {alone:.2g} one by one"
        cheapest = max(range(len(each)), key=lambda place: each[place].reward)
        report(wrongs, Severity.MEDIUM, Cause.CLAMPED, title, probes[cheapest + 1], each[cheapest], result)


def check_executed(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Did any value of an answer run as code?"""
    log = wrongs.bench.log
    ran = [probe for probe in result.probes if probe.name in log and log[probe.name][1].executed]
    path = wrongs.bench.task.verifier.expected_output_path
    if ran and PurePosixPath(path).suffix.lower() not in PROGRAMS:  # a program is there to be run
        seen = wrongs.bench.log[ran[0].name][1]
        title = f"the verifier executes what the agent wrote: {ran[0].what}"
        report(wrongs, Severity.HIGH, Cause.CODE, title, ran[0], seen, result, also=ran[1:])
