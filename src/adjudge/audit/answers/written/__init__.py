"""References written in the layout that an instruction shows: lines, sections, reports. Pure."""

from adjudge.audit.answers.written.layouts import (
    Layout,
    Reference,
    blocks_shown,
    decimals_told,
    laid_out,
    layouts,
    plain_cell,
    written_number,
)
from adjudge.audit.answers.written.lines import placeholder, written_lines
from adjudge.audit.answers.written.reported import report
from adjudge.audit.answers.written.sectioned import in_sections

__all__ = [
    "Layout",
    "Reference",
    "blocks_shown",
    "decimals_told",
    "in_sections",
    "laid_out",
    "layouts",
    "placeholder",
    "plain_cell",
    "report",
    "written_lines",
    "written_number",
]
