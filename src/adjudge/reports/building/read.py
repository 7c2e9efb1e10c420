"""Read what a report needs from a ledger, and build it: the one place where a report does I/O."""

from __future__ import annotations

from adjudge.ledger import Ledger, TrialFilter
from adjudge.reports.building.documents import read_documents
from adjudge.reports.building.judgements import read_judged
from adjudge.reports.building.report import build_report
from adjudge.reports.building.reviews import read_reviews
from adjudge.reports.building.selection import read_columns_for
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import Report


def read_report(
    ledger: Ledger,
    wanted: TrialFilter | None = None,
    choices: Choices | None = None,
    *,
    every_field: bool = False,
) -> Report:
    """The report of the matching trials. `every_field` reads all breakdowns, however many there are."""
    wanted = wanted or TrialFilter()
    choices = choices or Choices(threshold=wanted.threshold)
    columns, choices = read_columns_for(ledger, wanted, choices)
    documents = read_documents(ledger, wanted, columns, every=every_field)
    return build_report(
        columns,
        choices,
        tags=ledger.tag_columns(wanted),
        documents=documents,
        reviews=read_reviews(ledger, wanted, columns, documents),
        judged=read_judged(ledger, columns),
        wanted=wanted,
    )
