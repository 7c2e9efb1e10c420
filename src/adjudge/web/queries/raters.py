"""Reviewers against each other and the verifier: tables of pass and fail, agreement beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from adjudge.contracts import Judgment, Outcome
from adjudge.ledger import DISAGREEMENT_THRESHOLD, TrialFilter
from adjudge.stats import Estimate, cohen_kappa, gwet_ac1, krippendorff_alpha
from adjudge.web.queries.visible import Visible
from adjudge.web.review.book import ReviewBook

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

VERIFIER = "verifier"
VERDICTS = (Judgment.FAIL.value, Judgment.PASS.value)
MOST_REVIEWERS = 12
_COMMON = 2
"""Trials that two must share before their agreement is worth a line."""

Ratings = dict[str, dict[str, str]]
"""Trial -> rater -> pass or fail; who cannot tell is missing."""


@dataclass(frozen=True)
class RatedTogether:
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


@dataclass(frozen=True)
class RaterTables:
    """Everything the agreement page shows of raters."""

    reviewers: tuple[tuple[str, int, int], ...]
    """Name, trials judged, of which they could not tell."""
    pairs: tuple[RatedTogether, ...]
    among: tuple[Estimate, ...]
    checks: tuple[tuple[str, int, int], ...]
    """Reviewer, trials with a known answer, of which they were right."""


def read_ratings(ledger: Ledger, visible: Visible, book: ReviewBook) -> Ratings:
    """What each rater says of each reviewed trial that this visitor may see."""
    columns = visible.columns(TrialFilter(annotated=True))
    ids = ledger.trial_ids(columns.trial.tolist())
    failed = {Outcome.MACHINERY_FAILED.value}
    found: Ratings = {}
    book.refresh()
    for at, number in enumerate(columns.trial.tolist()):
        said = {r: j for r, j in book.reviews_of(ids[number]).said.items() if j in VERDICTS}
        if columns.outcome.categories[columns.outcome.codes[at]] not in failed:
            said[VERIFIER] = VERDICTS[bool(columns.reward[at] >= DISAGREEMENT_THRESHOLD)]
        found[ids[number]] = said
    return found


def rater_tables(ratings: Ratings, book: ReviewBook) -> RaterTables:
    """The tables of these ratings."""
    counts = Counter(rater for said in ratings.values() for rater in said if rater != VERIFIER)
    with book.lock:
        deferred = Counter(
            who
            for trial_id in ratings
            for who, word in book.reviews_of(trial_id).said.items()
            if word == Judgment.DEFER.value
        )
        known = dict(book.known)
        said = {trial_id: dict(book.reviews_of(trial_id).said) for trial_id in known}
    names = [name for name, _ in counts.most_common(MOST_REVIEWERS)]
    everyone = sorted({*counts, *deferred})
    pairs = [_pair(ratings, a, b) for a, b in combinations([VERIFIER, *sorted(names)], 2)]
    table = [[said_of.get(name) for name in names] for said_of in ratings.values()]
    among: tuple[Estimate, ...] = ()
    if len(names) > 1:
        among = (
            krippendorff_alpha(table, categories=VERDICTS),
            gwet_ac1(table, categories=VERDICTS),
        )
    checks = []
    for name in everyone:
        mine = [trial_id for trial_id in known if said[trial_id].get(name) in VERDICTS]
        right = sum(said[trial_id][name] == known[trial_id] for trial_id in mine)
        if mine:
            checks.append((name, len(mine), right))
    return RaterTables(
        tuple((name, counts[name] + deferred[name], deferred[name]) for name in everyone),
        tuple(pair for pair in pairs if pair is not None),
        among,
        tuple(checks),
    )


def _pair(ratings: Ratings, a: str, b: str) -> RatedTogether | None:
    both = [(said[a], said[b]) for said in ratings.values() if a in said and b in said]
    if len(both) < _COMMON:
        return None
    left, right = [x for x, _ in both], [y for _, y in both]
    return RatedTogether(
        a,
        b,
        Counter(both),
        cohen_kappa(left, right, categories=VERDICTS),
        gwet_ac1(both, categories=VERDICTS),
    )


def trials_in_cell(ratings: Ratings, a: str, b: str, x: str, y: str) -> list[str]:
    """The trials of which `a` says x and `b` says y."""
    return sorted(i for i, said in ratings.items() if said.get(a) == x and said.get(b) == y)
