"""Take in verifier artifacts that were produced elsewhere: every folder becomes a trial, or says why not.

A trial folder is one that holds a verifier artifact, or one without subfolders. Whose it is says a
`trial.json` in it (the fields of a manifest row but `output`), or else its path: by a layout such as
`{agent}/{attempt}/{task}`, where `{task}` may span several folders; without a layout the path is the task.

Folders in are records out plus quarantined: nothing is dropped, and one bad folder costs only itself.
Ingesting the same folder again adds nothing; artifacts that changed since add an evaluation.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from adjudge._version import __version__
from adjudge.contracts import Agent, OutputInfo, TrialRecord, VerifierRun, trial_id_for
from adjudge.errors import UsageError, describe
from adjudge.ledger import Ledger, TrialEntry, Written
from adjudge.runs.label import TrialLabel, bad_label
from adjudge.runs.progress import Tally
from adjudge.sandbox import read_folder
from adjudge.scoring import ingest, outcome_of

ARTIFACT_NAMES = frozenset(
    {"reward.json", "reward.txt", "details.json", "errors.json", "reward-details.json"}
)
LABEL_NAME = "trial.json"
_BATCH = 500
_MAX_FILE_BYTES = 16 << 20
_MAX_TOTAL_BYTES = 64 << 20
_MAX_FILES = 1000


@dataclass(frozen=True)
class Quarantined:
    """A folder that became no trial, and why."""

    folder: str
    reason: str


@dataclass
class Ingested:
    """What came of a folder of artifact folders."""

    found: int = 0
    quarantined: list[Quarantined] = field(default_factory=list)


def ingest_folders(
    ledger: Ledger,
    root: Path,
    experiment: str,
    *,
    tally: Tally,
    layout: str | None = None,
    agent: str = "unknown",
    on_change: Callable[[], None] = lambda: None,
) -> Ingested:
    """Record every artifact folder below `root`, in batches of one transaction each."""
    if not root.is_dir():
        raise UsageError("there is no such folder", file=root, remedy="Name a folder of artifact folders.")
    reader = None if layout is None else layout_pattern(layout)
    done = Ingested()
    folders = trial_folders(root)
    while chunk := list(islice(folders, _BATCH)):
        done.found += len(chunk)
        entries: dict[str, tuple[str, TrialEntry]] = {}
        for folder in chunk:
            entry = _entry(root, folder, experiment, reader, agent)
            if isinstance(entry, str):
                done.quarantined.append(Quarantined(folder, entry))
            elif entry.record.trial_id in entries:
                other = entries[entry.record.trial_id][0]
                done.quarantined.append(Quarantined(folder, f"the same trial as {other}"))
            else:
                entries[entry.record.trial_id] = folder, entry
        _record(ledger, entries, tally, done)
        on_change()
    return done


def _record(ledger: Ledger, entries: dict[str, tuple[str, TrialEntry]], tally: Tally, done: Ingested) -> None:
    there = ledger.states(entries)
    batch: list[TrialEntry] = []
    for trial_id, (_, entry) in entries.items():
        state = there.get(trial_id)
        if state and ledger.get(trial_id).run.artifacts != entry.record.run.artifacts:
            batch.append(replace(entry, replaces=state.evaluation_id))
        else:
            batch.append(entry)
    for entry, answer in zip(batch, ledger.record(batch), strict=True):
        if answer.written is Written.CONFLICT:
            folder = entries[entry.record.trial_id][0]
            done.quarantined.append(Quarantined(folder, answer.conflict or "conflict"))
        elif answer.written is Written.NOTHING:
            tally.already += 1
        else:
            tally.scored += 1
            tally.rescored += answer.written is Written.EVALUATION
            tally.reward_sum += entry.record.evaluation.reward
            tally.outcomes[outcome_of(entry.record.evaluation).value] += 1


def trial_folders(root: Path) -> Iterator[str]:
    """Every trial folder below `root`, in a stable order; links to folders are not followed."""
    pending = [os.fspath(root)]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            yield folder  # reading it again will say why, and it is quarantined with that reason
            continue
        below = [entry.path for entry in listed if entry.is_dir(follow_symlinks=False)]
        if any(entry.name in ARTIFACT_NAMES or entry.name == LABEL_NAME for entry in listed) or not below:
            if folder != os.fspath(root) or listed:
                yield folder
        else:
            pending.extend(reversed(below))


def layout_pattern(layout: str) -> re.Pattern[str]:
    """The pattern of a layout such as `{agent}/{attempt}/{task}`; UsageError where it has no meaning."""
    parts = {
        "{agent}": r"(?P<agent>[^/]+)",
        "{model}": r"(?P<model>[^/]+)",
        "{attempt}": r"(?:attempt-)?(?P<attempt>[1-9][0-9]{0,8})",
        "{task}": r"(?P<task>.+)",
        "*": r"[^/]+",
    }
    pieces = layout.strip("/").split("/")
    unknown = [piece for piece in pieces if piece.startswith("{") and piece not in parts]
    if unknown or "{task}" not in pieces or len(set(pieces)) != len(pieces):
        raise UsageError(
            "this layout cannot be read",
            field="--layout",
            found=layout,
            allowed="{task}, {agent}, {model}, {attempt}, each once, joined by /; * for any other folder",
        )
    return re.compile("/".join(parts.get(piece, re.escape(piece)) for piece in pieces))


def _entry(
    root: Path, folder: str, experiment: str, layout: re.Pattern[str] | None, agent: str
) -> TrialEntry | str:
    """What to record for one folder, or why it cannot be."""
    try:
        artifacts = read_folder(
            Path(folder),
            max_file_bytes=_MAX_FILE_BYTES,
            max_total_bytes=_MAX_TOTAL_BYTES,
            max_files=_MAX_FILES,
        )
    except OSError as error:
        return f"the folder cannot be read: {error.strerror}"
    label_file = artifacts.pop(LABEL_NAME, None)
    if label_file is not None:
        label = _read_label(label_file.data)
    else:
        label = _label_by_path(os.path.relpath(folder, root), layout, agent)
    if isinstance(label, str):
        return label
    result = ingest(artifacts)
    blobs: dict[str, bytes] = {}
    digests: dict[str, str] = {}
    for name, artifact in artifacts.items():
        if artifact.data is not None:
            digests[name] = hashlib.sha256(artifact.data).hexdigest()
            blobs[digests[name]] = artifact.data
    record = TrialRecord(
        trial_id=label.trial_id
        or trial_id_for(
            experiment=experiment,
            task_id=label.task,
            output_sha256=None,
            agent=label.agent,
            model=label.model,
            attempt=label.attempt,
        ),
        experiment=experiment,
        attempt=label.attempt,
        task_id=label.task,
        task_digest=None,
        agent=Agent(name=label.agent, model=label.model),
        output=OutputInfo(path=folder, sha256=None, size_bytes=None),
        evaluation=result,
        run=VerifierRun(backend="imported", artifacts=digests),
        cost=label.cost,
        metadata=label.metadata,
        scored_at=datetime.now(UTC),
        adjudge_version=__version__,
    )
    return TrialEntry(record, blobs=blobs)


def _read_label(data: bytes | None) -> TrialLabel | str:
    if data is None:
        return describe("this is not a readable file", file=LABEL_NAME)
    try:
        return TrialLabel.model_validate_json(data)
    except ValidationError as error:
        return bad_label(error, LABEL_NAME, TrialLabel)


def _label_by_path(path: str, layout: re.Pattern[str] | None, agent: str) -> TrialLabel | str:
    if not path.isprintable():
        return describe("the path has characters that cannot be printed", found=path)
    if layout is None:
        return TrialLabel(task=path, agent=agent)
    fits = layout.fullmatch(path)
    if fits is None:
        return describe("the path does not fit the layout", found=path)
    parts = fits.groupdict()
    return TrialLabel(
        task=parts["task"],
        agent=parts.get("agent") or agent,
        model=parts.get("model"),
        attempt=int(parts.get("attempt") or 1),
    )
