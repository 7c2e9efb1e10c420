"""Texts in an answer: of a kind, wrong or in each other's place; and what is to be said around values."""

from adjudge.audit.sections.texts.changed_inputs import check_changed_inputs
from adjudge.audit.sections.texts.commented import check_commented
from adjudge.audit.sections.texts.denials import check_denials
from adjudge.audit.sections.texts.emptied import check_emptied
from adjudge.audit.sections.texts.groups import check_texts
from adjudge.audit.sections.texts.one_word import check_one_word
from adjudge.audit.sections.texts.statements import check_statements
from adjudge.audit.sections.texts.written_dates import check_written_dates

__all__ = [
    "check_changed_inputs",
    "check_commented",
    "check_denials",
    "check_emptied",
    "check_one_word",
    "check_statements",
    "check_texts",
    "check_written_dates",
]
