"""`adjudge doctor`: what works here, what does not, and what to install."""

from __future__ import annotations

import json
import platform
import sys
from importlib import metadata
from typing import Annotated

import typer

from adjudge._version import __version__
from adjudge.reports.printable import printable
from adjudge.sandbox import Health, HealthCheck, can_score, diagnose

_EXTRAS = {
    # extra: (distribution, what it is for)
    "stats": ("scipy", "exact (Clopper-Pearson) intervals"),
    "reports": ("jinja2", "HTML reports"),
    "export": ("pyarrow", "Parquet export"),
    "postgres": ("psycopg", "a ledger in PostgreSQL"),
    "ray": ("ray", "runs on a Ray cluster"),
    "harbor": ("harbor", "Harbor tasks and jobs"),
}
_NEWER_PYTHON = {"harbor": (3, 12)}
_MARKS = {
    Health.WORKS: ("ok", "green"),
    Health.DEGRADED: ("limited", "yellow"),
    Health.ABSENT: ("-", "dim"),
    Health.MISSING: ("missing", "red"),
}


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Say what works here, what does not, and what to install.

    Everything is really tried. Exits with 0 if scoring is possible here, with 1 if not.
    """
    sandbox, extras = diagnose(), _extras()
    ready = can_score(sandbox)
    if as_json:
        report = {
            "adjudge": __version__,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "can_score": ready,
            "sandbox": [_as_dict(check) for check in sandbox],
            "extras": [_as_dict(check) for check in extras],
        }
        print(json.dumps(report, indent=2))
    else:
        _print(sandbox, extras, ready)
    sys.exit(0 if ready else 1)


def _extras() -> list[HealthCheck]:
    checks = []
    for extra, (distribution, purpose) in _EXTRAS.items():
        try:
            version = metadata.version(distribution)
        except metadata.PackageNotFoundError:
            needed = _NEWER_PYTHON.get(extra)
            remedy = f"pip install 'adjudge[{extra}]'"
            if needed and sys.version_info < needed:
                remedy += f" on Python {'.'.join(map(str, needed))} or newer"
            checks.append(HealthCheck(extra, Health.ABSENT, f"for {purpose}", remedy))
        else:
            checks.append(HealthCheck(extra, Health.WORKS, f"{distribution} {version}, for {purpose}"))
    return checks


def _as_dict(check: HealthCheck) -> dict[str, str | None]:
    return {
        "name": check.name,
        "health": check.health.value,
        "detail": check.detail,
        "remedy": check.remedy,
    }


def _print(sandbox: list[HealthCheck], extras: list[HealthCheck], ready: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False)
    system = (
        f"Python {platform.python_version()}, {platform.system()} {platform.release()} {platform.machine()}"
    )
    console.print(f"adjudge {__version__}, {system}")
    for heading, checks in (("Sandbox", sandbox), ("Optional parts", extras)):
        console.print()
        console.print(Text(heading, style="bold"))
        console.print(_table(checks, narrow=console.width < 70))
    console.print()
    if ready:
        working = [f.name for f in sandbox if f.health is Health.WORKS]
        with_what = "bubblewrap" if "bubblewrap" in working else "the container engine"
        console.print(Text(f"Scoring works here, with {with_what}.", style="bold green"))
    else:
        console.print(Text("Scoring is not possible here: no sandbox works.", style="bold red"))


def _table(checks: list[HealthCheck], *, narrow: bool) -> object:
    """Mark, name, what was found; on a narrow terminal what was found stands below the name."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(width=7, no_wrap=True)
    if not narrow:
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for check in checks:
        word, style = _MARKS[check.health]
        told = Text(printable(check.detail))
        if check.remedy:
            told.append("\n" + printable(check.remedy), style="cyan")
        if narrow:
            table.add_row(Text(word, style=style), Text(check.name, style="bold"))
            table.add_row("", told)
        else:
            table.add_row(Text(word, style=style), check.name, told)
    return table
