"""What the commands that read a ledger do, as functions: `adjudge.report`, `adjudge.compare`, `adjudge.gate`.

(`adjudge.run` lives with the runs, `adjudge.audit` with the audit.) Each takes values and returns a value;
nothing is printed, and the commands call these functions. A ledger is a path, a URL, one that is open already
(and stays open), or None for the default place.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter, borrow_ledger

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, TrialColumns
    from adjudge.reports import Choices, Comparison, RegressionGate, Report, SequentialGate

    AnyLedger = Ledger | Path | str | None


def report(
    ledger: AnyLedger = None,
    *,
    where: TrialFilter | None = None,
    choices: Choices | None = None,
    every_field: bool = False,
    baselines: bool = False,
) -> Report:
    """What the matching trials say: rewards with intervals and coverage, tasks, fields, errors, agreement.

        found = adjudge.report("adjudge.db", where=adjudge.TrialFilter(experiment="pilot"))
        for group in found.groups:
            print(group.name, group.reward.value, group.reward.interval)

    `choices` says how the numbers are made; `every_field` reads all breakdowns, however many there are;
    `baselines` adds a note on what trivial agents earn on these tasks, if they were audited.
    """
    from adjudge.reports import read_report

    with borrow_ledger(ledger) as opened:
        found = read_report(opened, where, choices, every_field=every_field)
        if not baselines:
            return found
        from adjudge.reports import read_baselines

        notes = read_baselines(opened, where or TrialFilter())
    return found.model_copy(update={"notes": (*found.notes, *notes)})


def compare(
    *names: str,
    ledger: AnyLedger = None,
    where: TrialFilter | None = None,
    choices: Choices | None = None,
    success: float | None = None,
    rescored: bool = False,
    every_field: bool = False,
    any_verifier: bool = False,
) -> Comparison:
    """Compare two or more sides on the tasks they share; without names, all there are.

        found = adjudge.compare("slide-rule", "estimator", ledger="adjudge.db")
        for pair in found.pairs:
            print(pair.a, pair.b, pair.comparison.difference.value)

    The names are those of `choices.group_by`: agents, unless it says otherwise. With `success`, the share of
    attempts with at least that reward is compared. `rescored` compares trials that were scored again with
    what they had before, and takes no names. `any_verifier` pairs tasks although their verifier differs.
    """
    from adjudge.reports import (
        Choices,
        compare_groups,
        compare_rescored,
        read_columns_for,
        read_documents,
    )

    choices, where = choices or Choices(), where or TrialFilter()
    if rescored and names:
        raise UsageError("--rescored compares before with after; it takes no names", found=list(names))
    with borrow_ledger(ledger) as opened:
        columns, choices = read_columns_for(opened, where, choices)
        if rescored:
            replaced = opened.replaced_columns(where)
            return compare_rescored(columns, replaced, choices, threshold=success, wanted=where)
        documents = read_documents(opened, where, columns, every=every_field)
        return compare_groups(
            columns,
            names,
            choices,
            threshold=success,
            documents=documents,
            wanted=where,
            any_verifier=any_verifier,
        )


def gate(
    baseline: str,
    candidate: str,
    *,
    margin: float = 0.02,
    ledger: AnyLedger = None,
    where: TrialFilter | None = None,
    choices: Choices | None = None,
    success: float | None = None,
    any_verifier: bool = False,
) -> RegressionGate:
    """Has a candidate lost more than a margin against its baseline, on the tasks they share?

        found = adjudge.gate("v1", "v2", margin=0.02, ledger="adjudge.db")
        print(found.verdict.outcome, found.verdict.reason)

    The names are experiments, unless `choices.group_by` says otherwise. UsageError if either has no trials.
    `success` and `any_verifier` are those of `compare`.
    """
    from adjudge.reports import build_gate

    columns, choices = _gate_columns(ledger, where, choices)
    return build_gate(
        columns,
        baseline,
        candidate,
        choices,
        margin=margin,
        threshold=success,
        wanted=where,
        any_verifier=any_verifier,
    )


def sequential_gate(
    baseline: str,
    candidate: str,
    *,
    margin: float = 0.02,
    ledger: AnyLedger = None,
    where: TrialFilter | None = None,
    choices: Choices | None = None,
    success: float | None = None,
    any_verifier: bool = False,
    attempts: int | None = None,
) -> SequentialGate:
    """`gate` for looking while the candidate still runs: its intervals hold at every look, and are wider.

    A task counts when the candidate has made all its `attempts`; without, as many as the baseline made.
    """
    from adjudge.reports import build_sequential_gate

    columns, choices = _gate_columns(ledger, where, choices)
    return build_sequential_gate(
        columns,
        baseline,
        candidate,
        choices,
        margin=margin,
        threshold=success,
        wanted=where,
        any_verifier=any_verifier,
        attempts=None if attempts is None else dict.fromkeys(columns.task.categories, attempts),
    )


def _gate_columns(
    ledger: AnyLedger, where: TrialFilter | None, choices: Choices | None
) -> tuple[TrialColumns, Choices]:
    from adjudge.reports import Choices, read_columns_for

    with borrow_ledger(ledger) as opened:
        return read_columns_for(opened, where or TrialFilter(), choices or Choices(group_by="experiment"))
