"""What a command does not need, it does not import."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    "alembic",
    "altair",
    "cryptography",
    "fsspec",
    "harbor",
    "jinja2",
    "numpy",
    "psycopg",
    "pyarrow",
    "ray",
    "scipy",
    "sqlalchemy",
    "yaml",
}


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()} | set(done.stdout.split())


def test_importing_adjudge_imports_no_dependency() -> None:
    assert not modules_after("import adjudge") & (HEAVY | {"pydantic", "typer", "rich"})


def test_the_version_needs_no_dependency() -> None:
    statement = "sys.argv = ['adjudge', '--version']\nfrom adjudge.cli import main\nmain()"
    assert not modules_after(statement) & (HEAVY | {"pydantic", "typer", "rich"})


def test_scoring_imports_nothing_heavy() -> None:
    assert not modules_after("import adjudge.cli.scoring.score, adjudge.scoring") & HEAVY


def test_asking_a_ledger_imports_neither_its_database_nor_the_scoring() -> None:
    """Both are loaded when something is asked of them; a filter alone needs neither."""
    loaded = modules_after("from adjudge.ledger import TrialFilter, open_ledger\nTrialFilter(agent=('a',))")
    assert not loaded & (HEAVY | {"adjudge.scoring", "adjudge.sandbox"})
