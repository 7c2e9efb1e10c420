"""Are the tables, guards, indexes and the view as adjudge made them?

A chain that is intact says nothing about tomorrow if the triggers are gone that refuse changes, or if one was
added that changes what is inserted. What people add for themselves (views, indexes) is theirs and no problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import inspect, text

from adjudge.ledger.store.schema import INSERT_ONLY, VIEW, guards, metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.store.database import Database

_VIEW_NAME = "current_trials"


def check_schema(database: Database) -> list[str]:
    """What differs from the schema that adjudge makes; nothing if it is whole."""
    with database.reading() as connection:
        found = [*_columns(connection), *_indexes(connection)]
        check = _sqlite if database.dialect == "sqlite" else _postgresql
        return [*found, *check(connection)]


def _columns(connection: Connection) -> Iterator[str]:
    looking = inspect(connection)
    there = set(looking.get_table_names())
    for name, table in metadata.tables.items():
        if name not in there:
            yield f"the table {name} is gone"
            continue
        columns = {column["name"] for column in looking.get_columns(name)}
        for column in table.columns:
            if column.name not in columns:
                yield f"the column {name}.{column.name} is gone"


def _indexes(connection: Connection) -> Iterator[str]:
    looking = inspect(connection)
    for name, table in metadata.tables.items():
        if not looking.has_table(name):
            continue
        there = {index["name"]: index for index in looking.get_indexes(name)}
        for index in table.indexes:
            if index._ddl_if is not None and index._ddl_if.dialect != connection.dialect.name:
                continue
            found = there.get(str(index.name))
            if found is None:
                yield f"the index {index.name} is gone"
            elif found["column_names"] != [column.name for column in index.columns] or bool(
                found["unique"]
            ) != bool(index.unique):
                yield f"the index {index.name} is not as it was made"


def _sqlite(connection: Connection) -> Iterator[str]:
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")).all()
    there = {(kind, name): _plain(sql) for kind, name, sql in rows}
    wanted = {("trigger", statement.split()[2]): _plain(statement) for statement in guards("sqlite")}
    wanted["view", _VIEW_NAME] = _plain(VIEW)
    for (kind, name), sql in wanted.items():
        if (kind, name) not in there:
            yield f"the {kind} {name} is gone"
        elif there[kind, name] != sql:
            yield f"the {kind} {name} is not as it was made"
    for kind, name in there:
        if kind == "trigger" and (kind, name) not in wanted:
            yield f"the trigger {name} was added"


def _plain(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip().rstrip(";")


_TRIGGERS = text(
    "SELECT t.tgname, c.relname, t.tgenabled, t.tgtype, p.proname, p.prosrc FROM pg_trigger t "
    "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
    "WHERE NOT t.tgisinternal AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = "
    "to_regclass('head'))"
)
_BEFORE_ALL = 2 | 8 | 16 | 32
"""BEFORE, DELETE, UPDATE, TRUNCATE, by statement."""


def _postgresql(connection: Connection) -> Iterator[str]:
    body = _plain(guards("postgresql")[0].split("$$")[1])
    wanted = {f"{table.name}_insert_only": table.name for table in INSERT_ONLY}
    ours = {*metadata.tables}
    there: dict[str, Any] = {}
    for found in connection.execute(_TRIGGERS):
        if found.relname in ours:
            there[found.tgname] = found
    for name, table in wanted.items():
        row = there.get(name)
        if row is None:
            yield f"the trigger {name} is gone"
        elif row.tgenabled not in ("O", "A"):
            yield f"the trigger {name} is switched off"
        elif (row.relname, row.tgtype, row.proname, _plain(row.prosrc)) != (
            table,
            _BEFORE_ALL,
            "adjudge_refuse",
            body,
        ):
            yield f"the trigger {name} is not as it was made"
    for name in there.keys() - wanted.keys():
        yield f"the trigger {name} was added"
    definition = connection.execute(
        text("SELECT pg_get_viewdef(to_regclass(:name))"), {"name": _VIEW_NAME}
    ).scalar()
    if definition is None:
        yield f"the view {_VIEW_NAME} is gone"
    elif _words(str(definition)) != _words(VIEW.partition(" AS\n")[2]):
        yield f"the view {_VIEW_NAME} is not as it was made"


def _words(sql: str) -> list[str]:
    """What a view says, without how PostgreSQL lays it out: brackets, qualified columns and aliases."""
    plain = re.sub(r"[();]", " ", sql.replace(",", " , "))
    plain = re.sub(r"\b(\w+)\.(\w+)\s+AS\s+\2\b", r"\1.\2", plain, flags=re.IGNORECASE)
    return sorted(re.findall(r"[^\s]+", plain.lower()))
