"""Answers that are SQL: the right query with a part changed must lose what the right one earns.

A query is a program, and no number in it is changed. But what it says is known: without its condition, with
another aggregate or without its order it gives something else, unless the verifier's data cannot show it.
So do a part of its rows, more of them, and none at all. A statement that empties a table must not make
the verifier's own query agree with it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench, answer_of
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_NEXT = r"(?=\bgroup\s+by\b|\border\s+by\b|\bhaving\b|\blimit\b|\bunion\b|;|\)|\Z)"
_WHERE = re.compile(rf"\bwhere\b[^()]*?(?:\([^()]*\)[^()]*?)*{_NEXT}", re.I | re.S)
_GROUPED = re.compile(r"\bgroup\s+by\b([^();]*?)(?=\bhaving\b|\border\b|\blimit\b|;|\Z)", re.I)
_ORDER = re.compile(r"\border\s+by\b[^();]*(?=\blimit\b|;|\Z)", re.I)
_LIMITED = re.compile(r"\blimit\b", re.I)
_SELECT = re.compile(r"\s*(?:--[^\n]*\n\s*)*(?:with|select)\b", re.I)
_TABLE = re.compile(r"\b(?:from|join)\s+([A-Za-z_][\w.]*)", re.I)
_NAMED = re.compile(r"(?:\bwith|,)\s+([A-Za-z_]\w*)\s+as\s*\(", re.I)
_MOST_TABLES = 2
_AGGREGATE = re.compile(r"\b(sum|count|avg|min|max)(?=\s*\()", re.I)
_OTHER = {"sum": "max", "count": "max", "avg": "sum", "min": "max", "max": "min"}
_FREE = 0.95
_ENOUGH = 3
"""Wrong queries that a verifier must have scored before anything is said of how it tells them apart."""
_COMPARE = (
    "Compare all rows with those that are due, in their order if the task asks for one, on data in which "
    "every part of the query makes a difference."
)
_ADVICE = {
    Cause.WRITES_DATA: "Open the data read-only (`mode=ro`, `PRAGMA query_only`, an authorizer), and work "
    "out what is due before the agent's query runs.",
    Cause.EMPTY: "Give nothing for no rows, unless none are due.",
}
_SEVERITIES = {Cause.WRITES_DATA: Severity.HIGH, Cause.EMPTY: Severity.HIGH, Cause.REPEATS: Severity.LOW}
_ASKED = re.compile(r"\border|\bsort|\brank|\bfirst\b|ascending|descending|alphabetical|chronological", re.I)


def is_query(bench: Bench) -> bool:
    """Is the answer SQL, by its name?"""
    return PurePosixPath(bench.task.verifier.expected_output_path).suffix.lower() == ".sql"


def changed_queries(query: str) -> dict[str, tuple[str, str, Cause]]:
    """(what was done, the query, what it means if it is not noticed), by name."""
    made = {
        "no-condition": ("without its condition", _WHERE.sub("", query, count=1), Cause.UNSCORED),
        "other-aggregate": (
            "with another aggregate",
            _AGGREGATE.sub(lambda m: _OTHER[m[1].lower()], query, count=1),
            Cause.ANY_VALUE,
        ),
    }
    if not _LIMITED.search(query) and not _sorted_by_its_groups(query):  # the first ten are another ten
        made["no-order"] = ("without its order", _ORDER.sub("", query), Cause.UNORDERED)
    return {name: one for name, one in made.items() if one[1].split() != query.split()}


def _sorted_by_its_groups(query: str) -> bool:
    """`group by a order by a`: databases that group by sorting give the same rows without the order."""
    grouped, ordered = _GROUPED.search(query), _ORDER.search(query)
    if grouped is None or ordered is None:
        return False
    columns = re.sub(r"\border\s+by\b|\basc\b|[\s;]", "", ordered[0], flags=re.I)
    return columns.lower() == re.sub(r"\s", "", grouped[1]).lower()


def other_rows(query: str) -> dict[str, tuple[str, str, Cause]]:
    """The same of queries that give other rows than the right one; none if it is no single `select`."""
    bare = query.strip().removesuffix(";").rstrip()
    if not _SELECT.match(query) or ";" in bare:
        return {}
    rows = _all_of(bare)
    made = {
        "first-row": ("cut to its first row", f"{rows} limit 1", Cause.FEW_ITEMS),
        "other-rows": ("without its first row", f"{rows} limit 1000000 offset 1", Cause.FEW_ITEMS),
        "no-rows": ("without any row", f"{rows} where 1 = 0", Cause.EMPTY),
        "rows-twice": ("with every row twice", f"{rows} union all {rows}", Cause.REPEATS),
    }
    more = _WHERE.sub("", bare, count=1)
    if more.split() != bare.split():
        added = f"{rows} union all {_all_of(more)}"
        made["more-rows"] = ("with the rows of one without its condition", added, Cause.PADDING)
    return made


def _all_of(query: str) -> str:
    return f"select * from ({query}\n) as given"  # noqa: S608 - the verifier runs it, in the sandbox


def emptying_statements(query: str) -> list[str]:
    """A statement for each table of a query, the first two, that leaves nothing in it."""
    own = {name.lower() for name in _NAMED.findall(query)}
    tables = [name for name in dict.fromkeys(_TABLE.findall(query)) if name.lower() not in own]
    return [f"delete from {table}" for table in tables[:_MOST_TABLES]]  # noqa: S608 - as above


def check_queries(bench: Bench, right: RightAnswer, result: SectionResult) -> float | None:
    """Try the right query with a part changed: the share of the reward that this costs, if any was tried."""
    query = (answer_of(bench.task, right.files) or b"").decode("utf-8-sig", "replace")
    made = changed_queries(query)
    if not _ASKED.search(bench.task.instruction):
        made.pop("no-order", None)
    made |= other_rows(query)
    tried = {name: (f"the right query {what}", text, cause) for name, (what, text, cause) in made.items()}
    no_rows = made["no-rows"][1] if "no-rows" in made else None
    for number, text in enumerate(emptying_statements(query)):
        what = f"a statement that empties a table (`{text}`)"
        tried[f"empties-{number + 1}"] = (what, text, Cause.WRITES_DATA)
        if no_rows is not None:  # for whoever takes the rows of the last statement
            both = f"{text};\n{no_rows};\n"
            tried[f"empties-{number + 1}-first"] = (
                f"{what} before a query without rows",
                both,
                Cause.WRITES_DATA,
            )
    probes = [
        bench.answer(f"discrimination/query-{name}", what, text.encode(), files=right.files)
        for name, (what, text, _) in tried.items()
    ]
    result.probes += probes
    seen = dict(zip(tried, bench.run(probes), strict=True))
    kept = {name: 0.0 if one.broke else one.reward / right.reward for name, one in seen.items()}
    if {"first-row", "other-rows"} <= kept.keys():  # of a single row, the first is all of it
        kept["first-row"] = min(kept["first-row"], kept.pop("other-rows"))
    for (name, (what, _, cause)), probe in zip(tried.items(), probes, strict=True):
        if kept.get(name, 0.0) >= _FREE:
            result.findings.append(
                bench.finding(
                    _SEVERITIES.get(cause, Severity.MEDIUM),
                    _HERE,
                    f"{what} keeps the credit",
                    cause=cause,
                    seen=f"The right query earns {right.reward:g}, this one {seen[name].reward:g}.",
                    advice=_ADVICE.get(cause, _COMPARE),
                    probe=probe,
                    before=right.reward,
                )
            )
    if sum(not one.broke for one in seen.values()) >= _ENOUGH:
        result.reason = None
    _report_constants(bench, result)
    lost = [1 - min(1.0, share) for share in kept.values()]
    return round(sum(lost) / len(lost), 3) if lost else None


def _report_constants(bench: Bench, result: SectionResult) -> None:
    """What no probe can tell here: the rows themselves, written out, where the data never changes."""
    result.findings.append(
        bench.finding(
            Severity.INFO,
            _HERE,
            "a query that only writes out the expected rows was not tried",
            cause=Cause.NOT_TRIED,
            seen="Which rows are expected is known to the verifier alone; on one set of data, rows that are "
            "written out pass as the right query does.",
            advice="Run the query on a second set of data that the agent never saw.",
        )
    )
