"""What it means that a wrong value in one field keeps its credit, and how far off a number may be."""

from adjudge.audit.sections.fields.granted import check_granted
from adjudge.audit.sections.fields.granted_times import check_granted_times, is_granted_time
from adjudge.audit.sections.fields.report import report_field
from adjudge.audit.sections.fields.rules import check_fields

__all__ = ["check_fields", "check_granted", "check_granted_times", "is_granted_time", "report_field"]
