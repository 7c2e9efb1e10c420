"""A certificate as a Markdown page: the same task gives the same page, so a page can be kept and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjudge.audit import Certificate, Finding, SectionReport
from adjudge.errors import printable
from adjudge.reports.rendering.markdown.text import text
from adjudge.reports.rendering.terminal.certificate import baseline_words, counts, facts


def render_certificate(certificate: Certificate) -> str:
    """The page, ending in a newline."""
    return "\n".join(_lines(certificate)) + "\n"


def render_certificates(certificates: Sequence[Certificate]) -> str:
    """A page that lists certificates by task, with links to their pages beside it."""
    lines = [
        "# Certificates",
        "",
        "| task | verdict | findings | discrimination | deterministic |",
        "|---|---|---|---:|---|",
    ]
    for certificate in certificates:
        link = f"[{text(certificate.task_id)}]({page_name(certificate)})"
        score = "" if certificate.discrimination is None else f"{certificate.discrimination:.3f}"
        same = {True: "yes", False: "no", None: "not known"}[certificate.deterministic]
        found = counts(certificate)
        lines.append(f"| {link} | {certificate.verdict.value} | {found} | {score} | {same} |")
    return "\n".join(lines) + "\n"


def page_name(certificate: Certificate) -> str:
    """The file of a certificate's page: its task's id with dashes, and nothing that a link cannot hold."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", certificate.task_id) + ".md"


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
    if certificate.hacks:
        yield ""
        yield "| known hacks | status | |"
        yield "|---|---|---|"
        for row in certificate.hacks:
            yield f"| {row.hack} | {row.status} | {text(row.why)} |"
    if certificate.baselines:
        yield ""
        yield f"{text(baseline_words(certificate))}."
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
    if report.read:
        yield f"Read: {text(', '.join(report.read))}."
        return
    yield "| probe | reward | |"
    yield "|---|---:|---|"
    for probe in report.probes:
        reward = "none" if probe.reward is None else f"{probe.reward:g}"
        yield f"| {text(probe.what)} | {reward} | {text(probe.note or '')} |"
