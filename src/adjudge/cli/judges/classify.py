"""`adjudge classify`: let judges say why trials failed, in given categories; propose others."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.judges.panel import CallChoice, JudgeChoice, takes_judges, write_estimate
from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter_beside_judges
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.contracts import TrialRecord
    from adjudge.ledger import Ledger, TrialFilter


@takes_filter_beside_judges
@prints(Format.TERMINAL, Format.JSON)
@takes_judges
def command(
    wanted: TrialFilter,
    out: Out,
    judges: JudgeChoice,
    calls: CallChoice,
    category: Annotated[
        list[str] | None,
        typed.Option(
            "--category",
            metavar="NAME[=REGEX]",
            help="A category; the pattern is for 'offline'. Repeatable. [default: those of earlier tags]",
        ),
    ] = None,
    below: Annotated[
        float, typed.Option("--below", min=0, max=1, help="A trial with a lower reward has failed.")
    ] = 1.0,
    confirm: Annotated[
        str | None,
        typed.Option(
            "--confirm",
            metavar="PROPOSAL=CATEGORY",
            help="Tag the trials of a proposed kind with this category.",
        ),
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Say why trials failed: tags with source 'judge', in given categories, with reasons and checked quotes.

    Failures of another kind are put together and proposed; --confirm tags them once a person has named them.
    """
    from adjudge.judges import (
        NotAsked,
        classify_failure,
        cluster_failures,
        failure_key,
        failure_requests,
        known_failure,
        record_failure,
    )
    from adjudge.ledger import open_ledger

    panel = judges.panel(calls)
    prices = calls.prices(panel.models)
    found: dict[str, dict[str, Any]] = {}
    unasked = 0
    with open_ledger(ledger, create=False) as book, ExitStack() as ways:
        records = [r for r in book.iterate(wanted, streams=False) if r.evaluation.reward < below]
        categories = _categories(category, records)
        if judges.dry_run:
            requests = (q for record in records for q in failure_requests(book, record, categories, panel))
            write_estimate(book, len(records), requests, prices, out)
            return
        asker = calls.asker(ways, book, panel.models, panel.form, prices, calls.purse())
        for record in records:
            key = failure_key(book, record, categories, panel)
            known = known_failure(book, record.trial_id, key)
            try:
                made = known or classify_failure(book, record, categories, panel, asker)
            except NotAsked as error:
                out.say(f"{record.trial_id}: {error}")
                unasked += 1
                continue
            found[record.trial_id] = made
            if known is None:
                record_failure(book, record.trial_id, key, made)
        clusters = cluster_failures(found)
        tagged = _confirm(book, confirm, clusters, found) if confirm is not None else 0
    if out.for_programs:
        rows = [{"name": c.name, "trials": list(c.trials), "confirmed": c.confirmed} for c in clusters]
        out.write_json({"failed": len(records), "trials": found, "clusters": rows, "confirmed_now": tagged})
    else:
        safe = out.terminal.safe
        lines = [
            f"{len(records)} failed trials, {sum(f['category'] is None for f in found.values())} abstained"
        ]
        lines += [
            f"{len(c.trials):>5}  {safe(c.name)}{'' if c.confirmed else '  (proposed)'}  {c.trials[0]}"
            for c in clusters
        ]
        lines += [f"{tagged} trials tagged"] if confirm is not None else []
        out.write("".join(f"{line}\n" for line in lines))
    if unasked:
        raise typed.Exit(1)


def _categories(words: list[str] | None, records: list[TrialRecord]) -> dict[str, str | None]:
    import re

    from adjudge.contracts import MECHANICAL_CATEGORIES

    if not words:
        used = {tag.category for r in records for tag in r.evaluation.error_taxonomy or ()}
        words = sorted(used - set(MECHANICAL_CATEGORIES))
    found: dict[str, str | None] = {}
    for word in words:
        name, _, pattern = word.partition("=")
        try:
            re.compile(pattern)
        except re.error as error:
            raise UsageError(f"no regular expression: {error}", field="--category", found=word) from None
        if not name or name in found:
            raise UsageError("no category, or one given twice", field="--category", found=word)
        found[name] = pattern or None
    if not found:
        raise UsageError("no category is known", remedy="Add --category NAME, several times.")
    return found


def _confirm(book: Ledger, word: str, clusters: list[Any], found: dict[str, dict[str, Any]]) -> int:
    from adjudge.judges import confirm_failures

    name, _, category = word.partition("=")
    cluster = next((c for c in clusters if c.name == name and not c.confirmed), None)
    if cluster is None and any(c.name == category and c.confirmed for c in clusters):
        return 0  # the same command again
    if cluster is None or not category:
        proposals = ", ".join(c.name for c in clusters if not c.confirmed) or "none is proposed"
        raise UsageError("no such proposal", field="--confirm", found=word, allowed=proposals)
    return confirm_failures(book, category, {trial_id: found[trial_id] for trial_id in cluster.trials})
