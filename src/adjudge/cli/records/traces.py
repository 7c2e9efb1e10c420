"""`adjudge traces`: what agents did, turn by turn: attach a trace to a trial, search in many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import asdict

from adjudge.cli.judges.panel import CallChoice, JudgeChoice, takes_judges, write_estimate
from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter, takes_filter_beside_judges
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter


app = typed.Commands(
    help="What agents did, turn by turn: attach, search, classify.",
)


@app.command("attach")
@prints(Format.TERMINAL, Format.JSON)
def attach(
    out: Out,
    trial: Annotated[str, typed.Argument(help="A trial's id, or enough of its beginning.", metavar="TRIAL")],
    file: Annotated[
        Path, typed.Argument(help="trajectory.json, trajectory.jsonl or conversation.jsonl.", metavar="FILE")
    ],
    ledger: LedgerOption = None,
) -> None:
    """Attach a trace to a trial. Lines that cannot be read are named; the rest is kept."""
    from adjudge.ledger import open_ledger
    from adjudge.traces import attach_trace

    with open_ledger(ledger, create=False) as opened:
        trial_id = opened.find(trial)
        held = attach_trace(opened, trial_id, file)
    if out.for_programs:
        out.write_json({"trial_id": trial_id, **held})
        return
    for problem in held["problems"]:
        out.say(f"{file}: {problem}")
    unread = f", {held['unreadable']} unreadable" if held["unreadable"] else ""
    out.write(f"{trial_id}: {held['turns']} turns, {held['tool_calls']} calls{unread} ({held['format']})\n")


@app.command("search")
@takes_filter
@prints(Format.TERMINAL, Format.JSONL)
def search(
    wanted: TrialFilter,
    out: Out,
    text: Annotated[
        str, typed.Argument(help="What to look for; upper and lower case are the same.", metavar="TEXT")
    ],
    limit: Annotated[int, typed.Option("--limit", min=1, help="At most this many places.")] = 100,
    ledger: LedgerOption = None,
) -> None:
    """Find a text in the traces of trials: which trial, which turn, and what stands around it."""
    from itertools import islice

    if not text.strip():
        raise UsageError("there is nothing to look for", field="TEXT", found=text)
    from adjudge.ledger import open_ledger
    from adjudge.traces import find_traces, search_trace

    with open_ledger(ledger, create=False) as opened:
        ids = [record.trial_id for record in opened.iterate(wanted, streams=False)]
        traces = find_traces(opened, ids)
        hits = (
            hit
            for trial_id in ids
            if trial_id in traces
            for hit in search_trace(opened, traces[trial_id], text)
        )
        found = list(islice(hits, limit))
    if out.for_programs:
        import json

        out.write_lines(f"{json.dumps(asdict(hit), ensure_ascii=False)}\n" for hit in found)
        return
    safe = out.terminal.safe
    out.write("".join(f"{h.trial_id}  turn {h.turn}  {h.part}  {safe(h.around)}\n" for h in found))
    more = f" (the first {limit})" if len(found) == limit else ""
    out.say(f"{len(found)} places{more} in {len(traces)} traces of {len(ids)} trials")


@app.command("classify")
@takes_filter_beside_judges
@prints(Format.TERMINAL, Format.JSON)
@takes_judges
def classify(
    wanted: TrialFilter,
    out: Out,
    judges: JudgeChoice,
    calls: CallChoice,
    ledger: LedgerOption = None,
) -> None:
    """Give each assistant's turn a kind: execution, verification, deliberation or exploration.

    Mechanically, from what the turn does and says; turns that cannot be told stay open, or go to the judges
    that --model names.
    """
    from contextlib import ExitStack

    from adjudge.judges import NotAsked, classify_by_judge, turn_requests
    from adjudge.ledger import open_ledger
    from adjudge.traces import MECHANICAL, classify_turns, find_traces, record_kinds, turns_of

    panel = judges.panel(calls) if judges.models else None
    models = panel.models if panel else ()
    name = " + ".join([MECHANICAL, *(f"{model} × {judges.samples}" for model in models)])
    told = classified = total = unasked = 0
    with open_ledger(ledger, create=False) as opened, ExitStack() as ways:
        ids = [record.trial_id for record in opened.iterate(wanted, streams=False)]
        if panel is not None:
            prices = calls.prices(panel.models)
            asker = calls.asker(ways, opened, panel.models, panel.form, prices, calls.purse())
        traces = find_traces(opened, ids)
        if judges.dry_run:
            if panel is None:
                raise UsageError("without --model nobody is asked", field="--dry-run")
            requests = (
                request
                for trace in traces.values()
                for request in turn_requests(classify_turns(turns_of(opened, trace))[1], panel)
            )
            write_estimate(opened, len(ids), requests, prices, out)
            return
        for trace in traces.values():
            found, left = classify_turns(turns_of(opened, trace))
            turns = len(found) + len(left)
            try:
                found += classify_by_judge(left, panel, asker) if panel is not None else []
            except NotAsked as error:
                out.say(f"{trace.trial_id}: {error}")
                unasked += 1
                continue
            record_kinds(opened, trace, name, found, turns)
            classified += 1
            told, total = told + len(found), total + turns
    if out.for_programs:
        out.write_json(
            {
                "trials": len(ids),
                "traces": len(traces),
                "classified": classified,
                "turns": total,
                "told": told,
            }
        )
    else:
        out.write(f"{told} of {total} turns told in {classified} traces of {len(ids)} trials ({name})\n")
    if unasked:
        raise typed.Exit(1)


@app.command("structure")
@takes_filter
@prints(Format.TERMINAL, Format.JSON, Format.HTML)
def structure(
    wanted: TrialFilter,
    out: Out,
    high: Annotated[
        float, typed.Option("--high", min=0, max=1, help="References are trials with at least this reward.")
    ] = 0.8,
    permutations: Annotated[
        int, typed.Option("--permutations", min=19, max=99_999, help="Shuffles of the test.")
    ] = 999,
    seed: Annotated[int, typed.Option("--seed", min=0, help="Of the shuffles.")] = 0,
    ledger: LedgerOption = None,
) -> None:
    """Does the way agents work go with their reward? Run `adjudge traces classify` first.

    Similarity and distance to high-reward trials of other tasks, with a permutation test. -o page.html draws
    it.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports import html
    from adjudge.traces import link_to_reward, read_kinds, score_structures

    with open_ledger(ledger, create=False) as opened:
        records = list(opened.iterate(wanted, streams=False))
        sequences, turns = read_kinds(opened, records)
    test = link_to_reward(sequences, high=high, permutations=permutations, seed=seed)
    if out.format is Format.HTML:
        out.write(html.render_structure(sequences, test))
        return
    scores = score_structures(sequences, high)
    below = sum(turn.confidence < 0.75 for turn in turns)
    if out.for_programs:
        out.write_json(
            {
                "test": asdict(test),
                "trials": [asdict(score) for score in scores],
                "turns": len(turns),
                "mean_confidence": sum(t.confidence for t in turns) / len(turns) if turns else None,
                "below_0.75": below,
            }
        )
        return
    lines = [
        f"{s.trial_id}  similarity {_or_none(s.similarity)}  distance {_or_none(s.distance)}" for s in scores
    ]
    doubt = f"{len(turns)} turns classified, {below} of them with a confidence below 0.75"
    out.write("".join(f"{line}\n" for line in (*lines, doubt, html.structure_sentence(test))))


def _or_none(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
