"""One result as a person reads it in a terminal: the reward, the gates, a bar for each field, what was said.

`render_result` is a pure function of its arguments; all that came from an agent or a verifier is made safe to
print before it is laid out. Nothing is coloured that is not also said in words or by position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from adjudge.contracts import EvaluationResult, VerifierRun
from adjudge.errors import show
from adjudge.reports.rendering.terminal.canvas import Terminal, cells, cut, joined, pad, wrap
from adjudge.scoring import NOT_RUN, FieldScore, Outcome, breakdown_rows, outcome_of

MAX_FIELDS = 60
MAX_EVIDENCE_LINES = 6
MAX_STREAM_LINES = 12
MAX_ENTRIES = 20
_WIDEST = 110
_LONGEST = 2000
"""Characters of any one text that are laid out; a verifier may write megabytes."""
_BAR = 10
_SAID = {
    Outcome.NOTHING_USABLE: ("red", "nothing usable: the output earns 0.0 whatever it meant"),
    Outcome.MACHINERY_FAILED: ("red", "machinery failed: this 0.0 says nothing about the agent"),
    Outcome.SUSPECTED: ("yellow", "verifier failure suspected: read this reward with care"),
}


@joined
def render_result(
    title: str,
    result: EvaluationResult,
    run: VerifierRun,
    terminal: Terminal,
    *,
    output: str | None = None,
    beside: Mapping[str, object] | None = None,
) -> Iterator[str]:
    """The whole view, ending in a newline; at home in any width from 40 on.

    `output` is the path that was looked at, which is worth a line where nothing could be read there; `beside`
    is what `reward.json` holds beside the reward.
    """
    beside = beside or {}
    width = min(terminal.width, _WIDEST)
    colour = "green" if result.reward == 1 else "yellow" if result.reward > 0 else "red"
    reward = f"reward {format_score(result.reward)}"
    yield from _ends(terminal.safe(title), reward, width, terminal, colour)
    yield from _gates(result, run, width, terminal)
    outcome = outcome_of(result)
    if outcome in _SAID:
        colour, words = _SAID[outcome]
        yield from (terminal.paint(line, colour) for line in wrap(words, width))

    rows = breakdown_rows(result.breakdown)
    label = _label_width(rows, width)
    yield from _fields(rows[:MAX_FIELDS], label, width, terminal)
    if len(rows) > MAX_FIELDS:
        yield f"{terminal.ellipsis} and {len(rows) - MAX_FIELDS} more fields (--json has all)"
    if result.breakdown is not None and not rows:
        yield from _entry("details", "nothing in them reads as a score (--json has them)", label, width)
    if beside:
        also = ", ".join(f"{key} {show(value)}" for key, value in islice(beside.items(), MAX_ENTRIES))
        yield from _entry("besides", terminal.safe(also[:_LONGEST]), label, width)
    yield from _notes(result, label, width, terminal)
    if output is not None and run.backend == NOT_RUN:
        yield from _entry("looked at", terminal.safe(output), label, width)
    yield from _stream("stdout", run.stdout, label, width, terminal)
    yield from _stream("stderr", run.stderr, label, width, terminal)


def _gates(result: EvaluationResult, run: VerifierRun, width: int, terminal: Terminal) -> Iterator[str]:
    """The validity flags on the left, how the verifier ran on the right."""
    validity = result.validity
    verifier = "completed" if validity.verifier_completed else "failed"
    if run.backend == NOT_RUN:
        verifier = "not run"
    flags = [
        f"parseable {_yes(validity.output_parseable)}",
        f"schema {_yes(validity.schema_valid)}",
        f"verifier {verifier}",
    ]
    how = [] if run.backend == NOT_RUN else [terminal.safe(run.backend)]
    if run.duration_sec is not None:
        how.append(format_duration(run.duration_sec))
    if run.exit_code:
        how.append(f"exit {run.exit_code}")
    how += [f"limit: {limit.replace('_', ' ')}" for limit in run.limits_hit]
    yield from _ends("   ".join(flags), ", ".join(how), width, terminal, "dim")


def _notes(result: EvaluationResult, label: int, width: int, terminal: Terminal) -> Iterator[str]:
    """Tags, errors, confidence and what people said."""
    given = result.error_taxonomy or []
    kinds = Counter((tag.category, tag.source) for tag in given)
    tags = []
    for (category, source), times in kinds.items():
        first = next(t.description for t in given if (t.category, t.source) == (category, source))
        often = f" x{times}" if times > 1 else ""
        tags.append(f"{category} ({source}){often}{f': {first}' if first else ''}")
    yield from _entries("tags", tags, label, width, terminal)
    yield from _entries("errors", result.validity.errors, label, width, terminal)
    if (confidence := result.confidence) is not None:
        parts = [f"judge {confidence.judge.name} ({confidence.judge.model})"] if confidence.judge else []
        if confidence.sample_count is not None:
            parts.append(f"{confidence.sample_count} samples")
        if confidence.agreement is not None:
            parts.append(f"{confidence.agreement_method} {confidence.agreement:.2f}")
        if (interval := confidence.interval) is not None:
            parts.append(f"{interval.level:.0%} [{interval.low:.2f}, {interval.high:.2f}]")
        yield from _entries("confidence", [", ".join(parts) or "no details"], label, width, terminal)
    said = []
    for note in result.annotations or ():
        who = (
            f"{note.reviewer_id}, {note.reviewer_discipline}"
            if note.reviewer_discipline
            else note.reviewer_id
        )
        said.append(": ".join([f"{note.judgment} ({who})", *([note.notes] if note.notes else [])]))
    yield from _entries("review", said, label, width, terminal)


def _fields(rows: list[FieldScore], label: int, width: int, terminal: Terminal) -> Iterator[str]:
    """A line a field: name, bar, score, evidence; the evidence goes on below itself.

    A name too long for its column has a line of its own, whole: fields often differ only in their ends.
    """
    scores = [_score_text(row) for row in rows]
    score_width = max((len(text) for text in scores), default=0)
    bar = _BAR if width >= 60 else _BAR // 2
    left = label + 2 + bar + 2 + score_width + 2
    beside = width - left >= 24
    for row, score in zip(rows, scores, strict=True):
        name = terminal.safe(row.field[:_LONGEST])
        if cells(name) > label:
            yield from wrap(name, width)
            name = ""
        line = f"{pad(name, label)}  {_bar(row, bar, terminal)}  {score:>{score_width}}"
        evidence = wrap(
            terminal.safe((row.evidence or "")[:_LONGEST], keep_newlines=True),
            width - (left if beside else 4),
        )
        if len(evidence) > MAX_EVIDENCE_LINES:
            evidence = [*evidence[: MAX_EVIDENCE_LINES - 1], terminal.ellipsis]
        if not beside:
            yield line
            yield from (f"    {text}" for text in evidence if text)
            continue
        yield f"{line}  {evidence[0]}"
        yield from (" " * left + text for text in evidence[1:])


def _bar(row: FieldScore, width: int, terminal: Terminal) -> str:
    """Full only for a full score, empty only for none; blank where there is nothing to measure against."""
    value = row.normalised
    if value is None:
        return " " * width
    full = 0 if value == 0 else width if value == 1 else min(max(round(value * width), 1), width - 1)
    on, off = ("█", "░") if terminal.unicode else ("#", ".")
    colour = "green" if value == 1 else "yellow" if value > 0 else "red"
    return terminal.paint(on * full, colour) + terminal.paint(off * (width - full), "dim")


def _score_text(row: FieldScore) -> str:
    if row.score is None:
        return "n/a"
    if row.max_score is None or row.max_score == 1:
        return format_score(row.score)
    return f"{row.score:.4g}/{row.max_score:.4g}"


def _stream(name: str, text: str, label: int, width: int, terminal: Terminal) -> Iterator[str]:
    """The last lines of what the verifier printed."""
    lines = [terminal.safe(line.expandtabs(4)) for line in text.rstrip().splitlines()]
    hidden = len(lines) - MAX_STREAM_LINES
    if hidden > 0:
        lines = [f"({hidden} lines before)", *lines[-MAX_STREAM_LINES:]]
    for place, line in enumerate(lines):
        start = pad(name if place == 0 else "", label)
        yield f"{start}  {terminal.paint(cut(line, width - label - 2, terminal.ellipsis), 'dim')}"


def _entries(name: str, texts: list[str], label: int, width: int, terminal: Terminal) -> Iterator[str]:
    for place, text in enumerate(texts[:MAX_ENTRIES]):
        yield from _entry(
            name if place == 0 else "", terminal.safe(text[:_LONGEST], keep_newlines=True), label, width
        )
    if len(texts) > MAX_ENTRIES:
        yield from _entry("", f"{terminal.ellipsis} and {len(texts) - MAX_ENTRIES} more", label, width)


def _entry(name: str, text: str, label: int, width: int) -> Iterator[str]:
    """A label and a text beside it, wrapped."""
    for place, line in enumerate(wrap(text, width - label - 2)):
        yield f"{pad(name if place == 0 else '', label)}  {line}"


def _ends(left: str, right: str, width: int, terminal: Terminal, colour: str) -> Iterator[str]:
    """Two texts at the two ends of a line, or one below the other where they do not fit."""
    gap = width - cells(left) - cells(right)
    if gap >= 2:
        yield f"{left}{' ' * gap}{terminal.paint(right, colour)}"
        return
    yield from wrap(left, width)
    yield from (terminal.paint(line, colour) for line in wrap(right, width))


def _label_width(rows: list[FieldScore], width: int) -> int:
    """The first column: as wide as the longest name, within a third of the line."""
    longest = max((cells(row.field[:_LONGEST]) for row in rows[:MAX_FIELDS]), default=0)
    return max(min(longest, width // 3), len("confidence"))


def format_score(value: float) -> str:
    """At least two decimals, at most four; never rounded to a 0 or a 1 that it is not."""
    text = f"{value:.4f}"
    if float(text) in (0.0, 1.0) and value not in (0.0, 1.0):
        return repr(value)
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"


def format_duration(seconds: float) -> str:
    """31 ms, 2.4 s, 3 min 20 s."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"
