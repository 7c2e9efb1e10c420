"""Marks make filters on tags and annotations index look-ups, newest evaluation first.

A mark says that an evaluation has a tag of a category, an annotation, an annotation by a reviewer, or a
disagreement between reviewer and verifier. It is written with the row that caused it (`origin`) and covered
by that row's hash. Marks are a superset: a change of mind leaves the old mark standing, so a query walks the
marks and then asks the real rows. What people said of a trial stays true when it is scored again: their
marks are carried to the new evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adjudge.ledger.filters import disagrees
from adjudge.ledger.store.chain import Mark
from adjudge.ledger.store.names import NO_NAME
from adjudge.ledger.store.schema import MARK_ANNOTATION, MARK_DISAGREEMENT, MARK_REVIEWER, MARK_TAG


def tag_marks(categories: Iterable[str], numbers: Mapping[Any, int], evaluation: int) -> list[Mark]:
    """One mark for each category of a tag."""
    return [(MARK_TAG, numbers[category], evaluation) for category in categories]


def annotation_marks(judgment: str, reviewer: int, reward: float, evaluation: int) -> list[Mark]:
    """Annotated, by whom, and whether that contradicts the reward."""
    made = [(MARK_ANNOTATION, NO_NAME, evaluation), (MARK_REVIEWER, reviewer, evaluation)]
    if disagrees(judgment, reward):
        made.append((MARK_DISAGREEMENT, NO_NAME, evaluation))
    return made
