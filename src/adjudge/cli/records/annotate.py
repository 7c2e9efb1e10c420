"""`adjudge annotate`: what people think of a trial; never changes a reward."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.streams import while_read
from adjudge.contracts import ChosenBy, Judgment
from adjudge.errors import UsageError
from adjudge.ledger import AnnotationFormat

if TYPE_CHECKING:
    from adjudge.contracts import Annotation, ReviewSelection
    from adjudge.ledger import AnnotationRow, Ledger, TrialFilter

_BATCH = 500
_MOST_SHOWN = 50
_OPTIONS = {"reviewer_id": "--reviewer", "reviewer_discipline": "--discipline", "categories": "--category"}


app = typed.Commands(
    default="add",
    help="Record what people think: adjudge annotate TRIAL --reviewer ID --judgment pass|fail|defer.",
)

_Chosen = Annotated[
    ChosenBy | None,
    typed.Option("--chosen", help="How the trial was chosen for review; random needs --probability."),
]
_Probability = Annotated[
    float | None,
    typed.Option("--probability", metavar="P", help="The chance that it was chosen: 0.1 if 50 of 500 were."),
]

_Format = Annotated[
    AnnotationFormat | None, typed.Option("--format", help="[default: by the file's name, else jsonl]")
]


@app.command("add")
@prints(Format.TERMINAL, Format.JSON)
def add(
    out: Out,
    trial: Annotated[str, typed.Argument(help="A trial's id, or enough of its beginning.", metavar="TRIAL")],
    *,
    reviewer: Annotated[str, typed.Option("--reviewer", help="Who judges.", metavar="ID")],
    judgment: Annotated[Judgment, typed.Option("--judgment", help="The verdict; defer: cannot tell.")],
    category: Annotated[
        list[str] | None, typed.Option("--category", help="What it is about, in your words. Repeatable.")
    ] = None,
    notes: Annotated[str | None, typed.Option("--notes", help="Why.")] = None,
    discipline: Annotated[str | None, typed.Option("--discipline", help="The reviewer's field.")] = None,
    chosen: _Chosen = None,
    probability: _Probability = None,
    ledger: LedgerOption = None,
) -> None:
    """Annotate one trial; `add` may be left out. A second one by the same reviewer replaces the first.

    Both stay in the history, and the reward stays what it is. Only reviews whose trials were chosen with a
    known probability say what people would think of all trials.
    """

    from pydantic import ValidationError

    from adjudge.contracts import Annotation, problem_of
    from adjudge.ledger import disagrees, open_ledger, record_selection

    try:
        annotation = Annotation(
            reviewer_id=reviewer,
            reviewer_discipline=discipline,
            timestamp=datetime.now(UTC),
            judgment=judgment,
            categories=category or [],
            notes=notes,
        )
    except ValidationError as error:
        raise UsageError(problem_of(error, named=lambda name: _OPTIONS.get(name, name))) from None
    selection = _selection(annotation, chosen, probability)
    with open_ledger(ledger, create=False) as opened:
        trial_id = opened.find(trial)
        earlier = any(
            s.current and s.annotation.reviewer_id == reviewer for s in opened.annotations(trial_id)
        )
        opened.annotate(trial_id, annotation)
        if selection is not None:
            record_selection(opened, trial_id, selection)
        reward = opened.get(trial_id).evaluation.reward
        opened.sign_if_asked()
    if out.for_programs:
        out.write_json(
            {
                "trial_id": trial_id,
                "annotation": annotation.model_dump(mode="json"),
                "selection": None if selection is None else selection.model_dump(mode="json"),
                "reward": reward,
                "replaces": earlier,
                "disagrees": disagrees(judgment, reward),
            }
        )
        return
    from adjudge.errors import printable

    said = f"{trial_id}: {judgment} by {reviewer}, beside reward {reward:.4g}"
    said += "; replaces their earlier annotation" if earlier else ""
    said += "; this DISAGREES with the reward" if disagrees(judgment, reward) else ""
    out.write(f"{printable(said)}\n")


@app.command("import")
@prints(Format.TERMINAL, Format.JSON)
def import_(
    out: Out,
    file: Annotated[
        str, typed.Argument(help="JSONL or CSV; - reads from the standard input.", metavar="FILE")
    ],
    kind: _Format = None,
    chosen: _Chosen = None,
    probability: _Probability = None,
    ledger: LedgerOption = None,
) -> None:
    """Import annotations: one row each, with trial_id and the annotation's fields.

    A row may say how its trial was chosen (`chosen`, `probability`); the options say it for those that do
    not. A bad row is reported with its line and the rest goes in. Importing the same file again adds nothing.
    Exits with 1 if there was a bad row.
    """

    from adjudge.ledger import BadAnnotation, open_ledger, read_annotations

    _check_chosen(chosen, probability)
    added = there = 0
    bad: list[str] = []
    with open_ledger(ledger, create=False) as opened, _reading(file) as source:
        rows = read_annotations(source, _format(file, kind))
        while some := list(islice(rows, _BATCH)):
            problems = [row for row in some if isinstance(row, BadAnnotation)]
            good = [row for row in some if not isinstance(row, BadAnnotation)]
            known = opened.states(row.trial_id for row in good)
            problems += [
                BadAnnotation(row.line, f"no trial has the id {row.trial_id!r}")
                for row in good
                if row.trial_id not in known
            ]
            new = _annotate(opened, [row for row in good if row.trial_id in known], chosen, probability)
            added += new.count(True)
            there += new.count(False)
            for problem in sorted(problems, key=lambda p: p.line):
                bad.append(f"{file}, line {problem.line}: {problem.problem}")
        opened.sign_if_asked()
    if out.for_programs:
        out.write_json({"added": added, "already": there, "bad": bad})
    else:
        for text in bad[:_MOST_SHOWN]:
            out.say(text)
        if len(bad) > _MOST_SHOWN:
            out.say(f"… and {len(bad) - _MOST_SHOWN} more bad rows")
        out.write(f"{added} added, {there} already there, {len(bad)} bad\n")
    if bad:
        raise typed.Exit(1)


@app.command("export")
@takes_filter
def export(
    wanted: TrialFilter,
    file: Annotated[
        str, typed.Argument(help="Where to; - writes to the standard output.", metavar="[FILE]")
    ] = "-",
    kind: _Format = None,
    history: Annotated[
        bool, typed.Option("--history", help="Also annotations whose reviewer has changed their mind.")
    ] = False,
    ledger: LedgerOption = None,
) -> None:
    """Export annotations as JSONL or CSV: one row each, with trial_id and the annotation's fields."""

    from adjudge.ledger import open_ledger, write_annotations

    if wanted.annotated is False:
        raise UsageError("trials that nobody annotated have nothing to export", field="--not-annotated")
    if kind is None and file != "-" and not file.lower().endswith((".jsonl", ".ndjson", ".csv")):
        raise UsageError(
            "the ending of this name says nothing about the format",
            found=file,
            allowed=".jsonl or .csv",
            remedy="Rename it, or give --format.",
        )
    form = _format(file, kind)
    with open_ledger(ledger, create=False) as opened:
        rows = _rows(opened, wanted.model_copy(update={"annotated": True}), history=history)
        if file == "-":
            with while_read():
                write_annotations(rows, sys.stdout, form)
            return
        from adjudge.reports import whole_file

        with whole_file(Path(file)) as scratch, scratch.open("w", encoding="utf-8", newline="") as target:
            count = write_annotations(rows, target, form)
    from adjudge.errors import printable

    print(f"{count} annotation{'' if count == 1 else 's'} written to {printable(file)}")


def _rows(
    ledger: Ledger, wanted: TrialFilter, *, history: bool
) -> Iterator[tuple[str, Annotation, ReviewSelection | None]]:
    from adjudge.ledger import read_selections

    chosen = read_selections(ledger)
    for record in ledger.iterate(wanted, streams=False):
        known = chosen.get(record.trial_id, [])
        said = (
            [stored.annotation for stored in ledger.annotations(record.trial_id)]
            if history
            else record.evaluation.annotations or ()
        )
        for annotation in said:
            yield record.trial_id, annotation, _of_reviewer(known, annotation.reviewer_id)


def _of_reviewer(known: list[ReviewSelection], reviewer: str) -> ReviewSelection | None:
    """The newest choice for this reviewer, else for whoever reviews."""
    for who in (reviewer, None):
        for made in reversed(known):
            if made.reviewer_id == who:
                return made
    return None


def _annotate(
    ledger: Ledger, rows: list[AnnotationRow], chosen: ChosenBy | None, probability: float | None
) -> list[bool]:
    from adjudge.ledger import record_selections

    added = ledger.annotate_all([(row.trial_id, row.annotation) for row in rows])
    made = [(row.trial_id, row.selection or _selection(row.annotation, chosen, probability)) for row in rows]
    record_selections(ledger, [(trial_id, selection) for trial_id, selection in made if selection])
    return added


def _selection(
    annotation: Annotation, chosen: ChosenBy | None, probability: float | None
) -> ReviewSelection | None:
    from adjudge.contracts import ReviewSelection

    _check_chosen(chosen, probability)
    if chosen is None:
        return None
    return ReviewSelection(
        reviewer_id=annotation.reviewer_id,
        method=chosen,
        probability=probability,
        timestamp=annotation.timestamp,
    )


def _check_chosen(chosen: ChosenBy | None, probability: float | None) -> None:
    if chosen is None and probability is not None:
        raise UsageError(
            "a probability needs the way of choosing beside it", field="--chosen", allowed=", ".join(ChosenBy)
        )
    if probability is not None and not 0 < probability <= 1:
        raise UsageError(
            "not a probability", field="--probability", found=probability, allowed="above 0, up to 1"
        )
    if chosen is ChosenBy.RANDOM and probability is None:
        raise UsageError(
            "a trial chosen at random has a probability of being chosen",
            field="--probability",
            remedy="Say how many of how many were drawn: 0.1 if 50 of 500 were.",
        )
    if chosen is ChosenBy.UNKNOWN and probability is not None:
        raise UsageError("a way of choosing that is unknown has no known probability", field="--probability")


def _format(file: str, kind: AnnotationFormat | None) -> AnnotationFormat:
    if kind is not None:
        return kind
    return AnnotationFormat.CSV if file.lower().endswith(".csv") else AnnotationFormat.JSONL


def _reading(file: str) -> Any:
    from contextlib import nullcontext

    if file == "-":
        if isinstance(sys.stdin, TextIOWrapper):  # whatever this locale reads otherwise
            sys.stdin.reconfigure(encoding="utf-8", newline="", errors="surrogateescape")
        return nullcontext(sys.stdin)
    try:
        return Path(file).open(encoding="utf-8", newline="", errors="surrogateescape")
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=file) from error
