"""Judge many trials: several at once, each recorded when it is done, resumable like any run.

A trial that this judge has judged before is left alone. Asked to stop, out of money or without an answer, a
trial is left unjudged and the others go on; the same command again does the rest, and pays for nothing twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from msgspec import Struct, field

from adjudge.contracts import ErrorSource, ErrorTag, TrialRecord
from adjudge.errors import UsageError
from adjudge.judges.calls.asking import Asker, MoneySpent, NotAsked, Stopped
from adjudge.judges.injection import INJECTION_SUSPECTED
from adjudge.judges.judgement import (
    JUDGEMENT_KIND,
    JudgeRecord,
    judgement_attachment,
    judgement_key,
)
from adjudge.judges.pipeline import Panel, judge_trial, rests_on
from adjudge.judges.rubric import JudgeRubric
from adjudge.judges.trust.calibrated import Calibrations, newest_calibrations
from adjudge.judges.trust.reward import NotVouched, Vouched, vouch, with_reward
from adjudge.judges.trust.uses import claim_examples

if TYPE_CHECKING:
    from adjudge.ledger import Ledger


class JudgeTally(Struct):
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
    rewarded: int = 0
    """Judgements with a reward that includes the judge."""
    no_reward: str | None = None
    """Why a rubric that asks for such a reward gets none."""
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


class JudgeRun(Struct):
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
        known = newest_calibrations(self.ledger)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="adjudge-judge") as pool:
            for record in records:
                if self.should_stop() or self.tally.out_of_money:
                    break
                rubric = self.rubric_of(record)
                if rubric is None:
                    self.tally.no_rubric += 1
                    continue
                vouching = self._vouching(rubric, known)
                key = judgement_key(
                    self.panel.identity(rubric),
                    record.output.sha256,
                    self.panel.on_injection.value,
                    vouching.calibrations if isinstance(vouching, Vouched) else (),
                    rests_on(self.ledger, record, rubric, self.instructions.get(record.task_id)),
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

    def _judge(self, record: TrialRecord, rubric: JudgeRubric, vouching: Vouched | NotVouched) -> JudgeRecord:
        made = judge_trial(
            self.ledger,
            record,
            rubric,
            self.panel,
            self.asker,
            instruction=self.instructions.get(record.task_id),
        )
        return with_reward(made, rubric, vouching)

    def _vouching(self, rubric: JudgeRubric, known: Calibrations) -> Vouched | NotVouched:
        """Do calibrations let this judge into a reward?

        The first time a rubric is met, its examples are claimed: a trial that calibrates cannot be one.
        """
        if rubric.digest not in self._met:
            self._met.add(rubric.digest)
            if refused := claim_examples(self.ledger, rubric):
                raise UsageError(refused[0], remedy="Take the example from another trial.")
        found = vouch(rubric, self.panel.identity(rubric), known)
        if rubric.reward and isinstance(found, NotVouched):
            self.tally.no_reward = found.why
        return found

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
            self.tally.rewarded += made.reward is not None
            self.tally.score_sum += made.score
