"""A certificate in a terminal: the verdict, one line a section, then the findings, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.audit import Certificate, Finding, Verdict
from adjudge.contracts import Severity
from adjudge.reports.rendering.terminal.canvas import Terminal, joined, wrap
from adjudge.reports.rendering.terminal.layout import safe, sentence_lines, table_lines, title_lines

_COLOURS = {
    Severity.HIGH: ("red", "bold"),
    Severity.MEDIUM: ("yellow",),
    Severity.LOW: (),
    Severity.INFO: ("dim",),
}
_VERDICTS = {
    Verdict.SOUND: "green",
    Verdict.UNPROVEN: "dim",
    Verdict.QUESTIONABLE: "yellow",
    Verdict.UNSOUND: "red",
}
MOST_RANKED = 30


@joined
def render_certificate(certificate: Certificate, terminal: Terminal) -> Iterator[str]:
    """Everything but the single probes, which JSON and the HTML page have."""
    yield from title_lines(certificate.task_id, terminal, first=True)
    verdict = f"{certificate.verdict}: {counts(certificate)}"
    yield terminal.paint(safe(terminal, verdict), _VERDICTS[certificate.verdict])
    for fact in facts(certificate):
        yield from sentence_lines(fact, terminal, "dim")
    yield ""
    rows = [
        (
            report.section.value,
            report.status,
            str(len(report.probes)),
            report.reason or ", ".join(report.read),
        )
        for report in certificate.sections
    ]
    yield from table_lines(("section", "status", "probes", ""), rows, terminal, elastic=(3,))
    if certificate.hacks:
        yield ""
        hacks = [(row.hack, row.status, row.why) for row in certificate.hacks]
        yield from table_lines(("known hacks", "status", ""), hacks, terminal, elastic=(2,))
    if certificate.baselines:
        yield ""
        yield from sentence_lines(f"{baseline_words(certificate)}.", terminal, "dim")
    for finding in certificate.findings:
        yield ""
        yield from _finding_lines(finding, terminal)


def baseline_words(certificate: Certificate) -> str:
    """What trivial agents earn: whoever earns no more has shown nothing."""
    earned = ", ".join(f"{name} {reward:g}" for name, reward in certificate.baselines.items())
    return f"Trivial agents earn: {earned}"


def _finding_lines(finding: Finding, terminal: Terminal) -> Iterator[str]:
    head = f"{finding.severity}: {finding.title}"
    yield from sentence_lines(head, terminal, *_COLOURS[finding.severity])
    for text in (finding.seen, finding.advice):
        for line in wrap(safe(terminal, text), terminal.width - 2):
            yield f"  {line}"
    if finding.reproduce is not None:
        yield terminal.paint(f"  {safe(terminal, finding.reproduce)}", "dim")


def counts(certificate: Certificate) -> str:
    """`1 high, 2 low`; `nothing found` where there is nothing worth a word."""
    parts = [f"{n} {severity}" for severity in Severity if (n := certificate.count(severity))]
    return ", ".join(parts) or "nothing found"


def facts(certificate: Certificate) -> Iterator[str]:
    """What the audit worked with and measured."""
    if certificate.probes_run:
        yield certificate.statement()
    if (given := certificate.time_statement()) is not None:
        yield given
    if certificate.answer is None:
        yield "No right answer was found, so not everything could be tried."
    else:
        reward = "" if certificate.answer_reward is None else f", which scores {certificate.answer_reward:g}"
        yield f"Right answer: {certificate.answer}{reward}."
    if certificate.packages:
        yield f"Packages that the verifier was shown: {', '.join(certificate.packages)}."
    if certificate.discrimination is not None:
        score = f"{certificate.discrimination:.3f}"
        yield f"Discrimination {score}: wrong answers lose that share of what they should lose."
    known = {True: "deterministic", False: "not deterministic", None: "determinism not known"}
    yield f"{known[certificate.deterministic].capitalize()}. Task digest {certificate.task_digest[:12]}."


@joined
def render_certificates(certificates: Sequence[Certificate], terminal: Terminal) -> Iterator[str]:
    """Many certificates, the worst first."""
    ranked = sorted(certificates, key=rank)
    yield from title_lines(f"{len(ranked)} tasks audited", terminal, first=True)
    totals = [f"{sum(c.verdict is v for c in ranked)} {v}" for v in Verdict]
    yield from sentence_lines(", ".join(totals), terminal, "dim")
    yield ""
    rows = [
        (
            c.task_id,
            c.verdict.value,
            str(c.count(Severity.HIGH)),
            str(c.count(Severity.MEDIUM)),
            str(c.count(Severity.LOW)),
            "-" if c.discrimination is None else f"{c.discrimination:.3f}",
            c.findings[0].title if c.findings and c.findings[0].severity is not Severity.INFO else "",
        )
        for c in ranked[:MOST_RANKED]
    ]
    heads = ("task", "verdict", "high", "medium", "low", "discrimination", "worst finding")
    yield from table_lines(heads, rows, terminal, elastic=(6,))
    if len(ranked) > MOST_RANKED:
        yield f"and {len(ranked) - MOST_RANKED} more, none of them worse; --json has all"


def rank(certificate: Certificate) -> tuple[float, ...] | tuple[float | str, ...]:
    """Sorts the worst first; the same for the same certificates, in whatever order they came."""
    numbers = [-certificate.count(severity) for severity in Severity if severity is not Severity.INFO]
    score = 1.0 if certificate.discrimination is None else certificate.discrimination
    return (*numbers, score, certificate.task_id)
