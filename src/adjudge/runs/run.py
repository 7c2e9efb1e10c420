"""Score many: what `adjudge run` does with the rows of a manifest. The same run again resumes.

`plan.py` says what is left to score, `cache.py` what need not be scored, `workers.py` scores, `recorder.py`
records, and `conduct.py` brings them together; here it is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.ledger import Written
from adjudge.runs.cache import AnswerCache
from adjudge.runs.conduct import conduct
from adjudge.runs.label import check_name
from adjudge.runs.manifest import BadRow, ManifestRow
from adjudge.runs.plan import Plan, plan_rows
from adjudge.runs.recorder import RecordedTrial
from adjudge.runs.tally import Tally
from adjudge.runs.workers import Executor
from adjudge.traces import attach_trace, find_traces

if TYPE_CHECKING:
    from adjudge.ledger import Ledger


class Run:
    """One pass over a manifest. `tally` counts what the ledger holds, and is the only thing to watch."""

    def __init__(
        self,
        ledger: Ledger,
        experiment: str,
        *,
        tally: Tally,
        tasks_root: Path | None = None,
        cache: bool = True,
        retry_failed: bool = False,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        check_name("--experiment", experiment)
        self.ledger = ledger
        self.experiment = experiment
        self.tally = tally
        self.tasks_root = tasks_root
        self.cache = cache
        self.retry_failed = retry_failed
        self.on_change = on_change

    def execute(
        self, rows: Iterable[ManifestRow | BadRow], executor: Executor, should_stop: Callable[[], bool]
    ) -> None:
        """Score every row that needs it. Asked to stop, it finishes and records what is in flight."""
        plans = plan_rows(
            rows,
            self.experiment,
            self.ledger.states,
            tasks_root=self.tasks_root,
            retry_failed=self.retry_failed,
        )
        cache = AnswerCache(self.ledger) if self.cache else None
        for step in conduct(self.ledger, plans, executor, cache=cache, should_stop=should_stop):
            self.tally.count(step)
            self._attach_traces(step)
            self.on_change()
        self.tally.interrupted = should_stop()
        self.ledger.sign_if_asked()

    def _attach_traces(self, step: Plan | list[RecordedTrial]) -> None:
        """Attach what rows name as traces. One that cannot be read is told, and its trial stays as it is."""
        if isinstance(step, Plan):
            trials = step.traced
            if trials:
                there = find_traces(self.ledger, [trial.trial_id for trial in trials])
                trials = [trial for trial in trials if trial.trial_id not in there]
        else:
            trials = [done.finished.trial for done in step if done.answer.written is not Written.CONFLICT]
        for trial in trials:
            if trial.trace is None:
                continue
            try:
                held = attach_trace(self.ledger, trial.trial_id, trial.trace)
            except UsageError as error:
                self.tally.bad_traces.append(str(error))
            else:
                if held["unreadable"]:
                    first = held["problems"][0]
                    self.tally.bad_traces.append(f"{trial.trace}: {held['unreadable']} unreadable; {first}")
