"""What a command does not need, it does not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import COMMANDS, module_name
from adjudge.cli import ROOMS as ROOMS_OF_COMMANDS
from adjudge.ledger import open_ledger
from support.trial_samples import trial

HEAVY = {
    "alembic",
    "altair",
    "argon2",
    "cryptography",
    "fastapi",
    "fsspec",
    "genai_prices",
    "harbor",
    "httpx",
    "jinja2",
    "markdown_it",
    "python_multipart",
    "numpy",
    "psycopg",
    "pyarrow",
    "pydantic_ai",
    "pygments",
    "ray",
    "scipy",
    "sqlalchemy",
    "uvicorn",
    "yaml",
}


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stderr.split()} | set(done.stderr.split())


def modules_after_help_of(command: str) -> set[str]:
    arguments = ["adjudge", *command.split(), "--help"]
    called = "from adjudge.cli import main\ntry: main()\nexcept SystemExit: pass"
    return modules_after(f"sys.argv = {arguments}\n{called}")


def test_importing_adjudge_imports_no_dependency() -> None:
    assert not modules_after("import adjudge") & (HEAVY | {"click", "pydantic"})


def test_the_version_needs_no_dependency() -> None:
    statement = "sys.argv = ['adjudge', '--version']\nfrom adjudge.cli import main\nmain()"
    assert not modules_after(statement) & (HEAVY | {"click", "pydantic"})


ROOMS = {f"adjudge.{room}" for room in ("evidence", "gates", "runs", "sandbox", "scoring", "stats")}
"""What only a command that does its work needs."""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_neither_what_a_command_does_nor_what_is_heavy(command: str) -> None:
    """Command modules import what they call inside their functions; options are declared with `typed`."""
    loaded = modules_after_help_of(command)
    assert not loaded & (HEAVY | {"typer", "rich"} | ROOMS)


def test_the_list_of_commands_is_short_and_imports_none_of_them() -> None:
    assert all(len(text) <= 62 for commands in ROOMS_OF_COMMANDS.values() for text in commands.values())
    assert not modules_after_help_of("") & {"pydantic", *map(module_name, COMMANDS)}


def test_scoring_imports_nothing_heavy() -> None:
    assert not modules_after("import adjudge.cli.scoring.score, adjudge.scoring") & HEAVY


def test_asking_a_ledger_imports_neither_its_database_nor_the_scoring() -> None:
    """Both are loaded when something is asked of them; a filter alone needs neither."""
    loaded = modules_after("from adjudge.ledger import TrialFilter, open_ledger\nTrialFilter(agent=('a',))")
    assert not loaded & (HEAVY | {"adjudge.scoring", "adjudge.sandbox"})


def test_a_command_over_a_ledger_loads_neither_another_database_nor_what_only_servers_need(
    tmp_path: Path,
) -> None:
    open_ledger(tmp_path / "ledger.db").close()
    for command in (["trials"], ["ledger", "info"]):
        arguments = ["adjudge", *command, "--ledger", f"{tmp_path}/ledger.db"]
        called = "from adjudge.cli import main\ntry: main()\nexcept SystemExit: pass"
        loaded = modules_after(f"sys.argv = {arguments}\n{called}")
        assert "sqlalchemy.dialects.sqlite" in loaded
        assert not loaded & {"sqlalchemy.dialects.postgresql", "asyncio.events", "ssl", "email", "zipfile"}
        assert not loaded & {"hmac", "subprocess"}


def test_a_module_that_another_stands_in_for_is_loaded_when_something_of_it_is_used() -> None:
    done = "import adjudge._lazy as lazy\nlazy.stand_in('asyncio', 'iscoroutine', has_modules=True)\n"
    taken = (
        "lazy.stand_in('importlib.metadata', 'entry_points')\nfrom importlib.metadata import entry_points\n"
    )
    idle = modules_after(f"{done}{taken}import asyncio\nfound = asyncio.iscoroutine")
    assert not idle & {"asyncio.events", "email"}
    used = modules_after(
        f"{done}{taken}import asyncio, asyncio.events\nassert asyncio.run(asyncio.sleep(0, 5)) == 5\n"
        "assert not asyncio.iscoroutine(5)\nassert entry_points() is not None\n"
        "import importlib.metadata\nassert issubclass(importlib.metadata.PackageNotFoundError, ImportError)"
    )
    assert {"asyncio.events", "email"} <= used


def test_a_report_in_the_terminal_loads_neither_the_scoring_nor_what_other_formats_show(
    tmp_path: Path,
) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        ledger.record(trial(1))
    arguments = ["adjudge", "report", "--ledger", f"{tmp_path}/ledger.db"]
    loaded = modules_after(
        f"sys.argv = {arguments}\nfrom adjudge.cli import main\ntry: main()\nexcept SystemExit: pass"
    )
    assert "adjudge.stats.means.mean" in loaded
    assert not loaded & {
        "adjudge.sandbox",
        "adjudge.runs",
        "adjudge.audit",
        "adjudge.judges.pipeline",
        "jinja2",
    }


def test_the_processes_that_read_folders_load_no_database() -> None:
    light = "from adjudge._lazy import start_light; start_light()"
    for reader in ("adjudge.runs.artifact_folder", "adjudge.integrations.harbor.importer"):
        loaded = modules_after(f"{light}\nimport adjudge.runs.read_ahead, {reader}")
        assert not loaded & (HEAVY | {"asyncio.events", "ssl", "email", "zipfile"})


def test_the_processes_that_read_artifacts_load_neither_sandboxes_nor_the_reading_of_tasks() -> None:
    light = "from adjudge._lazy import start_light; start_light()"
    loaded = modules_after(f"{light}\nimport adjudge.runs.artifact_folder")
    assert "adjudge.scoring.result" in loaded
    assert not loaded & {
        "adjudge.evidence.static",
        "adjudge.sandbox.backends.bubblewrap",
        "adjudge.tasks.image",
    }


def test_the_process_that_parses_outputs_starts_without_the_models() -> None:
    assert "pydantic" not in modules_after("import adjudge.gates.examine")
