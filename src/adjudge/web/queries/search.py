"""Search: which names of a ledger hold a text, and so which filter it means.

The names are few where trials are many: a search looks through every task, agent, model, experiment and tag
category, which are kept, and never through trials. What it leads to is the one filter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.ledger import TrialFilter

if TYPE_CHECKING:
    from adjudge.web.queries.visible import Visible

KINDS = ("task", "agent", "model", "experiment", "tag")
"""What is looked through, by the filter's names."""
MOST_VALUES = 50
"""Of one kind that a filter takes from a search; an address has an end."""
_MOST_WORDS = 8

LedgerNames = Mapping[str, Sequence[str]]
"""Kind -> its names."""


def read_names(visible: Visible) -> LedgerNames:
    """Every name that this visitor may see."""
    columns = visible.columns(TrialFilter())
    return {
        **{kind: getattr(columns, kind).categories for kind in KINDS if kind != "tag"},
        "tag": visible.tag_columns(TrialFilter()).category.categories,
    }


def find_names(names: LedgerNames, text: str) -> dict[str, list[str]]:
    """The names that hold a text, in whatever case, by kind; kinds without any are absent."""
    wanted = text.casefold()
    found = {kind: [one for one in all_ if wanted in one.casefold()] for kind, all_ in names.items()}
    return {kind: those for kind, those in found.items() if those}


def meant(names: LedgerNames, text: str) -> TrialFilter | None:
    """The one filter that a text can mean; None if there is none, or if several things are called so.

    First the whole text is a part of a name; else each of its words is.
    """
    for parts in ([text], text.split()[:_MOST_WORDS]):
        found = [find_names(names, part) for part in parts]
        if all(len(kinds) == 1 for kinds in found):
            chosen: dict[str, tuple[str, ...]] = {}
            for part, kinds in zip(parts, found, strict=True):
                [(kind, those)] = kinds.items()
                values = _values(kind, those, part)
                if values is None or kind in chosen:
                    return None
                chosen[kind] = values
            return TrialFilter(**chosen)
    return None


def choices(names: LedgerNames, text: str) -> Iterator[tuple[str, list[tuple[str, TrialFilter]], int]]:
    """What a text may mean: each kind, its names with the filter that each stands for, and how many more."""
    for kind, those in find_names(names, text).items():
        shown = [(one, TrialFilter(**{kind: (one,)})) for one in those[:MOST_VALUES]]
        yield kind, shown, len(those) - len(shown)


def _values(kind: str, found: Sequence[str], part: str) -> tuple[str, ...] | None:
    """These names as values of a filter; None if they are too many, and not all the tasks that begin so."""
    if len(found) <= MOST_VALUES:
        return tuple(found)
    return (f"{part}*",) if kind == "task" and all(one.startswith(part) for one in found) else None
