"""Take in verifier artifacts that were produced elsewhere: every folder becomes a trial, or says why not.

A trial folder is one that holds a verifier artifact or a label, or one without subfolders.

Folders in are records out plus quarantined: nothing is dropped, and one bad folder costs only itself.
Ingesting the same folder again adds nothing; artifacts that changed since add an evaluation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from adjudge.errors import UsageError
from adjudge.ledger import Recorded, Written
from adjudge.runs.artifact_folder import FolderReader, Place
from adjudge.runs.listing import Listed, list_folders
from adjudge.runs.read_ahead import ALONE, list_ahead, reading_ahead
from adjudge.runs.seen import SeenTrials
from adjudge.runs.tally import Tally
from adjudge.sandbox import in_reading_order

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, PreparedEntry

_BATCH = 8000
"""Folders in one transaction: in a large ledger most of the work is for pages, and many rows share one."""
_FEW = 2000
"""So many are recorded while the next ones are still being read, instead of helping with that."""
_HELD_BYTES = 64 << 20
"""What the folders of one transaction hold in memory, more or less."""
_MOST_LISTINGS = 100
"""Of different names of files, whose order is remembered."""

_Read = tuple[Place, "PreparedEntry | str"]
"""A folder with what to record for it, or why it cannot be."""
Readings = Iterator[list[_Read]]
"""Of all folders, some at a time, in a stable order."""


class Quarantined(Struct, frozen=True):
    """A folder that became no trial, and why."""

    folder: str
    reason: str


class Ingested(Struct):
    """What came of a folder of artifact folders."""

    found: int = 0
    quarantined: list[Quarantined] = field(default_factory=list)


@contextmanager
def reading_folders(
    root: Path,
    experiment: str,
    *,
    layout: str | None = None,
    agent: str = "unknown",
    workers: int | None = None,
    may_fork: bool = False,
) -> Iterator[Readings]:
    """What every artifact folder below `root` holds, read while the caller does something else.

    Folders are read by `workers` processes (None: as many as there are cores), of which this is one; if
    there are few, by this one alone. With `may_fork` the others may be copies of this one, which start at
    once: for a command, whose process is its own.
    """
    if not root.is_dir():
        raise UsageError("there is no such folder", file=root, remedy="Name a folder of artifact folders.")
    reader = FolderReader(os.fspath(root), experiment, layout, agent)
    workers = workers or len(os.sched_getaffinity(0))
    with reading_ahead(reader, trial_folders(reader.root, workers), workers, may_fork=may_fork) as readings:
        yield readings


def record_readings(
    ledger: Ledger,
    readings: Readings,
    *,
    tally: Tally,
    should_stop: Callable[[], bool] = lambda: False,
) -> Ingested:
    """Record what was read, in batches of one transaction each."""
    done = Ingested()
    seen = SeenTrials()
    for batch in _batches(readings):
        done.found += len(batch)
        _record(ledger, _distinct(batch, seen, done), tally, done)
        if should_stop():
            tally.interrupted = True
            break
    ledger.sign_if_asked()
    return done


def ingest_folders(
    ledger: Ledger,
    root: Path,
    experiment: str,
    *,
    tally: Tally,
    layout: str | None = None,
    agent: str = "unknown",
    workers: int | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Ingested:
    """`reading_folders` and `record_readings` in one."""
    with reading_folders(root, experiment, layout=layout, agent=agent, workers=workers) as readings:
        return record_readings(ledger, readings, tally=tally, should_stop=should_stop)


def _batches(readings: Iterable[list[_Read]]) -> Iterator[list[_Read]]:
    """What goes into one transaction: many readings, or fewer that hold much."""
    batch: list[_Read] = []
    held = 0
    for reading in readings:
        batch += reading
        held += sum(_size(made) for _, made in reading)
        if len(batch) >= (_BATCH if reading else _FEW) or held >= _HELD_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _size(made: PreparedEntry | str) -> int:
    if isinstance(made, str):
        return len(made)
    return len(made.evaluation) + sum([len(data) for _, data in made.packed.values()])


def _distinct(
    batch: Iterable[_Read], seen: SeenTrials, done: Ingested
) -> dict[str, tuple[str, PreparedEntry]]:
    """Trial id -> (folder, trial); what is no trial, or one that another folder was already, is set aside."""
    entries: dict[str, tuple[str, PreparedEntry]] = {}
    for (folder, _), made in batch:
        if isinstance(made, str):
            done.quarantined.append(Quarantined(folder, made))
        elif seen.add(made.trial_id):
            entries[made.trial_id] = folder, made
        else:
            other = entries[made.trial_id][0] if made.trial_id in entries else "an earlier folder"
            done.quarantined.append(Quarantined(folder, f"the same trial as {other}: {made.trial_id}"))
    return entries


def _record(
    ledger: Ledger, entries: dict[str, tuple[str, PreparedEntry]], tally: Tally, done: Ingested
) -> None:
    """Record trials that are new, and trials whose artifacts are no longer those the ledger has."""
    batch = [made for _, made in entries.values()]
    answers = list(zip(batch, ledger.record_prepared(batch), strict=True))
    there = ledger.artifacts(answer.trial_id for _, answer in answers if answer.written is Written.NOTHING)
    changed: list[PreparedEntry] = []
    for made, answer in answers:
        if made.trial_id in there and there[made.trial_id] != _artifacts(made):
            changed.append(made.replacing(str(answer.evaluation_id)))
        else:
            _count(made, answer, entries[made.trial_id][0], tally, done)
    for made, answer in zip(changed, ledger.record_prepared(changed), strict=True):
        _count(made, answer, entries[made.trial_id][0], tally, done)


def _count(made: PreparedEntry, answer: Recorded, folder: str, tally: Tally, done: Ingested) -> None:
    if answer.written is Written.CONFLICT:
        done.quarantined.append(Quarantined(folder, str(answer.conflict)))
    elif answer.written is Written.NOTHING:
        tally.already += 1
    else:
        tally.scored += 1
        tally.rescored += answer.written is Written.EVALUATION
        tally.reward_sum += made.reward
        tally.outcomes[made.outcome] += 1


def _artifacts(made: PreparedEntry) -> dict[str, str]:
    found: dict[str, str] = json.loads(made.evaluation)["run"]["artifacts"]
    return found


def trial_folders(root: str, workers: int = 1) -> Iterator[Place]:
    """Every trial folder below `root`, in a stable order; links to folders are not followed.

    If there are many and more than one worker, they are listed by a process of its own.
    """
    listings: dict[tuple[str, ...], list[str]] = {}
    for folder, names in _listed(root, workers):
        if names is None:
            yield folder, None
            continue
        if names not in listings:  # most folders hold the same files: told once, they are sent once
            listings = listings if len(listings) < _MOST_LISTINGS else {}
            listings[names] = in_reading_order(names)
        yield folder, listings[names]


def _listed(root: str, workers: int) -> Iterator[Listed]:
    left = [root]
    here = list_folders(root, left)
    yield from islice(here, ALONE + 1)
    yield from list_ahead(root, left) if left and workers > 1 else here
