"""Certificates as one HTML page: no network, no script, everything escaped, light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from adjudge.audit import Certificate, Finding, SectionReport, Verdict
from adjudge.contracts import Severity
from adjudge.reports.rendering.html.page import parts, policy
from adjudge.reports.rendering.printable import printable
from adjudge.reports.rendering.terminal.certificate import counts, facts, rank

_SHARED = ("page.css", "tables.css")
"""The report's own style, so that both pages look alike."""
_STYLE = """
.badge{display:inline-block;border-radius:9px;padding:0 9px;font-size:13px;font-weight:600}
.badge{background:var(--grid)}
.high,.unsound{background:var(--low)}.medium,.questionable{background:var(--mid)}.sound{background:var(--high)}
.finding{border-left:3px solid var(--line);padding:2px 0 2px 14px;margin:14px 0}
.finding p{margin:4px 0;max-width:92ch}details{margin:10px 0}summary{cursor:pointer;color:var(--soft)}
pre{overflow-x:auto;background:var(--grid);padding:8px 10px;border-radius:6px;font-size:13px}
"""


def render_certificates(certificates: Sequence[Certificate]) -> str:
    """The page; with more than one certificate it begins with their ranking, the worst first."""
    ranked = sorted(certificates, key=rank)
    style = parts(*_SHARED) + _STYLE
    title = _text(ranked[0].task_id) if len(ranked) == 1 else f"{len(ranked)} tasks audited"
    body = "\n".join(
        [
            *(_ranking(ranked) if len(ranked) > 1 else ()),
            *(part for number, c in enumerate(ranked) for part in _one(c, number)),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title} · adjudge audit</title>\n<style>{style}</style></head>\n"
        f'<body><main class="wide"><div class="intro"><h1>{title}</h1></div>\n{body}\n</main></body></html>\n'
    )


def _ranking(ranked: Sequence[Certificate]) -> Iterator[str]:
    heads = "".join(f'<th class="num">{head}' for head in ("high", "medium", "low", "discrimination"))
    yield '<section><h2>The worst first</h2><div class="scroll"><table>'
    yield f"<thead><tr><th>task<th>verdict{heads}<th>worst finding</tr></thead><tbody>"
    for number, certificate in enumerate(ranked):
        score = "" if certificate.discrimination is None else f"{certificate.discrimination:.3f}"
        counted = [str(certificate.count(s)) for s in Severity if s is not Severity.INFO]
        cells = "".join(f'<td class="num">{cell}' for cell in (*counted, score))
        worst = certificate.findings[0].title if certificate.findings else ""
        name = f'<a href="#task-{number}">{_text(certificate.task_id)}</a>'
        yield f"<tr><th>{name}<td>{_badge(certificate.verdict)}{cells}<td>{_text(worst)}</tr>"
    yield "</tbody></table></div></section>"


def _one(certificate: Certificate, number: int) -> Iterator[str]:
    head = f"{_text(certificate.task_id)} {_badge(certificate.verdict)}"
    yield f'<section id="task-{number}"><h2>{head}</h2>'
    said = " ".join(map(_text, facts(certificate)))
    yield f'<p class="lead">{_text(counts(certificate))}. {said}</p>'
    yield from map(_finding, certificate.findings)
    yield from map(_section, certificate.sections)
    made = f"<code>{certificate.task_digest}</code>, adjudge {_text(certificate.adjudge_version)}"
    yield f'<p class="aside">Task digest {made}</p></section>'


def _finding(finding: Finding) -> str:
    command = f"<pre>{_text(finding.reproduce)}</pre>" if finding.reproduce else ""
    rewards = ""
    if finding.reward_before is not None and finding.reward_after is not None:
        rewards = f' <span class="soft">{finding.reward_before:g} → {finding.reward_after:g}</span>'
    return (
        f'<div class="finding"><p>{_badge(finding.severity)} <b>{_text(finding.title)}</b>{rewards}</p>'
        f"<p>{_text(finding.seen)}</p><p>{_text(finding.advice)}</p>{command}</div>"
    )


def _section(report: SectionReport) -> str:
    if report.reason is not None:
        return f"<p>{report.section.value}: not run, {_text(report.reason)}.</p>"
    rows = []
    for probe in report.probes:
        reward = "none" if probe.reward is None else f"{probe.reward:g}"
        rows.append(f'<tr><td>{_text(probe.what)}<td class="num">{reward}<td>{_text(probe.note or "")}</tr>')
    count = len(report.probes)
    head = f"{report.section.value}: {report.status}, {count} probe{'' if count == 1 else 's'}"
    heads = '<thead><tr><th>probe<th class="num">reward<th></tr></thead>'
    table = f'<div class="scroll"><table>{heads}<tbody>{"".join(rows)}</tbody></table></div>'
    return f"<details><summary>{head}</summary>{table}</details>"


def _badge(word: Severity | Verdict) -> str:
    return f'<span class="badge {word.value}">{word.value}</span>'


def _text(value: str) -> str:
    return escape(printable(value))
