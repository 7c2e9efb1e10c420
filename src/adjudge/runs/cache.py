"""What deterministic verifiers have answered, and what they are being asked just now.

A question is (task digest, output digest). An output that such a verifier has answered is not shown to it
again; one that it is looking at just now is waited for: the trial stays here until the answer is in the
ledger. If there is no answer that can be reused, those who waited are scored on their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.contracts import ErrorSource, EvaluationResult, Task, VerifierRun, is_machinery_failure
from adjudge.gates import AgentOutput
from adjudge.runs.recorder import RecordedTrial
from adjudge.runs.trial import EarlierAnswer, FailedTrial, ReusedTrial, Trial

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

MOST_WAITING = 500
"""Who waits is held in memory; more than so many for one answer are scored on their own."""


class Question(NamedTuple):
    """What a verifier is asked; a deterministic one answers the same question the same way."""

    task_digest: str
    output_sha256: str


class CacheAnswer(NamedTuple):
    """Some trials, told apart: those that are answered, and those that must be scored."""

    answered: list[ReusedTrial]
    to_score: list[Trial]


class _Asked(Struct):
    output: AgentOutput
    waiting: list[Trial] = field(default_factory=list)


class AnswerCache:
    """Reads the ledger, never writes to it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._deterministic: dict[str, bool] = {}
        self._asked: dict[Question, _Asked] = {}
        self._answers_last: dict[Question, EarlierAnswer] = {}
        """What the last look-up found: the next one often asks the same, and what was found stays true."""

    def look_up(self, trials: Iterable[Trial]) -> CacheAnswer:
        """Which of these have an answer already. Those that wait for one are in neither list."""
        questions = [(trial, self._question(trial)) for trial in trials]
        answers = self._answers({question for _, question in questions if question is not None})
        found = CacheAnswer([], [])
        for trial, question in questions:
            if question is None:
                found.to_score.append(trial)
            elif question in answers:
                found.answered.append(ReusedTrial(trial, answers[question]))
            elif not self._waits(trial, question):
                found.to_score.append(trial)
        return found

    def settle(self, recorded: Iterable[RecordedTrial]) -> CacheAnswer:
        """What becomes of those who waited for these trials, now that they are recorded."""
        found = CacheAnswer([], [])
        for done in recorded if self._asked else ():
            question = self._question(done.finished.trial)
            asked = None if question is None else self._asked.pop(question, None)
            if asked is None:
                continue
            answer = _answer_of(done)
            if answer is None:
                found.to_score.extend(asked.waiting)
            else:
                found.answered.extend([ReusedTrial(trial, answer) for trial in asked.waiting])
        return found

    def _answers(self, questions: set[Question]) -> dict[Question, EarlierAnswer]:
        """What the ledger has on these questions."""
        last = self._answers_last
        answers = {question: last[question] for question in questions if question in last}
        by_task: dict[str, list[str]] = {}
        for question in questions - answers.keys():
            by_task.setdefault(question.task_digest, []).append(question.output_sha256)
        for digest, outputs in by_task.items():
            for output, (evaluation_id, record) in self._ledger.find_evaluations(digest, outputs).items():
                if _is_reusable(record.evaluation, record.run):
                    answer = _reused(record.evaluation, record.run, evaluation_id)
                    answers[Question(digest, output)] = answer
        self._answers_last = answers
        return answers

    def _waits(self, trial: Trial, question: Question) -> bool:
        """Is the verifier looking at this very output? Then its answer will do for both."""
        asked = self._asked.get(question)
        if asked is None:
            self._asked[question] = _Asked(trial.output)
            return False
        if len(asked.waiting) >= MOST_WAITING:
            return False
        # the same bytes, and it is enough to hold them once
        output = replace(trial.output, files=asked.output.files, answer=asked.output.answer)
        asked.waiting.append(trial._replace(output=output))
        return True

    def _question(self, trial: Trial) -> Question | None:
        """None if the answer may be another one next time, or if there is nothing to look at."""
        digest = trial.output.info.sha256
        if digest is None or not self._is_deterministic(trial.task):
            return None
        return Question(trial.task.digest, digest)

    def _is_deterministic(self, task: Task) -> bool:
        if task.digest not in self._deterministic:
            known = task.deterministic or self._ledger.is_deterministic(task.digest)
            self._deterministic[task.digest] = known
        return self._deterministic[task.digest]


def _is_reusable(result: EvaluationResult, run: VerifierRun) -> bool:
    """Did the verifier finish, and nothing of the machine show? A limit it hit may be the machine's doing."""
    failed = any(is_machinery_failure(tag) for tag in result.error_taxonomy or ())
    return result.validity.verifier_completed and not run.limits_hit and not failed


def _reused(result: EvaluationResult, run: VerifierRun, evaluation_id: str) -> EarlierAnswer:
    """An earlier evaluation, as it stands under every other trial with the same output.

    What people said of the earlier trial they did not say of these.
    """
    tags = result.error_taxonomy
    own = None if tags is None else [tag for tag in tags if tag.source is not ErrorSource.HUMAN]
    return EarlierAnswer(
        result.model_copy(update={"annotations": None, "error_taxonomy": own or None}),
        run.model_copy(update={"reused_from": run.reused_from or evaluation_id}),
    )


def _answer_of(done: RecordedTrial) -> EarlierAnswer | None:
    """What a trial that was just recorded tells the others with its output; None if it tells nothing."""
    finished, evaluation_id = done.finished, done.answer.evaluation_id
    if evaluation_id is None or isinstance(finished, FailedTrial):
        return None
    if isinstance(finished, ReusedTrial):
        return finished.answer
    result, run = finished.scored.result, finished.scored.run
    return _reused(result, run, evaluation_id) if _is_reusable(result, run) else None
