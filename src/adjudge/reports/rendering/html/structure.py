"""How agents work, as one page: transitions between kinds of turns, and every trial as a coloured strip.

Plain HTML and SVG without scripts. Nothing of an agent's reaches it but names, which are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from adjudge.errors import printable
from adjudge.traces import KINDS, KindSequence, StructureTest, TurnKind, transition_counts

COLOURS = {
    TurnKind.EXECUTION: "#4477aa",
    TurnKind.VERIFICATION: "#228833",
    TurnKind.DELIBERATION: "#ccbb44",
    TurnKind.EXPLORATION: "#aa3377",
}
_MOST_STRIPS = 200
_MOST_TURNS = 200
_WIDTH = 6


def render_structure(sequences: Sequence[KindSequence], test: StructureTest) -> str:
    """The page. Without sequences it says so."""
    legend = " ".join(f'<span style="color:{COLOURS[kind]}">&#9632;</span> {kind.value}' for kind in KINDS)
    ordered = sorted(sequences, key=lambda one: (one.agent, -one.reward, one.trial_id))
    strips = "".join(_strip(one) for one in ordered[:_MOST_STRIPS])
    more = f"<p>The first {_MOST_STRIPS} of {len(ordered)} trials.</p>" if len(ordered) > _MOST_STRIPS else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>How agents work</title>'
        "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
        "table{border-collapse:collapse}td,th{padding:.2em .6em;text-align:right}th{font-weight:600}"
        "td.name{text-align:left}</style>"
        f"<h1>How agents work</h1><p>{escape(structure_sentence(test))}</p><p>{legend}</p>"
        f"<h2>What follows what</h2>{_matrix(sequences)}"
        "<h2>Trials by agent and reward</h2>"
        f"<table><tr><th>agent</th><th>reward</th><th>turns</th></tr>{strips}</table>{more}</html>\n"
    )


def structure_sentence(test: StructureTest) -> str:
    """What the test says, in words."""
    where = f"{test.trials} trials of {test.tasks} tasks"
    if test.value is None or test.p is None:
        return f"Whether structure goes with reward cannot be told: {test.reason} ({where})."
    ends = "" if test.low is None else f" [{test.low:.3f}, {test.high:.3f}]"
    shown = "goes with reward" if test.p <= 0.05 else "is not shown to go with reward"
    return (
        f"Similarity to high-reward trials of other tasks {shown}: correlation within tasks "
        f"{test.value:.3f}{ends}, p = {test.p:.3f} by permutation ({where}). A diagnostic beside the reward."
    )


def _matrix(sequences: Sequence[KindSequence]) -> str:
    totals = [0] * len(KINDS) ** 2
    for one in sequences:
        totals = [a + b for a, b in zip(totals, transition_counts(one.kinds), strict=True)]
    head = "".join(f"<th>{kind.value}</th>" for kind in KINDS)
    rows = ""
    for number, kind in enumerate(KINDS):
        row = totals[number * len(KINDS) : (number + 1) * len(KINDS)]
        whole = sum(row)
        cells = "".join(_cell(count, whole) for count in row)
        rows += f"<tr><th>{kind.value}</th>{cells}</tr>"
    return f"<table><tr><th></th>{head}</tr>{rows}</table>"


def _cell(count: int, whole: int) -> str:
    share = count / whole if whole else 0.0
    shade = f"background:rgba(68,119,170,{share:.2f})"
    return f'<td style="{shade}">{share:.0%}<br><small>{count:,}</small></td>'


def _strip(one: KindSequence) -> str:
    shown = one.kinds[:_MOST_TURNS]
    parts = "".join(
        f'<rect x="{number * _WIDTH}" width="{_WIDTH - 1}" height="14" fill="{COLOURS[kind]}"/>'
        for number, kind in enumerate(shown)
    )
    words = ", ".join(kind.value for kind in shown[:40])
    wide = max(1, len(shown)) * _WIDTH
    picture = f'<svg role="img" width="{wide}" height="14"><title>{words}</title>{parts}</svg>'
    name = escape(printable(one.agent))
    return f'<tr><td class="name">{name}</td><td>{one.reward:.2f}</td><td class="name">{picture}</td></tr>'
