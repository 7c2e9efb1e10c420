"""What the docs show of the simulation: an SVG drawn by hand, and a table of the default interval.

The plot has one panel a shape and design, one line a method.

Colours are CSS variables that follow the reader's light or dark theme; lines differ in dash and marker as
well, so that nothing depends on telling colours apart.
"""

from __future__ import annotations

import math
from typing import Any

SHAPES = ("0/1", "nearly all 1", "graded", "bimodal")
ROWS: tuple[tuple[str, str, str], ...] = (
    ("mean reward, independent tasks", "mean reward", "independent"),
    ("mean reward, clusters of five tasks", "mean reward", "clusters of 5"),
    ("mean reward, Zipf clusters", "mean reward", "Zipf clusters"),
    ("paired difference, independent tasks", "paired difference", "independent"),
)
METHODS: tuple[tuple[str, str], ...] = (
    ("default", "default"),
    ("t", "Student t"),
    ("bca", "BCa bootstrap"),
)
WIDTH, HEIGHT, LEFT, TOP = 200, 120, 56, 96
STEP_X, STEP_Y = WIDTH + 22, HEIGHT + 58
FLOOR, CEILING = 0.80, 1.0
STYLE = """
svg { --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0; --paper: #ffffff; --band: #dafbe1;
  --score: #0550ae; --t: #bc4c00; --bca: #8250df; font: 11px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #f0f6fc; --soft: #9198a1; --rule: #3d444d; --paper: #0d1117; --band: #12361f;
    --score: #79c0ff; --t: #ffa657; --bca: #d2a8ff; }
}
text { fill: var(--soft); } .title { fill: var(--ink); font-size: 15px; font-weight: 600; }
.row { fill: var(--ink); font-weight: 600; font-size: 12px; } .rule { stroke: var(--rule); }
.end { text-anchor: end; }
.middle { text-anchor: middle; } .paper { fill: var(--paper); } .band { fill: var(--band); }
.line { fill: none; stroke-width: 1.8; }
.default { stroke: var(--score); } .t { stroke: var(--t); stroke-dasharray: 5 3; }
.bca { stroke: var(--bca); stroke-dasharray: 1.5 3; }
.dot.default { fill: var(--score); stroke: none; } .dot.t { fill: var(--paper); stroke-dasharray: none; }
.dot.bca { fill: var(--bca); stroke: none; }
"""


def draw(summary: dict[str, Any]) -> str:
    """The summary of a simulation as one SVG document."""
    total_width = LEFT + len(SHAPES) * STEP_X + 8
    total_height = TOP + len(ROWS) * STEP_Y - 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {total_height}" role="img" '
        'aria-labelledby="title desc">',
        '<title id="title">How often a 95 % interval covers the truth</title>',
        '<desc id="desc">Coverage by number of tasks, for four shapes of reward, three designs and three '
        "methods. The band marks 93.5 to 96.5 percent.</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{total_width}" height="{total_height}"/>',
        f'<text class="title" x="{LEFT}" y="24">How often a 95 % interval covers the truth</text>',
        *_legend(),
    ]
    for row, (label, quantity, design) in enumerate(ROWS):
        top = TOP + row * STEP_Y
        parts.append(f'<text class="row" x="{LEFT}" y="{top - 22}">{label}</text>')
        for column, shape in enumerate(SHAPES):
            cells = [
                cell
                for cell in summary["cells"]
                if (cell["quantity"], cell["shape"], cell["attempts"]) == (quantity, shape, "1")
                and cell["design"] == design
            ]
            parts.extend(_panel(cells, shape, LEFT + column * STEP_X, top, first=column == 0))
    return "\n".join([*parts, "</svg>", ""])


def _legend() -> list[str]:
    parts = [f'<rect class="band" x="{LEFT}" y="34" width="22" height="10"/>']
    parts.append(f'<text x="{LEFT + 27}" y="43">93.5 to 96.5 %</text>')
    for i, (method, label) in enumerate(METHODS):
        x = LEFT + 130 + i * 130
        parts.append(f'<path class="line {method}" d="M{x} 39h26"/>')
        parts.append(f'<circle class="dot {method}" cx="{x + 13}" cy="39" r="2.6"/>')
        parts.append(f'<text x="{x + 32}" y="43">{label}</text>')
    return parts


def _panel(cells: list[dict[str, Any]], shape: str, left: int, top: int, *, first: bool) -> list[str]:
    sizes = (5, 10, 20, 50, 100, 200)

    def x(n: int) -> float:
        return left + 8 + (WIDTH - 16) * math.log(n / sizes[0]) / math.log(sizes[-1] / sizes[0])

    def y(coverage: float) -> float:
        return top + HEIGHT * (CEILING - max(coverage, FLOOR)) / (CEILING - FLOOR)

    height = y(0.935) - y(0.965)
    parts = [
        f'<text x="{left}" y="{top - 6}">{shape}, by number of tasks</text>',
        f'<rect class="band" x="{left}" y="{y(0.965):.1f}" width="{WIDTH}" height="{height:.1f}"/>',
    ]
    for tick in (0.80, 0.85, 0.90, 0.95, 1.0):
        parts.append(f'<path class="rule" d="M{left} {y(tick):.1f}h{WIDTH}"/>')
        if first:
            parts.append(f'<text class="end" x="{left - 6}" y="{y(tick) + 4:.1f}">{100 * tick:.0f} %</text>')
    parts.extend(f'<text class="middle" x="{x(n):.1f}" y="{top + HEIGHT + 14}">{n}</text>' for n in sizes)
    for method, _ in reversed(METHODS):
        line = sorted((c["n"], c["coverage"]) for c in cells if c["method"] == method)
        if not line:
            continue
        path = "L".join(f"{x(n):.1f} {y(coverage):.1f}" for n, coverage in line)
        parts.append(f'<path class="line {method}" d="M{path}"/>')
        parts.extend(
            f'<circle class="dot {method}" cx="{x(n):.1f}" cy="{y(coverage):.1f}" r="2.6">'
            f"<title>{method}, {n} tasks: {100 * coverage:.1f} %</title></circle>"
            for n, coverage in line
        )
    return parts


def table(summary: dict[str, Any]) -> str:
    """Coverage of the default intervals in percent, as Markdown; bold if 93.5 to 96.5 is promised.

    A star marks a cell in which most intervals carry a caveat.
    """
    found = [cell for cell in summary["cells"] if cell["method"] == "default" and cell["shape"] != "-"]
    sizes = sorted({cell["n"] for cell in found})
    lines = [
        "| number | rewards | attempts | tasks | " + " | ".join(f"n = {n}" for n in sizes) + " |",
        "|---|---|---|---|" + "---|" * len(sizes),
    ]
    rows: dict[tuple[str, str, str, str], dict[int, str]] = {}
    for cell in found:
        text = f"{100 * cell['coverage']:.1f}" + ("\\*" if cell["caveats"] > 0.5 else "")
        shown = f"**{text}**" if cell["promise"] == "93.5 to 96.5" else text
        key = cell["quantity"], cell["shape"], cell["attempts"], cell["design"]
        rows.setdefault(key, {})[cell["n"]] = shown
    for (quantity, shape, attempts, design), row in rows.items():
        cells = " | ".join(row.get(n, "") for n in sizes)
        lines.append(f"| {quantity} | {shape} | {attempts} | {design} | {cells} |")
    return "\n".join(lines)


def rate_table(summary: dict[str, Any]) -> str:
    """Error rates and powers in percent, as Markdown."""
    lines = ["| how often | tasks | n | found | at most | replicates |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {rate['question']} | {rate['design']} | {rate['n']} | {100 * rate['rate']:.1f} % | "
        + ("a power" if rate["limit"] is None else f"{100 * rate['limit']:g} %")
        + f" | {rate['replicates']:,} |"
        for rate in summary["rates"]
    ]
    return "\n".join(lines)
