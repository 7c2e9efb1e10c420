"""Discrimination: a wrong answer must lose what it got wrong.

The right answer is changed field by field and as a whole. What a field is worth is measured, not assumed: its
stake is the most that any change to it cost (`measure`), so partial credit is no flaw and a field that the
verifier ignores on purpose (notes) takes no part. High severity is kept for what makes rewards worthless:
zeros, nonsense or NaN in place of the numbers, one field for all of them, a fraction of a list for most of
it.
"""

from __future__ import annotations

from typing import Any

from adjudge.audit.answers import RightAnswer
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Document,
    Leaf,
    get,
    leaves,
    open_as_text,
    replaced,
    representative,
    slug,
)
from adjudge.audit.probes import (
    WORDS,
    Bench,
    Probe,
    Seen,
    answer_of,
    number_changes,
    text_changes,
    without,
)
from adjudge.audit.sections.fields import check_fields, check_granted, check_granted_times
from adjudge.audit.sections.files import check_files, check_other_values, other_files
from adjudge.audit.sections.guesses import check_choices, check_given, check_puzzle
from adjudge.audit.sections.left_out import check_left_out
from adjudge.audit.sections.lists import (
    check_abstaining,
    check_agreement,
    check_bonus,
    check_climb,
    check_forgiven,
    check_lists,
    check_only_one,
    check_single,
    check_spans,
    check_subsets,
    check_swaps,
    check_unrated,
    report_skipped,
)
from adjudge.audit.sections.measure import EPS, FieldTrial, WrongAnswers
from adjudge.audit.sections.minority import check_minorities
from adjudge.audit.sections.queries import check_queries, is_query
from adjudge.audit.sections.result import SectionResult, check_breakage, in_turn
from adjudge.audit.sections.sentences import check_among_others, check_sentences
from adjudge.audit.sections.several import PROSE
from adjudge.audit.sections.spoofing import check_spoofs
from adjudge.audit.sections.texts import (
    check_changed_inputs,
    check_commented,
    check_denials,
    check_emptied,
    check_one_word,
    check_statements,
    check_texts,
    check_written_dates,
)
from adjudge.audit.sections.whole_answers import ALONE, weigh_whole, whole_answers

_HERE = Section.DISCRIMINATION
_MAX_NUMBERS = 8
_MAX_OTHERS = 4
_LEAST_WORDS = 12


def audit_discrimination(
    bench: Bench, right: RightAnswer, options: dict[str, str], result: SectionResult
) -> float | None:
    """Try wrong answers. `options` are the texts that the instruction shows for fields, by name."""
    document = right.document
    if right.overwritten:
        result.reason = "a script of the answer's own writes it again while it is verified"
        return None
    if document is None or not leaves(document.value):
        result.reason = "the right answer holds no value that could be changed with sense"
        if is_query(bench):
            return check_queries(bench, right, result)
        _try_sentences(bench, right, result)
        return None
    probe, seen = _unchanged(bench, right, document, "unchanged")
    as_text = open_as_text(answer_of(bench.task, right.files) or b"")
    if seen.reward <= EPS and document.structured and as_text is not None:
        document = as_text  # every byte may count: then only the numbers can be changed, in their places
        probe, seen = _unchanged(bench, right, document, "unchanged-text")
    if seen.reward <= EPS:
        result.reason = "the right answer loses its reward when it is merely written again"
        return None
    among = bool(other_files(bench.task, right.files))
    wrongs = WrongAnswers(bench, right, document, seen.reward, among_files=among)
    result.probes.append(probe)
    structured = document.structured
    in_turn(
        lambda: _try_everything(wrongs, options, result),
        lambda: weigh_whole(wrongs, result),
        lambda: check_agreement(wrongs, result),
        lambda: check_bonus(wrongs, result),
        lambda: check_forgiven(wrongs, result),
        lambda: check_fields(bench, wrongs.fields, wrongs.base, wrongs.probe, document, result),
        lambda: check_granted(wrongs, result),
        lambda: check_granted_times(wrongs, result),
        lambda: report_skipped(bench, wrongs.fields, result) if wrongs.base >= 1 - EPS else None,
        lambda: check_lists(wrongs, result),
        lambda: check_spans(wrongs, result),
        lambda: check_left_out(wrongs, result),
        lambda: check_single(wrongs, result) if structured else None,
        lambda: check_swaps(wrongs, result) if structured else None,
        lambda: check_only_one(wrongs, result) if structured else None,
        lambda: check_unrated(wrongs, result),
        lambda: check_abstaining(wrongs, result),
        lambda: check_given(wrongs, result),
        lambda: check_puzzle(wrongs, result),
        lambda: check_choices(wrongs, options, result),
        lambda: check_texts(wrongs, result),
        lambda: check_emptied(wrongs, result),
        lambda: check_commented(wrongs, result),
        lambda: check_changed_inputs(wrongs, result),
        lambda: check_written_dates(wrongs, result),
        lambda: check_statements(wrongs, result),
        lambda: None if structured else _try_one_word(bench, right, result),
        lambda: check_subsets(wrongs, result),
        lambda: check_climb(wrongs, result),
        lambda: check_spoofs(wrongs, options, result),
        lambda: check_minorities(wrongs, result),
        lambda: check_files(wrongs, result),
        lambda: check_other_values(wrongs, lambda w, r: _try_few(w, options, r), result),
        lambda: check_breakage(bench, _HERE, result),
    )
    for trial in wrongs.fields:
        if trial.scored:
            # A number that is a fifth off may be right enough, and a negated word may be meant.
            wrong = [c for c in trial.costs if c != "negated" and not c.startswith("off-by")]
            wrongs.lost += [1 - trial.share_kept(change) for change in wrong]
    return round(sum(wrongs.lost) / len(wrongs.lost), 3) if wrongs.lost else None


def _unchanged(bench: Bench, right: RightAnswer, document: Document, name: str) -> tuple[Probe, Seen]:
    what, data = "the right answer, written again", document.render(document.value)
    probe = bench.answer(f"discrimination/{name}", what, data, files=right.files)
    [seen] = bench.run([probe])
    return probe, seen


def _try_one_word(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    """In a text, a table in it too, one option may stand for all."""
    if bench.task.output.format in PROSE:
        text = (answer_of(bench.task, right.files) or b"").decode("utf-8-sig", "replace")
        check_one_word(bench, text, right.reward, result)
        check_denials(bench, right, result)


def _try_sentences(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    """Of a report without numbers only the sentences can be changed."""
    text = (answer_of(bench.task, right.files) or b"").decode("utf-8-sig", "replace")
    plain = Document(text, lambda _: text.encode(), structured=False)
    sentences = WrongAnswers(bench, right, plain, right.reward)
    check_emptied(sentences, result)
    check_changed_inputs(sentences, result)
    if bench.task.output.format in PROSE and text.split():
        check_among_others(bench, text, right, result)
    if bench.task.output.format in PROSE and len(text.split()) >= _LEAST_WORDS:
        result.reason = f"{result.reason}, only its sentences"
        check_sentences(bench, text, right.reward, result)
        check_denials(bench, right, result)
        check_one_word(bench, text, right.reward, result)


def _try_everything(
    wrongs: WrongAnswers, options: dict[str, str], result: SectionResult, numbers: int = _MAX_NUMBERS
) -> None:
    value = wrongs.document.value
    found = leaves(value)
    chosen = [
        *representative([leaf for leaf in found if leaf.kind == "number"], numbers),
        *representative([leaf for leaf in found if leaf.kind == "truth"], _MAX_OTHERS),
        *representative([leaf for leaf in found if leaf.kind == "text"], _MAX_OTHERS),
    ]
    wrongs.fields = [FieldTrial(leaf, wrongs.base, items=_items(value, leaf)) for leaf in chosen]
    for trial in wrongs.fields:
        for change, changed in _field_values(wrongs.document, trial.leaf, options).items():
            what = f"{trial.leaf.name}: {WORDS[change]}"
            trial.probes[change] = wrongs.probe(f"{slug(trial.leaf.path)}/{change}", what, changed)
    whole = whole_answers(wrongs.document)
    # Other files of the workspace are right, and may be worth a lot: what is wrong throughout stands alone.
    wholes = {
        name: wrongs.probe(name, what, changed, alone=name in ALONE)
        for name, (what, changed) in whole.items()
    }
    groups = [list(wholes.values()), *(list(trial.probes.values()) for trial in wrongs.fields)]
    result.probes += [probe for group in groups for probe in group]
    seen = wrongs.bench.run_groups(groups)
    for (name, probe), after in zip(wholes.items(), next(seen), strict=True):
        wrongs.whole[name] = (probe, after)
    tried, wrongs.fields = wrongs.fields, []
    for trial, group in zip(tried, seen, strict=True):
        for change, after in zip(trial.probes, group, strict=True):
            if not after.broke:  # a crash costs everything and says nothing about what the field is worth
                trial.costs[change] = wrongs.base - after.reward
                if trial.leaf.kind == "number" and change != "dropped":
                    trial.numbers[change] = number_changes(trial.leaf)[change]
        wrongs.fields.append(trial)


def _items(value: Any, leaf: Leaf) -> int:
    """How many items the innermost list around a leaf has, or a list of lists; 1 if there is none."""
    places = [number for number, step in enumerate(leaf.path) if isinstance(step, int)]
    many = len(get(value, leaf.path[: places[-1]])) if places else 1
    if places[-2:] != [len(leaf.path) - 2, len(leaf.path) - 1]:  # no point, no box, no row of numbers
        return many
    return many * len(get(value, leaf.path[:-2]))


def _field_values(document: Document, leaf: Leaf, options: dict[str, str]) -> dict[str, Any]:
    changes: dict[str, Any]
    if leaf.kind == "number":
        changes = {name: leaf.with_number(number) for name, number in number_changes(leaf).items()}
    elif leaf.kind == "truth":
        changes = {"flipped": not leaf.value}
    else:
        changes = text_changes(leaf, options.get(str(leaf.path[-1])) if leaf.path else None)
    made = {name: replaced(document.value, [(leaf.path, new)]) for name, new in changes.items()}
    if leaf.value != "" and (rest := without(document.value, leaf)) is not None:  # an empty cell is left out
        made["dropped"] = rest
    return made


def _try_few(wrongs: WrongAnswers, options: dict[str, str], result: SectionResult) -> None:
    _try_everything(wrongs, options, result, _MAX_OTHERS)
    weigh_whole(wrongs, result)
