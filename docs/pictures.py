"""Draw the terminal pictures of the README: real commands, really run, as SVG.

`make docs` runs this. A picture refers to nothing outside itself (no font, no script, no link), has a light
and a dark set of colours and follows the reader's. Every run of text is pinned to its column, so that columns
line up in whatever font is there. `tests/docs/test_pictures.py` runs the commands again and compares.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "docs" / "assets"
COLUMNS = 90
PICTURES: dict[str, tuple[str, ...]] = {
    "terminal-score.svg": (
        "adjudge score tasks/electrical/voltage-drop outputs/planimeter/1/electrical/voltage-drop",
        "adjudge score tasks/electrical/voltage-drop outputs/abacus/2/electrical/voltage-drop",
    ),
    "terminal-run.svg": (
        "adjudge run outputs/manifest.jsonl --experiment demo",
        "adjudge report | head -10",
    ),
}
"""Each picture's commands; they run in a copy of examples/, with a fresh ledger."""

_CELL, _LINE, _MARGIN = 8.4, 19, 18
_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
_WORDS = re.compile(r"\S+(?: \S+)*")
_CLASSES = {
    1: "bold",
    2: "dim",
    31: "red",
    32: "green",
    33: "yellow",
    34: "blue",
    35: "magenta",
    36: "cyan",
}
_STYLE = """
.page { fill: #ffffff; stroke: #d0d7de }
text { fill: #1f2328; white-space: pre;
  font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace }
.command { font-weight: 600 } .bold { font-weight: 700 } .dim { fill: #656d76 } .prompt { fill: #8250df }
.red { fill: #cf222e } .green { fill: #1a7f37 } .yellow { fill: #9a6700 }
.blue { fill: #0969da } .magenta { fill: #8250df } .cyan { fill: #1b7c83 }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .dim { fill: #8d96a0 }
  .prompt { fill: #d2a8ff } .red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 }
  .blue { fill: #79c0ff } .magenta { fill: #d2a8ff } .cyan { fill: #56d4dd }
}"""


@dataclass(frozen=True)
class Run:
    """Text in one style, at its column."""

    column: int
    text: str
    classes: tuple[str, ...] = ()


def captured(command: str, folder: Path) -> str:
    """What a command prints in a colour terminal of `COLUMNS` columns; it must succeed."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "PYTHONUTF8": "1"}
    env.pop("ADJUDGE_LEDGER", None)
    env.pop("NO_COLOR", None)
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, stdout=-1, stderr=-1, text=True, check=True
    )
    return done.stdout


def runs_of(line: str) -> Iterator[Run]:
    """The styled runs of one line of terminal output; blanks only move what follows."""
    column = 0
    classes: tuple[str, ...] = ()
    for index, part in enumerate(_ESCAPE.split(line)):
        if index % 2:  # between two texts stands what an escape sequence said
            codes = [int(code or 0) for code in part.split(";")]
            kept = () if 0 in codes else classes
            classes = (*kept, *(_CLASSES[code] for code in codes if code))
            continue
        for words in _WORDS.finditer(part):
            yield Run(column + words.start(), words[0], classes)
        column += len(part)


def draw(scenes: list[tuple[str, str]]) -> str:
    """An SVG of commands and what each printed, one below the other."""
    rows: list[list[Run]] = []
    for command, output in scenes:
        rows += [[]] if rows else []
        rows.append([Run(0, "$", ("prompt",)), Run(2, command, ("command",))])
        rows += [list(runs_of(line)) for line in output.splitlines()]
    columns = max(run.column + len(run.text) for row in rows for run in row)
    width = round(max(columns, COLUMNS) * _CELL + 2 * _MARGIN)
    height = len(rows) * _LINE + 2 * _MARGIN
    title = escape("Terminal: " + "; ".join(command for command, _ in scenes))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}\n</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *(_text(run, number) for number, row in enumerate(rows) for run in row),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _text(run: Run, row: int) -> str:
    x, y = _MARGIN + run.column * _CELL, _MARGIN + row * _LINE + 14
    style = f' class="{" ".join(run.classes)}"' if run.classes else ""
    length = f'textLength="{len(run.text) * _CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text{style} x="{x:.1f}" y="{y}" {length}>{escape(run.text, quote=False)}</text>'


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        examples = Path(folder) / "examples"
        shutil.copytree(ROOT / "examples", examples)
        for name, commands in PICTURES.items():
            picture = draw([(command, captured(command, examples)) for command in commands])
            (ASSETS / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
