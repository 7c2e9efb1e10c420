"""A plot with two logarithmic axes as an SVG: how something grows with the number of trials.

The text follows the reader's light or dark theme, and each line has its name at its right end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Points = Sequence[tuple[float, float]]
"""Trials, and what was measured; both above 0."""
_STYLE = (
    "<style>svg{font-family:system-ui}text{fill:#1f2328}.r{stroke:#d1d9e0}.l{fill:none;stroke:#0550ae;stroke-width:1.5}"
    "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.r{stroke:#3d444d}.l{stroke:#79c0ff}}</style>"
)
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 500, 50, 290


def log_log(title: str, lines: Mapping[str, Points], unit: str) -> str:
    """The plot of some lines, each with at least one point; `unit` stands at the marks of the upward axis."""
    sizes = sorted({trials for points in lines.values() for trials, _ in points})
    values = [value for points in lines.values() for _, value in points]
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])
    bottom, top = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(trials: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (math.log10(trials) - low) / max(high - low, 1e-9)

    def y(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (math.log10(value) - bottom) / max(top - bottom, 1)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 330" font-size="12">',
        _STYLE,
        f'<text x="{_LEFT}" y="24" font-size="15">{title}</text>',
    ]
    for power in range(bottom, top + 1):
        line = y(10.0**power)
        parts.append(f'<line class="r" x1="{_LEFT}" x2="{_RIGHT}" y1="{line:.0f}" y2="{line:.0f}"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{line + 4:.0f}" text-anchor="end">{10.0**power:g} {unit}</text>'
        )
    parts += [f'<text x="{x(size):.0f}" y="312" text-anchor="middle">{size:,.0f}</text>' for size in sizes]
    place = 0.0
    for name, points in sorted(lines.items(), key=lambda line: y(line[1][-1][1])):
        place = max(y(points[-1][1]), place + 15)
        path = " ".join(f"{x(trials):.1f},{y(value):.1f}" for trials, value in points)
        parts.append(f'<polyline class="l" points="{path}"/>')
        parts.append(f'<text x="{_RIGHT + 8}" y="{place + 4:.0f}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
