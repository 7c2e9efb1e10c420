"""`adjudge trials`: the trials of a ledger, filtered and sorted, page by page."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.reports import TrialOrder

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, TrialFilter

_SHOWN = 50


@takes_filter
@prints(Format.TERMINAL, Format.JSONL)
def command(
    wanted: TrialFilter,
    out: Out,
    ledger: LedgerOption = None,
    sort: Annotated[TrialOrder, typed.Option("--sort", help="In which order.")] = TrialOrder.NEWEST,
    limit: Annotated[
        int | None,
        typed.Option("--limit", min=1, help=f"At most this many. [default: {_SHOWN}; with --json, all]"),
    ] = None,
    page: Annotated[int, typed.Option("--page", min=1, help="Which page of --limit trials.")] = 1,
) -> None:
    """List trials: filter by experiment, agent, model, task, tag, reward, validity, annotation, disagreement.

    --json prints one TrialRecord per line. Options of one kind widen, of different kinds narrow.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports import iterate_trials

    with open_ledger(ledger, create=False) as opened:
        if not out.for_programs:
            _write_table(opened, wanted, out, sort, limit or _SHOWN, page)
            return
        size = limit if limit is not None or page == 1 else _SHOWN
        records = iterate_trials(opened, wanted, sort, skip=(page - 1) * (size or 0))
        out.write_lines(f"{record.model_dump_json()}\n" for record in islice(records, size))


def _write_table(
    ledger: Ledger, wanted: TrialFilter, out: Out, sort: TrialOrder, limit: int, page: int
) -> None:
    from adjudge.reports import iterate_trials, terminal

    skip = (page - 1) * limit
    records = list(islice(iterate_trials(ledger, wanted, sort, skip=skip, streams=False), limit))
    if not records:
        out.say(_nothing(ledger, wanted, page))
        return
    last = skip + len(records)
    total = ledger.count(wanted) if page > 1 or len(records) == limit else last
    count = f"{total:,} trial{'' if total == 1 else 's'}"
    if len(records) < total:
        pages = -(-total // limit)
        count = f"{skip + 1:,}–{last:,} of {count}; page {page:,} of {pages:,}, --page N shows another"
    out.write(terminal.render_trials(records, out.terminal, wanted.threshold, footer=count))


def _nothing(ledger: Ledger, wanted: TrialFilter, page: int) -> str:
    """Why the list may be empty: what there is instead."""
    experiments = ledger.info().experiments
    if not experiments:
        return f"{ledger.location} holds no trials yet."
    if page > 1 and (total := ledger.count(wanted)):
        return f"there is no page {page:,}: {total:,} trials match"
    unknown = [name for name in wanted.experiment if name not in experiments]
    known = ", ".join(f"{name} ({count:,})" for name, count in list(experiments.items())[:20])
    why = f"; no experiment is named {unknown[0]}" if unknown else ""
    return f"no trial matches{why}. The experiments are: {known}"
