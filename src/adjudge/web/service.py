"""The reward service: outputs wait in a bounded queue; who finds no room is told when to come back.

A slot is taken before anything is scored and given back afterwards, whatever happens. A machinery failure
is an answer of its own and never a reward.

Who says whose output it is has it recorded as a trial, as a run would: the same output of the same agent,
model and attempt in an experiment is the same trial, so what is sent again is answered from the ledger.
"""

from __future__ import annotations

import logging
import math
import os
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct
from msgspec.structs import replace
from pydantic import Field

from adjudge.contracts import EvaluationResult, Outcome, Task, TrialIdentity, outcome_of
from adjudge.errors import AdjudgeError, MachineryError, Problem, UsageError
from adjudge.gates import AgentOutput, output_of_bytes, read_output
from adjudge.runs import FailedTrial, FinishedTrial, ScoredTrial, Trial, entry_of
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.scoring import score_output
from adjudge.web.sent import SentModel
from adjudge.web.settings import ServeSettings

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_LOG = logging.getLogger(__name__)

Content = bytes | Mapping[str, bytes]
"""One file's bytes, or files by their paths."""

_USUAL_SEC = 1.0
"""What one output takes, as long as nothing else is known."""
_LATEST = 0.2
"""How much the latest output says of what the next one takes."""
MOST_FILES = 1_000
_LONGEST_PATH, _LONGEST_PART = 500, 200


class ServiceBusy(UsageError):  # noqa: N818 - names a state, and is read as one
    """No room in the queue; `retry_after` says how many seconds to wait."""

    status = 429

    def __init__(self, waiting: int, seconds: float) -> None:
        super().__init__(
            "the queue is full", found=waiting, remedy=f"Send it again in {math.ceil(seconds)} s."
        )
        self.retry_after = max(1, math.ceil(seconds))


class ScoreAnswer(Struct, frozen=True):
    """What came of one output: an evaluation, or the problem that kept the machinery from making one."""

    task: str
    evaluation: EvaluationResult | None
    problem: Problem | None
    seconds: float
    trial_id: str | None = None
    """The trial under which it stands in the ledger, if it was to be recorded."""

    @property
    def status(self) -> str:
        """`scored`, or `machinery failed`: then there is no reward."""
        if self.evaluation is None or outcome_of(self.evaluation) is Outcome.MACHINERY_FAILED:
            return Outcome.MACHINERY_FAILED.value
        return "scored"


class TrialOwner(SentModel):
    """Whose output it is, and so which trial: an output that comes with this is recorded."""

    experiment: Annotated[str, Field(min_length=1, max_length=200)]
    agent: Annotated[str, Field(min_length=1, max_length=200)]
    model: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    attempt: int = Field(default=1, ge=1, le=1_000_000_000)


class ScoreService:
    """Scores in threads; the work itself happens in sandboxes."""

    def __init__(self, ledger: Ledger, settings: ServeSettings) -> None:
        self._ledger = ledger
        self._kind = settings.sandbox
        # one more than cores: while a thread waits for those that answer requests, a core would idle
        self.workers = settings.workers or len(os.sched_getaffinity(0)) + 1
        self.room = settings.score_queue + self.workers
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="adjudge-service")
        self._lock = threading.Lock()
        self._sandbox: Sandbox | None = None
        self.taken = 0
        self.scored = 0
        self.failed = 0
        self.refused = 0
        self.busy_sec = 0.0
        self._usual_sec = _USUAL_SEC

    def close(self) -> None:
        """Finish what is being scored; what waits is given up."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def sandbox(self) -> Sandbox:
        """The sandbox of this server, chosen once."""
        with self._lock:
            if self._sandbox is None:
                self._sandbox = choose_sandbox(self._kind, warm=True)
            return self._sandbox

    def check_room(self, slots: int) -> None:
        """ServiceBusy if there are not so many places in the queue now."""
        with self._lock:
            self._need_room(slots)

    def take(self, slots: int) -> None:
        """Take so many places in the queue, or none. ServiceBusy if there are not so many."""
        with self._lock:
            self._need_room(slots)
            self.taken += slots

    def _need_room(self, slots: int) -> None:
        if self.taken + slots > self.room:
            self.refused += slots
            raise ServiceBusy(self.taken, self._usual_sec * self.taken / self.workers)

    def give_back(self, slots: int = 1) -> None:
        """Give places back that were not used."""
        with self._lock:
            self.taken -= slots

    def submit(
        self, task: Task, content: Content, owner: TrialOwner | None = None, sent_by: str = ""
    ) -> Future[ScoreAnswer]:
        """Score one output, for which a place was taken; it is given back when it is done."""
        try:
            future = self._pool.submit(self._score, task, content, owner, sent_by)
        except RuntimeError:  # the server is stopping
            self.give_back()
            raise ServiceBusy(self.taken, _USUAL_SEC) from None
        future.add_done_callback(lambda _: self.give_back())
        return future

    def _score(self, task: Task, content: Content, owner: TrialOwner | None, sent_by: str) -> ScoreAnswer:
        began = time.monotonic()
        evaluation: EvaluationResult | None = None
        problem: Problem | None = None
        trial: Trial | None = None
        try:
            output = _output(task, content)
            if owner is not None:
                trial = _trial(task, output, owner, sent_by)
            evaluation = self._answered(trial) or self._evaluate(task, output, trial)
        except MachineryError as error:
            problem = error.problem
        except AdjudgeError:  # a ledger that cannot be used, say: that is the answer to the whole request
            raise
        except Exception as error:  # what nobody foresaw costs this output only, and is no reward
            _LOG.exception("an output could not be scored")
            problem = Problem("an unexpected error", found=f"{type(error).__name__}: {error}")
        took = time.monotonic() - began
        answer = ScoreAnswer(task.id, evaluation, problem, took, None if trial is None else trial.trial_id)
        with self._lock:
            self.busy_sec += took
            self._usual_sec += _LATEST * (took - self._usual_sec)
            self.scored += answer.status == "scored"
            self.failed += answer.status != "scored"
        return answer

    def _answered(self, trial: Trial | None) -> EvaluationResult | None:
        """What the ledger holds of this trial, if this verifier has scored it."""
        found = None if trial is None else self._ledger.states([trial.trial_id]).get(trial.trial_id)
        if trial is None or found is None or found.task_digest != trial.task.digest:
            return None
        if found.outcome == Outcome.MACHINERY_FAILED.value:
            return None
        return self._ledger.get(trial.trial_id).evaluation.model_copy(update={"annotations": None})

    def _evaluate(self, task: Task, output: AgentOutput, trial: Trial | None) -> EvaluationResult:
        """Score an output, and record the trial that it belongs to, whatever comes of it."""
        try:
            scored = score_output(task, output, self.sandbox())
        except MachineryError as error:
            if trial is not None:
                self._record(FailedTrial(trial, str(error)))
            raise
        if trial is not None:
            self._record(ScoredTrial(trial, scored))
        return scored.result

    def _record(self, finished: FinishedTrial) -> None:
        trial_id = finished.trial.trial_id
        before = self._ledger.states([trial_id]).get(trial_id)
        if before is not None:
            known = self._ledger.get(trial_id)
            trial = finished.trial._replace(before=known, replaces=before.evaluation_id)
            finished = replace(finished, trial=trial)
        self._ledger.record([entry_of(finished)])


def _output(task: Task, content: Content) -> AgentOutput:
    """Bytes, or files by their paths in the workspace, as an output."""
    if isinstance(content, bytes):
        return output_of_bytes(task, content)
    with tempfile.TemporaryDirectory(prefix="adjudge-sent-") as folder:
        for name, data in content.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return read_output(task, folder)


def _trial(task: Task, output: AgentOutput, owner: TrialOwner, sent_by: str) -> Trial:
    identity = TrialIdentity(
        owner.experiment, task.id, output.info.sha256, owner.agent, owner.model, owner.attempt
    )
    return Trial(
        identity.trial_id, identity, task, output, where="sent to a server", metadata={"sent_by": sent_by}
    )


def check_paths(names: Mapping[str, object]) -> None:
    """UsageError for a path that leads out of a workspace, or for more files than anybody sends.

    A path is written in one way only: two that mean the same file would be one file in the end.
    """
    if len(names) > MOST_FILES:
        raise UsageError("too many files", found=len(names), allowed=f"up to {MOST_FILES}")
    for name in names:
        if not _is_path(name):
            raise UsageError(
                "this is no path in a workspace",
                field="files",
                found=name,
                allowed=f"a/b.txt, without . and .., up to {_LONGEST_PATH} bytes, {_LONGEST_PART} for a part",
            )
        for parent in PurePosixPath(name).parents:
            if str(parent) in names:
                raise UsageError("this is a file and a folder", field="files", found=str(parent))


def _is_path(name: str) -> bool:
    if not name.isprintable() or "\\" in name or name.startswith("/"):
        return False
    path = PurePosixPath(name)
    is_short = len(name.encode()) <= _LONGEST_PATH and all(
        len(part.encode()) <= _LONGEST_PART for part in path.parts
    )
    return name not in ("", ".") and str(path) == name and ".." not in path.parts and is_short
