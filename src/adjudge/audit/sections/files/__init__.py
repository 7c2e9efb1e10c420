"""Answers of several files: the others besides the main one."""

from adjudge.audit.sections.files.others import other_files
from adjudge.audit.sections.files.values import check_other_layouts, check_other_values
from adjudge.audit.sections.files.whole import check_files

__all__ = ["check_files", "check_other_layouts", "check_other_values", "other_files"]
