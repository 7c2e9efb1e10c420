"""What a reviewer was given: numbered from 1, open until it is judged, and kept afterwards.

Open items and judged ones lie apart on the desk: a reviewer has few open ones, however much they have done,
and every page of theirs asks for those alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict, replace

if TYPE_CHECKING:
    from adjudge.ledger import Desk, DeskDrawer

OPEN, JUDGED = "item", "judged item"
_LAST = 9_999_999


class QueueItem(Struct, frozen=True):
    """One trial for one reviewer. Its number is all that a blind page shows of it."""

    number: int
    trial_id: str
    task: str
    judged: bool = False
    submission: str | None = None
    """The id of the judgment, so that one that is sent twice counts once."""
    is_check: bool = False
    """Is its answer known?"""
    revealed: bool = False
    """Has the reviewer ever seen where the others stood? Then a new verdict is not blind."""


def key_of(who: str, number: int) -> str:
    """Where an item lies; keys stand in the order of their numbers."""
    return f"{who}/{number:07d}"


def read_item(drawer: DeskDrawer, who: str, number: int) -> QueueItem | None:
    """One item of a reviewer's; None if they have none of this number."""
    if not 0 < number <= _LAST:
        return None
    key = key_of(who, number)
    found = drawer.get(OPEN, key) or drawer.get(JUDGED, key)
    return None if found is None else _item(number, found)


def open_items(drawer: DeskDrawer, who: str) -> list[QueueItem]:
    """Those that wait for a verdict, in order."""
    found = drawer.all(OPEN, f"{who}/")
    items = [_item(_number(key), value) for key, value in found.items()]
    return [item for item in items if not item.judged]


def judged_after(drawer: DeskDrawer, who: str, number: int) -> QueueItem | None:
    """The first judged item after a number."""
    begin = key_of(who, max(0, min(number, _LAST - 1)) + 1)
    found = drawer.first(JUDGED, begin, key_of(who, _LAST))
    return None if found is None else _item(_number(found[0]), found[1])


def next_number(drawer: DeskDrawer, who: str) -> int:
    """The number of an item that is to be new."""
    last = [drawer.last_key(kind, f"{who}/") for kind in (OPEN, JUDGED)]
    return max((_number(key) for key in last if key is not None), default=0) + 1


def put_item(drawer: DeskDrawer, who: str, item: QueueItem) -> None:
    """Keep an item: among the open ones or among the judged ones, and nowhere else."""
    value = {name: value for name, value in asdict(item).items() if name != "number"}
    here, there = (JUDGED, OPEN) if item.judged else (OPEN, JUDGED)
    key = key_of(who, item.number)
    drawer.remove(there, key)
    drawer.put(here, key, value)


def part_items(desk: Desk) -> None:
    """Lay the judged items of an early version, which kept all in one place, where judged items lie."""
    early = [(key, value) for key, value in desk.all(OPEN).items() if value["judged"]]
    if early:
        with desk.exclusive() as drawer:
            for key, value in early:
                put_item(drawer, key.rpartition("/")[0], replace(_item(_number(key), value), judged=True))


def _number(key: str) -> int:
    return int(key.rpartition("/")[2])


def _item(number: int, value: dict[str, Any]) -> QueueItem:
    """An item as the desk keeps it; one of an early version says less."""
    return QueueItem(
        number,
        value["trial_id"],
        value.get("task", ""),
        value["judged"],
        value["submission"],
        value.get("is_check", False),
        value.get("revealed", value["judged"]),
    )
