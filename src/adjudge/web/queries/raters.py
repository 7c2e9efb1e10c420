"""Reviewers, judges and the verifier against each other: tables of pass and fail, agreement beyond chance.

Who cannot tell is missing. A judge passes a trial if its score reaches the threshold that the verifier's
reward is held against; one that abstains is missing. Trials of one task are agreed about together, so
intervals draw whole tasks, as in `adjudge report`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import Judgment, Outcome
from adjudge.judges import read_judgements
from adjudge.ledger import DISAGREEMENT_THRESHOLD, TrialFilter
from adjudge.stats import Estimate, cohen_kappa, gwet_ac1, krippendorff_alpha
from adjudge.web.queries.visible import Visible
from adjudge.web.review.book import ReviewBook

if TYPE_CHECKING:
    from adjudge.judges import JudgeRecord
    from adjudge.ledger import Ledger

VERIFIER = "verifier"
VERDICTS = (Judgment.FAIL.value, Judgment.PASS.value)
MOST_REVIEWERS = 12
MOST_JUDGES = 6
_COMMON = 2
"""Trials that two must share before their agreement is worth a line."""


class RatedTrial(Struct, frozen=True):
    """One trial: its id and number in the ledger, its task, and rater -> pass or fail."""

    trial_id: str
    number: int
    task: str
    said: Mapping[str, str]


class RatedTogether(Struct, frozen=True):
    """Two raters on the trials that both rated."""

    a: str
    b: str
    cells: Mapping[tuple[str, str], int]
    kappa: Estimate
    ac1: Estimate

    @property
    def shared(self) -> int:
        """How many trials both rated."""
        return sum(self.cells.values())


class RatedTrials(Struct, frozen=True):
    """Everything the agreement page shows of raters."""

    trials: Mapping[str, RatedTrial]
    """By trial id."""
    reviewers: tuple[tuple[str, int, int], ...]
    """Name, trials judged, of which they could not tell."""
    judges: tuple[str, ...]
    pairs: tuple[RatedTogether, ...]
    among: tuple[Estimate, ...]
    checks: tuple[tuple[str, int, int], ...]
    """Reviewer, trials with a known answer, of which they were right."""

    def in_cell(self, a: str, b: str, x: str, y: str) -> list[RatedTrial]:
        """The trials of which `a` says x and `b` says y."""
        found = [t for t in self.trials.values() if t.said.get(a) == x and t.said.get(b) == y]
        return sorted(found, key=lambda one: (one.task, one.number))


def judge_name(made: JudgeRecord) -> str:
    """A judge as a rater: its models and what they were asked."""
    return f"judge {', '.join(made.models)} ({made.rubric})"


def read_ratings(ledger: Ledger, visible: Visible, book: ReviewBook) -> RatedTrials:
    """What each rater says of each reviewed trial that this visitor may see."""
    columns = visible.columns(TrialFilter(annotated=True))
    ids = ledger.trial_ids(columns.trial.tolist())
    judged = read_judgements(ledger, ids.values()) if ids else {}
    outcomes, tasks = columns.outcome.categories, columns.task.categories
    found: dict[str, RatedTrial] = {}
    deferred: Counter[str] = Counter()
    judges: Counter[str] = Counter()
    book.refresh()
    with book.lock:
        known = dict(book.known)
        for at, number in enumerate(columns.trial.tolist()):
            everybody = book.reviews_of(ids[number]).said
            said = {who: word for who, word in everybody.items() if word in VERDICTS}
            deferred.update(who for who, word in everybody.items() if word not in VERDICTS)
            for made in judged.get(ids[number], ()):  # oldest first: the newest of a judge counts
                said.pop(judge_name(made), None)
                if made.score is not None:
                    said[judge_name(made)] = VERDICTS[made.score >= DISAGREEMENT_THRESHOLD]
                    judges[judge_name(made)] += 1
            if outcomes[columns.outcome.codes[at]] != Outcome.MACHINERY_FAILED.value:
                said[VERIFIER] = VERDICTS[bool(columns.reward[at] >= DISAGREEMENT_THRESHOLD)]
            found[ids[number]] = RatedTrial(ids[number], number, tasks[columns.task.codes[at]], said)
    shown = sorted(name for name, _ in judges.most_common(MOST_JUDGES))
    return _tables(found, shown, deferred, known)


def _tables(
    trials: Mapping[str, RatedTrial],
    judges: Sequence[str],
    deferred: Counter[str],
    known: Mapping[str, str],
) -> RatedTrials:
    everything = list(trials.values())
    others = {VERIFIER, *judges}
    counts = Counter(who for one in everything for who in one.said if who not in others)
    names = sorted(name for name, _ in counts.most_common(MOST_REVIEWERS))
    everyone = sorted({*counts, *deferred})
    pairs = [_pair(everything, a, b) for a, b in combinations([VERIFIER, *judges, *names], 2)]
    among: tuple[Estimate, ...] = ()
    if len(names) > 1:
        table = [[one.said.get(name) for name in names] for one in everything]
        cluster = _clusters(everything)
        among = (
            krippendorff_alpha(table, categories=VERDICTS, cluster=cluster),
            gwet_ac1(table, categories=VERDICTS, cluster=cluster),
        )
    checks = []
    for name in everyone:
        mine = [i for i in known if i in trials and name in trials[i].said]
        if mine:
            checks.append((name, len(mine), sum(trials[i].said[name] == known[i] for i in mine)))
    return RatedTrials(
        trials,
        tuple((name, counts[name] + deferred[name], deferred[name]) for name in everyone),
        tuple(judges),
        tuple(pair for pair in pairs if pair is not None),
        among,
        tuple(checks),
    )


def _pair(trials: Sequence[RatedTrial], a: str, b: str) -> RatedTogether | None:
    shared = [one for one in trials if a in one.said and b in one.said]
    if len(shared) < _COMMON:
        return None
    both = [(one.said[a], one.said[b]) for one in shared]
    cluster = _clusters(shared)
    left, right = [x for x, _ in both], [y for _, y in both]
    return RatedTogether(
        a,
        b,
        Counter(both),
        cohen_kappa(left, right, categories=VERDICTS, cluster=cluster),
        gwet_ac1(both, categories=VERDICTS, cluster=cluster),
    )


def _clusters(trials: Sequence[RatedTrial]) -> list[str] | None:
    """The task of each trial, if any task has more than one of them."""
    tasks = [one.task for one in trials]
    return None if len(set(tasks)) == len(tasks) else tasks
