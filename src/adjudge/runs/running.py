"""Score many: what `adjudge run` does with the rows of a manifest. The same run again resumes.

`rows.py` says what is wanted, `plan.py` what of it is left to score, `cache.py` what need not be scored,
`workers.py` scores, `recorder.py` records, and `conduct.py` brings them together; here it is counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.ledger import Written, borrow_ledger
from adjudge.runs.cache import AnswerCache
from adjudge.runs.conduct import conduct
from adjudge.runs.label import check_name
from adjudge.runs.on_ray import ray_executor
from adjudge.runs.plan import Plan, plan_rows
from adjudge.runs.recorder import RecordedTrial
from adjudge.runs.rows import RunRows, find_rows
from adjudge.runs.tally import Tally
from adjudge.runs.workers import Executor, local_executor
from adjudge.sandbox import Sandbox, choose_sandbox, only_cold
from adjudge.traces import attach_trace, find_traces

if TYPE_CHECKING:
    from adjudge.ledger import Ledger


def run(
    manifest: Path | str | RunRows,
    *,
    experiment: str,
    tasks: Path | str | None = None,
    ledger: Ledger | Path | str | None = None,
    blobs: Path | str | None = None,
    sandbox: Sandbox | str = "auto",
    workers: int | None = None,
    executor: Executor | str = "local",
    ray_address: str | None = None,
    cache: bool = True,
    retry_failed: bool = False,
    cold: bool = False,
    tally: Tally | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_change: Callable[[], None] | None = None,
    around: AbstractContextManager[object] | None = None,
) -> Tally:
    """Score every output that a manifest or a folder names into the ledger. The same call again resumes.

        tally = adjudge.run("outputs", experiment="pilot", tasks="tasks", ledger="adjudge.db")
        print(tally.recorded, tally.mean_reward, tally.bad_rows)

    `manifest` is a JSONL file, or a folder `AGENT/ATTEMPT/TASK_ID/` (then `tasks` is their root), or rows
    found before. `workers` is how many verifiers run at once; None takes every core. Watch the `tally`, which
    counts what the ledger holds; once `should_stop()` is true, what is in flight is finished and recorded.
    `around` is entered while verifiers run: a progress bar, for instance. With `cold`, no trial is run warm.
    """
    check_name("--experiment", experiment)
    rows = manifest if isinstance(manifest, RunRows) else find_rows(manifest, tasks)
    if isinstance(executor, str):
        executor = choose_executor(executor, workers, ray_address, sandbox, cold=cold)
    tally = Tally() if tally is None else tally
    stops = should_stop or (lambda: False)
    tally.total = rows.total
    with borrow_ledger(ledger, create=True, blobs=blobs) as book, around or nullcontext():
        plans = plan_rows(
            rows,
            experiment,
            book.states,
            tasks_root=rows.tasks_root,
            output_path=rows.output_path,
            retry_failed=retry_failed,
        )
        answers = AnswerCache(book) if cache else None
        for step in conduct(book, plans, executor, cache=answers, should_stop=stops):
            tally.count(step)
            _attach_traces(step, book, tally)
            if on_change is not None:
                on_change()
        tally.interrupted = stops()
        book.sign_if_asked()
    return tally


def _attach_traces(step: Plan | list[RecordedTrial], ledger: Ledger, tally: Tally) -> None:
    """Attach what rows name as traces. One that cannot be read is told, and its trial stays as it is."""
    if isinstance(step, Plan):
        trials = step.traced
        if trials:
            there = find_traces(ledger, [trial.trial_id for trial in trials])
            trials = [trial for trial in trials if trial.trial_id not in there]
    else:
        trials = [done.finished.trial for done in step if done.answer.written is not Written.CONFLICT]
    for trial in trials:
        if trial.trace is None:
            continue
        try:
            held = attach_trace(ledger, trial.trial_id, trial.trace)
        except UsageError as error:
            tally.bad_traces.append(str(error))
        else:
            if held["unreadable"]:
                first = held["problems"][0]
                tally.bad_traces.append(f"{trial.trace}: {held['unreadable']} unreadable; {first}")


def choose_executor(
    name: str, workers: int | None, ray_address: str | None, sandbox: Sandbox | str, *, cold: bool = False
) -> Executor:
    """Where verifiers run. Fails at once if no sandbox works here, before anything is begun.

    Whether one works on the machines of another cluster is seen only there.
    """
    if name not in ("local", "ray"):
        raise UsageError("no such executor", field="--executor", found=name, allowed="local, ray")
    count = workers or len(os.sched_getaffinity(0))
    if name == "local":
        if ray_address is not None:
            raise UsageError("goes with --executor ray only", field="--ray-address", found=ray_address)
        if isinstance(sandbox, str):
            sandbox = choose_sandbox(sandbox, warm=not cold)
        return local_executor(only_cold(sandbox) if cold else sandbox, count)
    if not isinstance(sandbox, str):
        raise UsageError(
            "--image, --rootfs, --packages and --prepare are for this machine",
            field="--executor",
            found=name,
            allowed="local",
        )
    if ray_address is not None:
        return ray_executor(sandbox, workers, ray_address)
    choose_sandbox(sandbox)
    return ray_executor(sandbox, count)
