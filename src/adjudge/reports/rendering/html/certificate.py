"""Certificates as one HTML page: no network, no script, everything escaped, light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from adjudge.audit import Certificate, Finding, SectionReport, Verdict
from adjudge.contracts import Severity
from adjudge.errors import printable
from adjudge.reports.rendering.html.page import parts, policy
from adjudge.reports.rendering.terminal.certificate import baseline_words, counts, facts, rank

_SHARED = ("page.css", "tables.css")
"""The report's own style, so that both pages look alike."""
_STYLE = """
.badge{display:inline-block;border-radius:9px;padding:0 9px;font-size:13px;font-weight:600}
.badge{background:var(--grid)}
.high,.unsound{background:var(--low)}.medium,.questionable{background:var(--mid)}.sound{background:var(--high)}
.finding{border-left:3px solid var(--line);padding:2px 0 2px 14px;margin:14px 0}
.finding p{margin:4px 0;max-width:92ch}details{margin:10px 0}summary{cursor:pointer;color:var(--soft)}
.shown{display:inline-block;margin-right:14px}
#show-unsound:checked~.scroll tbody tr:not(.is-unsound),
#show-questionable:checked~.scroll tbody tr:not(.is-questionable),
#show-unproven:checked~.scroll tbody tr:not(.is-unproven),
#show-sound:checked~.scroll tbody tr:not(.is-sound){display:none}
code{color:var(--ink);overflow-wrap:anywhere}
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
            *(_causes(ranked) if len(ranked) > 1 else ()),
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
    yield "<section><h2>The worst first</h2>"
    counted_by = {v.value: sum(c.verdict is v for c in ranked) for v in Verdict}
    for word, count in {"all": len(ranked), **counted_by}.items():
        checked = " checked" if word == "all" else ""
        yield f'<input type="radio" name="show" id="show-{word}"{checked}>'
        yield f'<label class="shown" for="show-{word}">{word} {count}</label>'
    yield '<div class="scroll" tabindex="0"><table>'
    yield f"<thead><tr><th>task<th>verdict{heads}<th>worst finding</tr></thead><tbody>"
    for number, certificate in enumerate(ranked):
        score = "" if certificate.discrimination is None else f"{certificate.discrimination:.3f}"
        counted = [str(certificate.count(s)) for s in Severity if s is not Severity.INFO]
        cells = "".join(f'<td class="num">{cell}' for cell in (*counted, score))
        worst = certificate.findings[0].title if certificate.findings else ""
        name = f'<a href="#task-{number}">{_text(certificate.task_id)}</a>'
        yield f'<tr class="is-{certificate.verdict.value}"><th>{name}<td>{_badge(certificate.verdict)}{cells}'
        yield f"<td>{_text(worst)}</tr>"
    yield "</tbody></table></div></section>"


def _causes(ranked: Sequence[Certificate]) -> Iterator[str]:
    """The same by what is to be mended: a row for each cause, the worst first, and the tasks that have it."""
    worst: dict[str, int] = {}
    links: dict[str, list[str]] = {}
    for number, certificate in enumerate(ranked):
        for finding in certificate.findings:
            if finding.cause and finding.severity is not Severity.INFO:
                worst[finding.cause] = min(finding.severity.rank, worst.get(finding.cause, 99))
                link = f'<a href="#task-{number}">{_text(certificate.task_id)}</a>'
                links.setdefault(finding.cause, []).append(link)
    yield '<section><h2>By cause</h2><div class="scroll" tabindex="0"><table>'
    yield '<thead><tr><th>cause<th>worst<th class="num">tasks<th>which</tr></thead><tbody>'
    for cause in sorted(links, key=lambda cause: (worst[cause], -len(links[cause]), cause)):
        tasks = list(dict.fromkeys(links[cause]))
        counted = f'<td class="num">{len(tasks)}<td>{", ".join(tasks)}'
        yield f"<tr><th>{_text(cause)}<td>{_badge(list(Severity)[worst[cause]])}{counted}</tr>"
    yield "</tbody></table></div></section>"


def render_badge(certificates: Sequence[Certificate]) -> str:
    """A small SVG for a benchmark's README: how many verifiers were found sound."""
    sound = sum(certificate.verdict is Verdict.SOUND for certificate in certificates)
    bad = sum(certificate.verdict is Verdict.UNSOUND for certificate in certificates)
    said = f"{sound} of {len(certificates)} sound" + (f", {bad} unsound" if bad else "")
    colour = "#b3261e" if bad else "#2e7d32" if sound == len(certificates) else "#8a6d00"
    left, right = 98, 14 + 7 * len(said)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="verifiers: {said}"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">'
        f'<text x="8" y="14">adjudge audit</text><text x="{left + 7}" y="14">{said}</text></g></svg>\n'
    )


def _one(certificate: Certificate, number: int) -> Iterator[str]:
    head = f"{_text(certificate.task_id)} {_badge(certificate.verdict)}"
    yield f'<section id="task-{number}"><h2>{head}</h2>'
    said = " ".join(map(_text, facts(certificate)))
    yield f'<p class="lead">{_text(counts(certificate))}. {said}</p>'
    if certificate.hacks:
        rows = [f"<tr><td>{_text(r.hack)}<td>{r.status}<td>{_text(r.why)}</tr>" for r in certificate.hacks]
        head = "<thead><tr><th>known hacks<th>status<th>why</tr></thead>"
        yield f'<div class="scroll" tabindex="0"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
    if certificate.baselines:
        yield f"<p>{_text(baseline_words(certificate))}.</p>"
    yield from map(_finding, certificate.findings)
    yield from map(_section, certificate.sections)
    made = f"<code>{certificate.task_digest}</code>, adjudge {_text(certificate.adjudge_version)}"
    whole = f"<br>Certificate digest <code>{certificate.digest}</code>, {_place(certificate)}"
    if certificate.signature is not None:
        whole += f"<br>Signed by <code>{certificate.signature.key}</code>"
    yield f'<p class="aside">Task digest {made}{whole}</p></section>'


def _place(certificate: Certificate) -> str:
    """Where the verifier ran."""
    python = certificate.verifier_python
    parts = [
        certificate.sandbox,
        f"image {certificate.image}" if certificate.image else "",
        f"Python {python}" if python else "",
        f"packages {', '.join(certificate.packages)}" if certificate.packages else "",
        f"hash seeds {', '.join(certificate.seeds)}" if certificate.seeds else "",
    ]
    return _text(", ".join(part for part in parts if part))


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
    if report.read:
        return f"<p>{report.section.value}: {report.status}, read {_text(', '.join(report.read))}.</p>"
    rows = []
    for probe in report.probes:
        reward = "none" if probe.reward is None else f"{probe.reward:g}"
        rows.append(f'<tr><td>{_text(probe.what)}<td class="num">{reward}<td>{_text(probe.note or "")}</tr>')
    count = len(report.probes)
    head = f"{report.section.value}: {report.status}, {count} probe{'' if count == 1 else 's'}"
    heads = '<thead><tr><th>probe<th class="num">reward<th>note</tr></thead>'
    table = f'<div class="scroll" tabindex="0"><table>{heads}<tbody>{"".join(rows)}</tbody></table></div>'
    return f"<details><summary>{head}</summary>{table}</details>"


def _badge(word: Severity | Verdict) -> str:
    return f'<span class="badge {word.value}">{word.value}</span>'


def _text(value: str) -> str:
    return escape(printable(value))
