"""Lists in an answer and their records: cut, padded, repeated, exchanged, in another order."""

from adjudge.audit.sections.lists.abstaining import check_abstaining
from adjudge.audit.sections.lists.agreement import check_agreement, check_bonus
from adjudge.audit.sections.lists.cancelling import check_cancelling
from adjudge.audit.sections.lists.climbing import check_climb
from adjudge.audit.sections.lists.columns import report_skipped
from adjudge.audit.sections.lists.exchanged import check_swaps
from adjudge.audit.sections.lists.neighbours import check_single
from adjudge.audit.sections.lists.places import like, place_of
from adjudge.audit.sections.lists.records import (
    MakeProbe,
    check_forgiven,
    costs_its_record,
    keeps_halfway,
    near_zero,
)
from adjudge.audit.sections.lists.spans import check_spans
from adjudge.audit.sections.lists.structure import check_lists, check_only_one
from adjudge.audit.sections.lists.subsets import check_subsets
from adjudge.audit.sections.lists.unrated import check_unrated

__all__ = [
    "MakeProbe",
    "check_abstaining",
    "check_agreement",
    "check_bonus",
    "check_cancelling",
    "check_climb",
    "check_forgiven",
    "check_lists",
    "check_only_one",
    "check_single",
    "check_spans",
    "check_subsets",
    "check_swaps",
    "check_unrated",
    "costs_its_record",
    "keeps_halfway",
    "like",
    "near_zero",
    "place_of",
    "report_skipped",
]
