"""`adjudge doctor`: what works here, what does not, and what to install."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from adjudge._version import __version__
from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints

if TYPE_CHECKING:
    from adjudge.sandbox import HealthCheck


_EXTRAS = {
    # extra: (distribution, what it is for)
    "stats": ("scipy", "exact (Clopper-Pearson) intervals"),
    "reports": ("jinja2", "HTML reports"),
    "export": ("pyarrow", "Parquet export"),
    "postgres": ("psycopg", "a ledger in PostgreSQL"),
    "ray": ("ray", "runs on a Ray cluster"),
    "witness": ("cryptography", "signed heads of a ledger"),
    "web": ("fastapi", "the review app and the HTTP API"),
    "client": ("httpx", "a Python client of the HTTP API"),
    "judge": ("pydantic-ai-slim", "judges that are models; the judge 'offline' needs no extra"),
    "harbor": ("harbor", "running Harbor in the sandbox; importing its jobs needs no extra"),
}
_NEWER_PYTHON = {"harbor": (3, 12)}


@prints(Format.TERMINAL, Format.JSON)
def command(out: Out) -> None:
    """Say what works here, what does not, and what to install.

    Everything is really tried. Exits with 0 if scoring is possible here, with 1 if not.
    """

    from adjudge.sandbox import can_score, diagnose

    sandbox, extras = diagnose(), _extras()
    ready = can_score(sandbox)
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    if out.for_programs:
        out.write_json(
            {
                "adjudge": __version__,
                "python": platform.python_version(),
                "system": system,
                "can_score": ready,
                "sandbox": [asdict(check) for check in sandbox],
                "extras": [asdict(check) for check in extras],
            }
        )
    else:
        from adjudge.reports import terminal

        words = f"adjudge {__version__}, Python {platform.python_version()}, {system}"
        out.write(terminal.render_diagnosis(words, sandbox, extras, ready, out.terminal))
    raise typed.Exit(0 if ready else 1)


def _extras() -> list[HealthCheck]:
    from adjudge.sandbox import Health, HealthCheck

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
