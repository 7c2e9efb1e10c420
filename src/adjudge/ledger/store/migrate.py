"""Bring an older ledger up to date: Alembic's scripts, packaged here, run without any configuration file.

A new ledger never comes through here (`open.py` makes today's tables and stamps them); a test holds the two
ways to the same result.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.ledger.store.database import Database

_SCRIPTS = Path(__file__).parent / "migrations"


def revisions() -> list[str]:
    """Every schema version this adjudge knows, oldest first."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_configuration())
    return [script.revision for script in scripts.walk_revisions()][::-1]


def upgrade(database: Database, to: str = "head") -> None:
    """Run every migration the ledger lacks, in one transaction."""
    from alembic import command

    configuration = _configuration()
    with database.writing() as connection:
        configuration.attributes["connection"] = connection
        command.upgrade(configuration, to)


def _configuration() -> Any:
    from alembic.config import Config

    configuration = Config()
    configuration.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    configuration.set_main_option("path_separator", "os")
    return configuration
