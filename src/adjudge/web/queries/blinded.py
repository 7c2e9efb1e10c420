"""Numbers as somebody may see them who is blind on some trials: what tells of one such trial is left out.

Numbers over many trials stay whole. A row of a single task may stand on one trial, and a list of trials names
them: rows of tasks with a trial that waits for a verdict say nothing, and such a trial is in no list. A task
stays in the list of tasks as long as it has other trials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.reports import Comparison, Report
    from adjudge.web.queries.numbers import TaskSummary
    from adjudge.web.review.items import QueueItem


def blind_tasks(tasks: Sequence[TaskSummary], waiting: Mapping[str, QueueItem]) -> list[TaskSummary]:
    """The tasks that have trials on which nobody is blind."""
    hidden = Counter(item.task for item in waiting.values())
    return [one for one in tasks if one.trials > hidden[one.task]]


def blind_report(report: Report, waiting: Mapping[str, QueueItem]) -> Report:
    """A report that says nothing of a single trial that waits."""
    tasks = {item.task for item in waiting.values()}
    if not tasks:
        return report
    agreement = report.agreement
    return report.model_copy(
        update={
            "tasks": tuple(
                row.model_copy(update={"mean": None, "cells": (None,) * len(row.cells)})
                if row.task in tasks
                else row
                for row in report.tasks
            ),
            "taxonomy": tuple(
                row.model_copy(update={"tasks": tuple(one for one in row.tasks if one[0] not in tasks)})
                for row in report.taxonomy
            ),
            "comparison": None if report.comparison is None else blind_comparison(report.comparison, waiting),
            "agreement": None
            if agreement is None
            else agreement.model_copy(
                update={
                    "disagreements": tuple(
                        one for one in agreement.disagreements if one.trial_id not in waiting
                    )
                }
            ),
        }
    )


def blind_comparison(comparison: Comparison, waiting: Mapping[str, QueueItem]) -> Comparison:
    """A comparison without the rows of tasks that have a trial that waits."""
    tasks = {item.task for item in waiting.values()}
    if not tasks:
        return comparison
    kept = tuple(row for row in comparison.tasks if row.task not in tasks)
    return comparison.model_copy(update={"tasks": kept})
