"""A certificate as a Markdown page: the same task gives the same page, so a page can be kept and compared."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.audit import Certificate, Finding, SectionReport
from adjudge.reports.certificate_view import counts, facts
from adjudge.reports.markdown_text import text
from adjudge.reports.printable import printable


def certificate_markdown(certificate: Certificate) -> str:
    """The page, ending in a newline."""
    return "\n".join(_lines(certificate)) + "\n"


def _lines(certificate: Certificate) -> Iterator[str]:
    yield f"# {text(certificate.task_id)}"
    yield ""
    yield f"**{certificate.verdict.value}**: {counts(certificate)}. {' '.join(map(text, facts(certificate)))}"
    yield ""
    yield f"Task digest: `{certificate.task_digest}`"
    yield ""
    yield "| section | status | probes |"
    yield "|---|---|---:|"
    for report in certificate.sections:
        yield f"| {report.section.value} | {report.status} | {len(report.probes)} |"
    if certificate.findings:
        yield ""
        yield "## Findings"
        for finding in certificate.findings:
            yield from _finding(finding)
    for report in certificate.sections:
        yield from _probes(report)


def _finding(finding: Finding) -> Iterator[str]:
    yield ""
    yield f"### {finding.severity.value}: {text(finding.title)}"
    yield ""
    yield f"{text(finding.seen)} {text(finding.advice)}"
    if finding.reproduce is not None:
        yield ""
        yield f"    {printable(finding.reproduce)}"


def _probes(report: SectionReport) -> Iterator[str]:
    yield ""
    yield f"## {report.section.value.capitalize()}"
    yield ""
    if report.reason is not None:
        yield f"Not run: {text(report.reason)}."
        return
    yield "| probe | reward | |"
    yield "|---|---:|---|"
    for probe in report.probes:
        reward = "none" if probe.reward is None else f"{probe.reward:g}"
        yield f"| {text(probe.what)} | {reward} | {text(probe.note or '')} |"
