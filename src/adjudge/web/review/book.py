"""All that reviewers have done, kept up to date from the chain row by row.

Who says what of which trial now, which trials were drawn in which round, what was decided where reviewers
disagree, and which answers are known. Everything here can be read again from the ledger; nothing is kept only
here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from adjudge.contracts import Judgment
from adjudge.ledger import head_row, new_annotations, new_attachments

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

ROUND = "review round"
DECISION = "adjudication"
KNOWN = "known answer"
REVIEW = "review"
"""How one annotation came about: time spent, field scores, whether it was blind."""


class TrialReviews(Struct):
    """What was said of one trial."""

    task: str
    number: int = 0
    """The trial's number in the ledger; 0 while nobody has said anything of it."""
    said: dict[str, str] = field(default_factory=dict)
    """Reviewer -> their judgment now."""
    decisions: list[dict[str, Any]] = field(default_factory=list)
    """Every decision and re-opening, oldest first."""

    @property
    def is_split(self) -> bool:
        """Does one reviewer say pass and another fail?"""
        return {Judgment.PASS.value, Judgment.FAIL.value} <= set(self.said.values())

    @property
    def decision(self) -> dict[str, Any] | None:
        """What was decided; None if nothing was, or if it was re-opened since."""
        last = self.decisions[-1] if self.decisions else None
        return last if last is not None and last["decision"] is not None else None


class ReviewRound(Struct, frozen=True):
    """A round of the lottery: its scale, the newest trial that took part, and the tasks; None for all."""

    scale: float
    newest: int
    tasks: frozenset[str] | None
    seed: int


class DrawnTrial(Struct, frozen=True):
    """A trial that was drawn: its number, its task, and the tickets it had."""

    number: int
    task: str
    weight: float = 1.0


class OpenTrials:
    """Trials in no order, from which one can be taken out or picked at random without walking through all."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._place: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __getitem__(self, place: int) -> str:
        return self._ids[place]

    def add(self, trial_id: str) -> None:
        """Put it in; once, however often it is put in."""
        if trial_id not in self._place:
            self._place[trial_id] = len(self._ids)
            self._ids.append(trial_id)

    def discard(self, trial_id: str) -> None:
        """Take it out, if it is in: the last one takes its place."""
        place = self._place.pop(trial_id, None)
        if place is not None:
            last = self._ids.pop()
            if last != trial_id:
                self._ids[place] = last
                self._place[last] = place


class ReviewBook:
    """Read under its lock; `refresh` first."""

    def __init__(self, ledger: Ledger, reviewers: int = 1) -> None:
        self._ledger = ledger
        self._reviewers = reviewers
        self.lock = threading.RLock()
        self._row = 0
        self.trials: dict[str, TrialReviews] = {}
        self.rounds: list[ReviewRound] = []
        self.drawn: dict[str, DrawnTrial] = {}
        """By trial, of all rounds."""
        self.known: dict[str, str] = {}
        """Trial -> the judgment that is known to be right."""
        self.known_task: dict[str, str] = {}
        """Trial -> task, of every trial whose answer is or was known."""
        self.open = OpenTrials()
        """Drawn trials that fewer people have judged than are wanted, and those whose answer is known."""

    def refresh(self) -> None:
        """Take in what was written since the last time."""
        with self.lock:
            row = head_row(self._ledger)
            if row == self._row:
                return
            for said in new_annotations(self._ledger, self._row, row):
                trial = self.trials.setdefault(said.trial_id, TrialReviews(said.task))
                trial.number = said.trial
                trial.said[said.reviewer] = said.judgment
                self._sort_in(said.trial_id)
            kinds = (ROUND, DECISION, KNOWN)
            for found in new_attachments(self._ledger, kinds, self._row, row):
                self._take(found.kind, found.trial_id, found.document)
            self._row = row

    def _take(self, kind: str, trial_id: str | None, document: dict[str, Any]) -> None:
        if kind == ROUND:
            tasks = document.get("tasks")
            self.rounds.append(
                ReviewRound(
                    document["scale"],
                    document.get("newest", 0),  # a round of an early version: its chances are not known
                    None if tasks is None else frozenset(tasks),
                    int(document.get("seed", "0"), 16),
                )
            )
            self.drawn.update({trial: DrawnTrial(*found) for trial, found in document["trials"].items()})
            for trial in document["trials"]:
                self._sort_in(trial)
        elif trial_id is None:
            return
        elif kind == DECISION:
            self.trials.setdefault(trial_id, TrialReviews(document["task"])).decisions.append(document)
        elif kind == KNOWN:
            self.known_task[trial_id] = document["task"]
            if document["judgment"] is None:
                self.known.pop(trial_id, None)
            else:
                self.known[trial_id] = document["judgment"]
            self._sort_in(trial_id)

    def _sort_in(self, trial_id: str) -> None:
        """Is this trial open? What people said never goes away, so one that is closed stays so."""
        wanted = len(self.reviews_of(trial_id).said) < self._reviewers or trial_id in self.known
        if wanted and trial_id in self.drawn:
            self.open.add(trial_id)
        else:
            self.open.discard(trial_id)

    def reviews_of(self, trial_id: str) -> TrialReviews:
        """What was said of a trial; nothing is not kept."""
        with self.lock:
            return self.trials.get(trial_id) or TrialReviews("")

    def split_trials(self) -> list[tuple[str, TrialReviews]]:
        """Trials on which reviewers disagree, the undecided first."""
        with self.lock:
            found = [(i, t) for i, t in self.trials.items() if t.is_split or t.decisions]
        return sorted(found, key=lambda pair: (pair[1].decision is not None, pair[1].task, pair[0]))
