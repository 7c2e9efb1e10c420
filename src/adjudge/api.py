"""What the commands do, as functions: `adjudge.run`, `adjudge.report`, `adjudge.compare`, `adjudge.gate`.

(`adjudge.audit` is the fifth; it lives with the audit.) Each takes values and returns a value; nothing is
printed, and the commands call these functions. A ledger is a path, a URL, one that is open already (and stays
open), or None for the default place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter, borrow_ledger
from adjudge.runs import (
    MANIFEST_NAME,
    BadRow,
    Executor,
    ManifestRow,
    Run,
    Tally,
    count_rows,
    local_executor,
    ray_executor,
    read_manifest,
    read_outputs_folder,
)
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.tasks import load_tasks

if TYPE_CHECKING:
    from adjudge.ledger import Ledger
    from adjudge.reports import Choices, Comparison, RegressionGate, Report

    AnyLedger = Ledger | Path | str | None


def run(
    manifest: Path | str,
    *,
    experiment: str,
    tasks: Path | str | None = None,
    ledger: AnyLedger = None,
    blobs: Path | str | None = None,
    sandbox: Sandbox | str = "auto",
    workers: int | None = None,
    executor: str = "local",
    ray_address: str | None = None,
    cache: bool = True,
    retry_failed: bool = False,
    tally: Tally | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_change: Callable[[], None] | None = None,
    around: AbstractContextManager[object] | None = None,
) -> Tally:
    """Score every output that a manifest or a folder names into the ledger. The same call again resumes.

        tally = adjudge.run("outputs", experiment="pilot", tasks="tasks", ledger="adjudge.db")
        print(tally.recorded, tally.mean_reward, tally.bad_rows)

    `manifest` is a JSONL file, or a folder `AGENT/ATTEMPT/TASK_ID/` (then `tasks` is their root). `workers`
    is how many verifiers run at once; None takes every core. Watch the `tally`, which counts what the ledger
    holds; once `should_stop()` is true, what is in flight is finished and recorded. `around` is entered
    while verifiers run: a progress bar, for instance.
    """
    rows, total = planned_rows(Path(manifest), None if tasks is None else Path(tasks))
    execute = choose_executor(executor, workers, ray_address, sandbox)
    tally = Tally() if tally is None else tally
    tally.total = total
    with borrow_ledger(ledger, create=True, blobs=blobs) as book, around or nullcontext():
        Run(
            book,
            experiment,
            tally=tally,
            tasks_root=None if tasks is None else Path(tasks),
            cache=cache,
            retry_failed=retry_failed,
            on_change=on_change or (lambda: None),
        ).execute(rows, execute, should_stop or (lambda: False))
    return tally


def choose_executor(
    name: str, workers: int | None, ray_address: str | None, sandbox: Sandbox | str
) -> Executor:
    """Where verifiers run. Fails at once if no sandbox works, before anything is begun.

    Only whether one works on the machines of another cluster is seen no sooner than there.
    """
    if name not in ("local", "ray"):
        raise UsageError("no such executor", found=name, allowed="local, ray")
    count = workers or len(os.sched_getaffinity(0))
    if name == "local":
        if ray_address is not None:
            raise UsageError("goes with --executor ray only", field="--ray-address", found=ray_address)
        return local_executor(choose_sandbox(sandbox) if isinstance(sandbox, str) else sandbox, count)
    kind = sandbox if isinstance(sandbox, str) else sandbox.name
    if ray_address is not None:
        return ray_executor(kind, workers, ray_address)
    choose_sandbox(kind)
    return ray_executor(kind, count)


def planned_rows(manifest: Path, tasks: Path | None) -> tuple[Iterable[ManifestRow | BadRow], int | None]:
    """The rows to score, and how many there are if that is known beforehand."""
    if manifest.is_dir() and not (manifest / MANIFEST_NAME).exists():
        if tasks is None:
            raise UsageError(
                f"the folder has no {MANIFEST_NAME}, so its tasks must be named",
                file=manifest,
                remedy="Add --tasks ROOT; the folder is then read as AGENT/ATTEMPT/TASK_ID/.",
            )
        found = load_tasks(tasks)
        broken = {problem.id: problem.message for problem in found.problems}
        rows = list(read_outputs_folder(manifest, list(found), broken))
        if not rows:
            raise UsageError(
                "no outputs were found",
                file=manifest,
                allowed="AGENT/ATTEMPT/TASK_ID/ with ids as `adjudge tasks` lists them",
            )
        return rows, len(rows)
    file = manifest / MANIFEST_NAME if manifest.is_dir() else manifest
    total = count_rows(file) if file.is_file() else None
    if total == 0:
        raise UsageError("the manifest has no rows", file=file, remedy="Add one JSON object per line.")
    return read_manifest(file), total


def report(
    ledger: AnyLedger = None,
    *,
    where: TrialFilter | None = None,
    choices: Choices | None = None,
    every_field: bool = False,
) -> Report:
    """What the matching trials say: rewards with intervals and coverage, tasks, fields, errors, agreement.

        found = adjudge.report("adjudge.db", where=adjudge.TrialFilter(experiment="pilot"))
        for group in found.groups:
            print(group.name, group.reward.value, group.reward.interval)

    `choices` says how the numbers are made; `every_field` reads all breakdowns, however many there are.
    """
    from adjudge.reports import read_report

    with borrow_ledger(ledger) as opened:
        return read_report(opened, where, choices, every_field=every_field)


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
            return compare_rescored(columns, opened.replaced_columns(where), choices, threshold=success)
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
) -> RegressionGate:
    """Has a candidate lost more than a margin against its baseline, on the tasks they share?

        found = adjudge.gate("v1", "v2", margin=0.02, ledger="adjudge.db")
        print(found.verdict.outcome, found.verdict.reason)

    The names are experiments, unless `choices.group_by` says otherwise. UsageError if either has no trials.
    """
    from adjudge.reports import Choices, build_gate, read_columns_for

    choices = choices or Choices(group_by="experiment")
    with borrow_ledger(ledger) as opened:
        columns, choices = read_columns_for(opened, where or TrialFilter(), choices)
    return build_gate(columns, baseline, candidate, choices, margin=margin, threshold=success, wanted=where)
