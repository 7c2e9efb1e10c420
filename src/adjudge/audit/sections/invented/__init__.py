"""Answers made up without any data, or copied out of the task, for verifiers that look at the form only."""

from adjudge.audit.sections.invented.agreeing import check_agreeing
from adjudge.audit.sections.invented.exemplars import comment_mark
from adjudge.audit.sections.invented.invent import check_invented
from adjudge.audit.sections.invented.scripts import check_scripts
from adjudge.audit.sections.invented.shown import check_shown

__all__ = ["check_agreeing", "check_invented", "check_scripts", "check_shown", "comment_mark"]
