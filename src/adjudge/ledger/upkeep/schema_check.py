"""Are the tables, guards, indexes and the view as adjudge made them?

A chain that is intact says nothing about tomorrow if the triggers are gone that refuse changes, or if one was
added that changes what is inserted. Nor does it say anything about what reports read: an index that lacks
rows hides them from whoever asks by it, and the walk over the chain does not. So the definitions are compared
and SQLite is asked whether every index holds what its table does.
What people add for themselves (views, indexes) is theirs and no problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import Index, Table, UniqueConstraint, inspect, text
from sqlalchemy.schema import CreateIndex, CreateTable

from adjudge.ledger.store.schema import INSERT_ONLY, VIEW, guards, metadata, tables_for

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.store.database import Database

_VIEW_NAME = "current_trials"
_MOST_SAID = 10
_WORD = re.compile(r"\w+")


def check_schema(database: Database) -> list[str]:
    """What differs from the schema that adjudge makes; nothing if it is whole."""
    tables_for(database.dialect)  # with what only this kind of database has
    with database.reading() as connection:
        if database.dialect == "sqlite":
            return [*_tables(connection), *_sqlite(connection)]
        return [*_tables(connection), *_columns(connection), *_indexes(connection), *_postgresql(connection)]


def _tables(connection: Connection) -> Iterator[str]:
    there = set(inspect(connection).get_table_names())
    for name in metadata.tables.keys() - there:
        yield f"the table {name} is gone"


def _columns(connection: Connection) -> Iterator[str]:
    looking = inspect(connection)
    for name, table in metadata.tables.items():
        if not looking.has_table(name):
            continue
        columns = {column["name"]: column for column in looking.get_columns(name)}
        for column in table.columns:
            found = columns.get(column.name)
            if found is None:
                yield f"the column {name}.{column.name} is gone"
            elif found.get("computed") or found["type"].python_type is not column.type.python_type:
                yield f"the column {name}.{column.name} is not as it was made"


def _indexes(connection: Connection) -> Iterator[str]:
    looking = inspect(connection)
    for name, table in metadata.tables.items():
        if not looking.has_table(name):
            continue
        there = {index["name"]: index for index in looking.get_indexes(name)}
        for index in _indexes_of(table, connection.dialect.name):
            found = there.get(str(index.name))
            if found is None:
                yield f"the index {index.name} is gone"
            elif found["column_names"] != [column.name for column in index.columns] or bool(
                found["unique"]
            ) != bool(index.unique):
                yield f"the index {index.name} is not as it was made"


def _indexes_of(table: Table, dialect: str) -> Iterator[Index]:
    for index in table.indexes:
        if index._ddl_if is None or index._ddl_if.dialect == dialect:
            yield index


def _sqlite(connection: Connection) -> Iterator[str]:
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")).all()
    there = {(kind, name): _plain(sql) for kind, name, sql in rows}
    wanted = _sqlite_words(connection)
    for (kind, name), sql in wanted.items():
        if (kind, name) not in there:
            yield f"the {kind} {name} is gone"
        elif there[kind, name] != sql:
            yield f"the {kind} {name} is not as it was made"
    for kind, name in there:
        if kind == "trigger" and (kind, name) not in wanted:
            yield f"the trigger {name} was added"
    for name, table in metadata.tables.items():
        if ("table", name) in there and not _is_made_so(connection, table, there["table", name]):
            yield f"the table {name} is not as it was made"
    for (said,) in connection.execute(text(f"PRAGMA integrity_check({_MOST_SAID})")):
        if said != "ok":
            yield f"SQLite finds the file damaged: {said}"


def _sqlite_words(connection: Connection) -> dict[tuple[str, str], str]:
    """What made the guards, the view and the indexes, by kind and name."""
    wanted = {("trigger", statement.split()[2]): statement for statement in guards("sqlite")}
    wanted["view", _VIEW_NAME] = VIEW
    for table in metadata.tables.values():
        for index in _indexes_of(table, "sqlite"):
            wanted["index", str(index.name)] = str(CreateIndex(index).compile(dialect=connection.dialect))
    return {key: _plain(sql) for key, sql in wanted.items()}


def _is_made_so(connection: Connection, table: Table, sql: str) -> bool:
    """Migrations word a table in another way than today's adjudge, so what it means is compared.

    Its columns, what is unique in it, and that its words are no others than ours: no COLLATE, no DEFAULT, no
    CHECK, no GENERATED.
    """
    if table.name == "alembic_version":  # Alembic's own
        return True
    ours = set(_WORD.findall(str(CreateTable(table).compile(dialect=connection.dialect)).lower()))
    columns = [
        (column.name, column.type.compile(dialect=connection.dialect), int(not column.nullable), 0)
        for column in table.columns
    ]
    shown = connection.execute(text(f"PRAGMA table_xinfo({table.name})"))
    unique = {
        tuple(
            name
            for _, _, name, _, collation, key in connection.execute(text(f"PRAGMA index_xinfo({found[1]})"))
            if key and collation == "BINARY"
        )
        for found in connection.execute(text(f"PRAGMA index_list({table.name})")).all()
        if found[2] and found[3] == "u"
    }
    declared = {
        tuple(column.name for column in constraint.columns)
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    }
    return (
        set(_WORD.findall(sql.lower())) <= ours
        and [(name, kind, required, hidden) for _, name, kind, required, _, _, hidden in shown] == columns
        and unique == declared
    )


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
    yield from _hiding(connection)
    definition = connection.execute(
        text("SELECT pg_get_viewdef(to_regclass(:name))"), {"name": _VIEW_NAME}
    ).scalar()
    if definition is None:
        yield f"the view {_VIEW_NAME} is gone"
    elif _words(str(definition)) != _words(VIEW.partition(" AS\n")[2]):
        yield f"the view {_VIEW_NAME} is not as it was made"


_HIDING = {
    "the rule {} was added": "SELECT c.relname, r.rulename FROM pg_rewrite r "
    "JOIN pg_class c ON c.oid = r.ev_class WHERE c.relkind = 'r'",
    "the table {} shows some of its rows to some only": "SELECT c.relname, c.relname FROM pg_class c "
    "WHERE c.relrowsecurity",
    "the table {} was added below one of the ledger's": "SELECT c.relname, i.inhrelid::regclass::text "
    "FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent WHERE true",
}
"""What lets PostgreSQL answer with other rows than a table of the ledger holds."""
_IN_OUR_SCHEMA = "c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('head'))"


def _hiding(connection: Connection) -> Iterator[str]:
    for words, statement in _HIDING.items():
        for table, name in connection.execute(text(f"{statement} AND {_IN_OUR_SCHEMA}")):
            if table in metadata.tables:
                yield words.format(name)


def _words(sql: str) -> list[str]:
    """What a view says, without how PostgreSQL lays it out: brackets, qualified columns and aliases."""
    plain = re.sub(r"[();]", " ", sql.replace(",", " , "))
    plain = re.sub(r"\b(\w+)\.(\w+)\s+AS\s+\2\b", r"\1.\2", plain, flags=re.IGNORECASE)
    return sorted(re.findall(r"[^\s]+", plain.lower()))
