"""The right answer in other clothes."""

from adjudge.audit.sections.layouts.formats import audit_format

__all__ = ["audit_format"]
