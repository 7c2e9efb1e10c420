"""Judge many trials: several at once, each recorded when it is done, resumable like any run.

A trial that this judge has judged before is left alone. Asked to stop, out of money or without an answer, a
trial is left unjudged and the others go on; the same command again does the rest, and pays for nothing twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adjudge.contracts import ErrorSource, ErrorTag, TrialRecord
from adjudge.errors import UsageError
from adjudge.judges.asking import Asker, MoneySpent, NotAsked, Stopped
from adjudge.judges.calibrated import calibrations
from adjudge.judges.injection import INJECTION_SUSPECTED
from adjudge.judges.judgement import (
    JUDGEMENT_KIND,
    JudgeRecord,
    judgement_attachment,
    judgement_key,
)
from adjudge.judges.labels import claim, example_trials
from adjudge.judges.pipeline import Panel, judge_trial
from adjudge.judges.rubric import JudgeRubric

if TYPE_CHECKING:
    from adjudge.ledger import Ledger


@dataclass
class JudgeTally:
    """Counts of one run of judges."""

    total: int = 0
    scored: int = 0
    abstained: int = 0
    already: int = 0
    no_rubric: int = 0
    suspected: int = 0
    score_sum: float = 0.0
    unjudged: Counter[str] = field(default_factory=Counter)
    """Why trials were left without a judgement, and how often."""
    out_of_money: bool = False
    interrupted: bool = False

    @property
    def done(self) -> int:
        """Trials that need no more work now."""
        return self.scored + self.abstained + self.already + self.no_rubric + self.unjudged.total()

    @property
    def mean_score(self) -> float | None:
        """Of what was scored now; None if nothing was."""
        return self.score_sum / self.scored if self.scored else None


@dataclass
class JudgeRun:
    """One pass over trials."""

    ledger: Ledger
    panel: Panel
    asker: Asker
    rubric_of: Callable[[TrialRecord], JudgeRubric | None]
    instructions: Mapping[str, str]
    """Task id -> its instruction, for rubrics that show it to the judge."""
    tally: JudgeTally = field(default_factory=JudgeTally)
    workers: int = 4
    should_stop: Callable[[], bool] = lambda: False
    _met: set[str] = field(default_factory=set)

    def execute(self, records: Iterable[TrialRecord]) -> None:
        """Judge each trial that needs it. Never raises for what a judge says or a server does."""
        waiting: dict[Future[JudgeRecord], tuple[TrialRecord, str]] = {}
        vouched = calibrations(self.ledger)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="adjudge-judge") as pool:
            for record in records:
                if self.should_stop() or self.tally.out_of_money:
                    break
                rubric = self.rubric_of(record)
                if rubric is None:
                    self.tally.no_rubric += 1
                    continue
                vouching = self._vouching(rubric, vouched)
                key = judgement_key(
                    self.panel.identity(rubric), record.output.sha256, self.panel.on_injection.value, vouching
                )
                if self._is_there(record.trial_id, key):
                    self.tally.already += 1
                    continue
                work = pool.submit(self._judge, record, rubric, vouching)
                waiting[work] = (record, key)
                while len(waiting) >= 2 * self.workers:
                    self._finish(waiting)
            while waiting:
                self._finish(waiting)
        self.tally.interrupted = self.should_stop()

    def _judge(self, record: TrialRecord, rubric: JudgeRubric, vouching: list[str]) -> JudgeRecord:
        made = judge_trial(
            self.ledger,
            record,
            rubric,
            self.panel,
            self.asker,
            instruction=self.instructions.get(record.task_id),
        )
        if made.score is None or not vouching:
            return made
        return made.model_copy(update={"reward": made.score, "calibrations": vouching})

    def _vouching(self, rubric: JudgeRubric, vouched: Mapping[tuple[str, str], str]) -> list[str]:
        """The calibrations that let this judge into a reward; none unless the rubric opts in and all exist.

        The first time a rubric is met, its examples are claimed: a trial that calibrates cannot be one.
        """
        if rubric.digest not in self._met:
            self._met.add(rubric.digest)
            if refused := claim(self.ledger, rubric, example_trials(rubric)):
                raise UsageError(refused[0], remedy="Take the example from another trial.")
        if not rubric.reward:
            return []
        judge = self.panel.identity(rubric)
        keys = [vouched.get((judge, dimension.id)) for dimension in rubric.judged]
        return sorted({key for key in keys if key is not None}) if None not in keys else []

    def _is_there(self, trial_id: str, key: str) -> bool:
        return any(found.key == key for found in self.ledger.attached(JUDGEMENT_KIND, trial_ids=[trial_id]))

    def _finish(self, waiting: dict[Future[JudgeRecord], tuple[TrialRecord, str]]) -> None:
        """Record whatever has finished; waits for one at least."""
        for work in wait(waiting, return_when=FIRST_COMPLETED).done:
            record, key = waiting.pop(work)
            try:
                made = work.result()
            except NotAsked as error:
                self.tally.out_of_money = self.tally.out_of_money or isinstance(error, MoneySpent)
                if not isinstance(error, Stopped):
                    self.tally.unjudged[str(error)] += 1
                continue
            self._record(record, key, made)

    def _record(self, record: TrialRecord, key: str, made: JudgeRecord) -> None:
        self.ledger.attach([judgement_attachment(record.trial_id, key, made)])
        if made.suspected:
            self.tally.suspected += 1
            tag = ErrorTag(
                category=INJECTION_SUSPECTED, description=made.suspected[0][:500], source=ErrorSource.JUDGE
            )
            self.ledger.add_tags(record.trial_id, [tag])
        if made.score is None:
            self.tally.abstained += 1
        else:
            self.tally.scored += 1
            self.tally.score_sum += made.score
