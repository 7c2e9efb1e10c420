"""What `task.toml` says for audits: the bars of goldens, and the task's own error categories.

[goldens]
pass_at_least = 1.0        # every golden in goldens/pass must reach this
fail_below = 1.0           # every golden in goldens/fail must stay below this
[goldens.rewards]
"fail/unit.json" = 0.67    # exactly, to four decimals, if the author knows it
[taxonomy]
categories = ["wrong load case", "wrong quantity"]

Both tables may be other people's: what makes no sense is a remark of `adjudge check`, never a reason to
refuse a task. There is no fixed list of categories, and a task that names none may use any.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from adjudge.contracts import Task
from adjudge.errors import show
from adjudge.tasks.declarations import declarations_of

_LONGEST = 500
_ALLOWED = "a list of different texts, each of 1 to 500 printable characters"


class GoldenSettings(Struct, frozen=True):
    """The bars, the exact rewards, and what in the table made no sense."""

    pass_at_least: float = 1.0
    fail_below: float = 1.0
    rewards: dict[str, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def golden_settings(task: Task) -> GoldenSettings:
    """Read `[goldens]`; what makes no sense is named and has its default."""
    table = declarations_of(task).get("goldens", {})
    if not isinstance(table, dict):
        return GoldenSettings(problems=("[goldens] must be a table",))
    problems: list[str] = []
    bars = {
        key: _reward(table.get(key, 1.0), f"[goldens] {key}", problems)
        for key in ("pass_at_least", "fail_below")
    }
    stated = table.get("rewards", {})
    if not isinstance(stated, dict):
        problems.append("[goldens.rewards] must be a table")
        stated = {}
    rewards = {
        str(name): value
        for name, given in stated.items()
        if (value := _reward(given, f"[goldens.rewards] {name!r}", problems)) is not None
    }
    for name in rewards:
        if not (task.folder / "goldens" / name).exists():
            problems.append(f"[goldens.rewards] names {name!r}, and there is no goldens/{name}")
    known = {key: value for key, value in bars.items() if value is not None}
    return GoldenSettings(**known, rewards=rewards, problems=tuple(problems))


def golden_paths(task: Task, kind: str) -> list[Path]:
    """The goldens in `goldens/pass` or `goldens/fail`, a reference first; hidden files are not goldens.

    So are the fixtures `tests/fixtures/golden_pass*` and `golden_fail*`, as other collections have them.
    """
    found = dict.fromkeys(_names(f"{task.folder}/goldens/{kind}"), f"{task.folder}/goldens/{kind}")
    fixtures = f"{task.folder}/tests/fixtures"
    found |= {name: fixtures for name in _names(fixtures) if name.startswith(f"golden_{kind}")}
    names = sorted(found, key=lambda name: (not name.startswith("reference"), name))
    return [Path(found[name], name) for name in names]


def _names(folder: str) -> list[str]:
    """What lies in a folder and is not hidden; nothing if there is none."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208 - names, fast
    except OSError:
        return []


def _reward(value: Any, where: str, problems: list[str]) -> float | None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= 1
        or math.isnan(value)
    ):
        problems.append(f"{where} is {value!r}; allowed: a number from 0 to 1")
        return None
    return float(value)


class Categories(Struct, frozen=True):
    """What a task names; `declared` is None if it names nothing, or nothing that makes sense."""

    declared: frozenset[str] | None = None
    problem: str | None = None


def declared_categories(task: Task) -> Categories:
    """Read `[taxonomy] categories`; an absent key declares nothing."""
    table = declarations_of(task).get("taxonomy")
    if not isinstance(table, dict) or "categories" not in table:
        return Categories()
    names = table["categories"]
    if (
        not isinstance(names, list)
        or not all(isinstance(n, str) and n.strip() and n.isprintable() and len(n) <= _LONGEST for n in names)
        or len(set(names)) < len(names)
    ):
        return Categories(problem=f"[taxonomy] categories is {show(names)}; allowed: {_ALLOWED}")
    return Categories(frozenset(names))
