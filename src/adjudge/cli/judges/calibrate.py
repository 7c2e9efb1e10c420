"""`adjudge calibrate`: hold judges against people, and draw what people should review next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adjudge.judges import JudgeRecord, JudgeRubric
    from adjudge.ledger import Ledger, TrialFilter


@takes_filter
@prints(Format.TERMINAL, Format.JSON, Format.HTML)
def command(
    wanted: TrialFilter,
    out: Out,
    rubric: Annotated[Path, typed.Option("--rubric", metavar="FILE", help="The rubric that was judged by.")],
    labels: Annotated[
        Path | None,
        typed.Option(
            "--labels",
            metavar="FILE",
            help="JSONL with trial_id, criterion, verdict, reviewer; kept in the ledger.",
        ),
    ] = None,
    from_annotations: Annotated[
        str | None,
        typed.Option(
            "--from-annotations", metavar="CRITERION", help="Annotations answer this criterion, too."
        ),
    ] = None,
    use: Annotated[
        str, typed.Option("--use", metavar="WORD", help="calibration, or tuning, which proves nothing.")
    ] = "calibration",
    min_agreement: Annotated[
        float, typed.Option("--min-agreement", min=0, max=1, help="What the lower end must reach.")
    ] = 0.6,
    min_items: Annotated[int, typed.Option("--min-items", min=2, help="Trials with both verdicts.")] = 30,
    suggest: Annotated[
        int | None, typed.Option("--suggest", min=1, metavar="N", help="Draw about N trials to review next.")
    ] = None,
    seed: Annotated[int, typed.Option("--seed", min=0, help="Of the draw; the same in every round.")] = 0,
    ledger: LedgerOption = None,
) -> None:
    """Hold judges against people, criterion by criterion, and record whether they can be trusted.

    A judge counts as calibrated for a criterion if the lower end of its agreement with people reaches
    --min-agreement on --min-items trials. A trial serves for calibration, for tuning or as an example, never
    for two of them. -o calibration.html writes a page.
    """
    from adjudge.judges import Use, load_judge_rubric, read_judgements, read_labels, record_labels
    from adjudge.ledger import open_ledger

    if use not in (Use.CALIBRATION.value, Use.TUNING.value):
        raise UsageError("no such choice", field="--use", found=use, allowed="calibration, tuning")
    loaded = load_judge_rubric(rubric)
    if from_annotations is not None and from_annotations not in [d.id for d in loaded.judged]:
        raise UsageError("no such criterion", field="--from-annotations", found=from_annotations)
    with open_ledger(ledger, create=False) as book:
        if labels is not None:
            new = record_labels(book, loaded, read_labels(labels, loaded))
            out.say(f"{new} new labels")
        ids = [record.trial_id for record in book.iterate(wanted, streams=False)]
        made = {
            trial_id: by_judge
            for trial_id, found in read_judgements(book, ids).items()
            if (by_judge := {one.judge: one for one in found if one.rubric_digest == loaded.digest})
        }
        if not made:
            raise UsageError(
                "no trial was judged by this rubric",
                file=rubric,
                remedy="Run adjudge judge first. A rubric that has changed since is another one.",
            )
        if suggest is not None:
            _suggest(book, loaded, made, from_annotations, suggest, seed, out)
            return
        found = list(
            _calibrate(book, loaded, made, from_annotations, Use(use), min_agreement, min_items, out)
        )
    if out.format is Format.HTML:
        from adjudge.reports import html

        out.write(html.render_calibration(loaded.name, found))
    elif out.for_programs:
        out.write_json(found)
    else:
        out.write("".join(f"{line}\n" for one in found for line in _lines(one, out)))


def _calibrate(
    book: Ledger,
    rubric: JudgeRubric,
    made: dict[str, dict[str, JudgeRecord]],
    annotated: str | None,
    use: Any,
    min_agreement: float,
    min_items: int,
    out: Out,
) -> Iterator[dict[str, Any]]:
    from adjudge.judges import (
        Use,
        calibrate_criterion,
        claim,
        claim_examples,
        count_looks,
        drift,
        make_pairs,
        people_of,
        quoted_by_examples,
        record_calibration,
    )

    people = people_of(book, rubric, made, annotated)
    labelled = {trial_id for found in people.values() for trial_id in found}
    claim_examples(book, rubric)
    barred = quoted_by_examples(book, rubric, sorted(labelled))
    barred |= claim(book, rubric, {i: use for i in sorted(labelled) if i not in barred})
    for trial_id, why in barred.items():
        out.say(f"{trial_id}: {why}")
    for judge in sorted({judge for by_judge in made.values() for judge in by_judge}):
        for dimension in rubric.judged:
            said = {i: v for i, v in people.get(dimension.id, {}).items() if i not in barred}
            pairs, others = make_pairs(book, dimension, judge, made, said)
            looks = count_looks(book, rubric.name, dimension.id, judge, [pair.trial_id for pair in pairs])
            found = calibrate_criterion(
                dimension, pairs, others, threshold=min_agreement, min_items=min_items, looks=looks
            )
            if use is Use.TUNING:
                found |= {"calibrated": False, "why_not": "tuning proves nothing: calibrate on other trials"}
            found["drift"] = drift(book, judge, found)
            found["use"] = use.value
            if use is Use.CALIBRATION:
                found["calibration"] = record_calibration(book, judge, rubric.name, found)
            models = next(by[judge] for by in made.values() if judge in by)
            yield {"judge": judge, "models": models.models, "samples": models.samples, **found}


def _suggest(
    book: Ledger,
    rubric: JudgeRubric,
    made: dict[str, dict[str, JudgeRecord]],
    annotated: str | None,
    count: int,
    seed: int,
    out: Out,
) -> None:
    from datetime import UTC, datetime

    from adjudge.contracts import ChosenBy, ReviewSelection
    from adjudge.judges import chances, doubt, draw, people_of
    from adjudge.ledger import read_selections, record_selections

    people = people_of(book, rubric, made, annotated)
    labelled = {trial_id for found in people.values() for trial_id in found}
    earlier = {
        trial_id
        for trial_id, chosen in read_selections(book, made).items()
        if any(one.method is ChosenBy.RANDOM and one.probability is not None for one in chosen)
    }
    doubts = {i: max(doubt(one) for one in by_judge.values()) for i, by_judge in made.items()}
    probabilities = chances(doubts, len(earlier) + count)
    drawn = draw(probabilities, seed)
    now = datetime.now(UTC)
    record_selections(
        book,
        [
            (i, ReviewSelection(method=ChosenBy.RANDOM, probability=probabilities[i], timestamp=now))
            for i in drawn
        ],
    )
    new = [i for i in drawn if i not in labelled]
    if out.for_programs:
        out.write_json([{"trial_id": i, "probability": probabilities[i]} for i in new])
        return
    out.write("".join(f"{i}  drawn with probability {probabilities[i]:.4f}\n" for i in new))
    out.say(f"{len(new)} trials to review, of {len(doubts)} judged; how they were drawn is recorded")
    out.say("Draw further rounds with the same --seed: all rounds are then one sample.")


def _lines(found: dict[str, Any], out: Out) -> Iterator[str]:
    safe = out.terminal.safe
    word = "CALIBRATED" if found["calibrated"] else "uncalibrated"
    who = ", ".join(found["models"]) + (f" × {found['samples']}" if found["samples"] > 1 else "")
    yield safe(f"{found['criterion']}: {word}  {who}, judge {found['judge'][:12]}, {found['items']} trials")
    if found["why_not"]:
        yield safe(f"  why not: {found['why_not']}")
    if found["looks"] > 1:
        yield safe(f"  look {found['looks']} at these trials: intervals at {found['level']:.2%}")
    for name, estimate in found["agreement"].items():
        yield safe(f"  {name}: {_number(estimate)}")
    for name in ("sensitivity", "specificity"):
        if name in found:
            yield safe(f"  {name}: {_number(found[name])} ({found[name]['hits']} of {found[name]['of']})")
    for people, judge, count in found["confusion"] or ():
        yield safe(f"  people {people}, judge {judge}: {count}")
    for name in ("all", "shorter", "longer"):
        yield safe(f"  leniency, {name} outputs: {_number(found['leniency'][name])}")
    for agent, gap in found["leniency"]["by_agent"].items():
        yield safe(f"  leniency, {agent}: {_number(gap)}")
    for name, estimate in found["estimates"].items():
        shown = estimate if isinstance(estimate, str) else _number(estimate)
        yield safe(f"  estimate, {name.replace('_', ' ')}: {shown}")
    if found["drift"]:
        moved = {True: "CHANGED", False: "no change shown", None: "cannot be told"}[found["drift"]["changed"]]
        yield safe(f"  since the last calibration: {moved}")


def _number(estimate: dict[str, Any]) -> str:
    if estimate["value"] is None:
        return f"undefined{': ' + estimate['reason'] if estimate.get('reason') else ''}"
    ends = estimate["interval"]
    return f"{estimate['value']:.3f}" + (f" [{ends['low']:.3f}, {ends['high']:.3f}]" if ends else "")
