"""From a trial's id to its row in the ledger and back; whoever types an id may type its beginning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from adjudge.errors import UsageError
from adjudge.ledger.store.names import is_storable
from adjudge.ledger.store.schema import trials
from adjudge.ledger.store.sql import chunks

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MOST_SHOWN = 5
_ROW = select(trials.c.seq).where(trials.c.trial_id == bindparam("wanted"))


def row_of(connection: Connection, trial_id: str, location: str) -> int:
    """The row of a trial. UsageError if the ledger at `location` has no trial of this id."""
    if is_storable(trial_id):
        row = connection.execute(_ROW, {"wanted": trial_id}).scalar()
        if row is not None:
            return int(row)
    raise _no_trial(trial_id, location)


def rows_of(connection: Connection, wanted: Iterable[str], location: str) -> dict[str, int]:
    """The row of each of these trials. UsageError names one that the ledger does not have."""
    found: dict[str, int] = {}
    missing = set(wanted)
    for some in chunks(filter(is_storable, list(missing))):
        statement = select(trials.c.trial_id, trials.c.seq).where(trials.c.trial_id.in_(some))
        found.update((trial_id, seq) for trial_id, seq in connection.execute(statement))
    for trial_id in missing - found.keys():
        raise _no_trial(trial_id, location)
    return found


def find_trial(connection: Connection, prefix: str, location: str) -> str:
    """The full id of the one trial whose id begins with `prefix`. UsageError if there is none, or several."""
    found = _beginning_with(connection, prefix)
    if len(found) == 1:
        return found[0]
    if not found:
        raise _no_trial(prefix, location)
    shown = ", ".join(found[:_MOST_SHOWN]) + (", …" if len(found) > _MOST_SHOWN else "")
    raise UsageError(
        "more than one trial has an id that begins with this", file=location, found=prefix, allowed=shown
    )


def trial_ids(connection: Connection, rows: Iterable[int]) -> dict[int, str]:
    """The ids of trials by their rows; a number that is no trial is left out."""
    found: dict[int, str] = {}
    for some in chunks(rows):
        statement = select(trials.c.seq, trials.c.trial_id).where(trials.c.seq.in_(some))
        found.update((seq, trial_id) for seq, trial_id in connection.execute(statement))
    return found


def _beginning_with(connection: Connection, prefix: str) -> list[str]:
    """The ids that begin with `prefix`, one more than are shown; an id that is `prefix` stands alone."""
    ids = trials.c.trial_id
    if not prefix or not is_storable(prefix):
        return []
    if connection.execute(select(ids).where(ids == prefix)).first() is not None:
        return [prefix]
    within = select(ids).where(ids >= prefix, ids < prefix + "\U0010ffff").order_by(ids)
    return list(connection.execute(within.limit(_MOST_SHOWN + 1)).scalars())


def _no_trial(trial_id: str, location: str) -> UsageError:
    return UsageError(
        "no trial has this id", file=location, found=trial_id, remedy="adjudge trials lists the ids."
    )
