"""One folder of verifier artifacts made elsewhere: a trial ready to be recorded, or why it cannot be one.

A `trial.json` in it says whose it is (the fields of a manifest row but `output`), or else its path does: by a
layout such as `{agent}/{attempt}/{task}`, where `{task}` may span several folders; without a layout the path
is the task. Nothing here touches the ledger, so folders can be read in any process.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct
from pydantic import ValidationError

from adjudge.contracts import Limit, TrialIdentity, problem_of
from adjudge.errors import UsageError, describe
from adjudge.ledger import ImportedTrial, PreparedEntry, prepare_imported
from adjudge.runs.label import NAME, TrialLabel, check_name, read_label
from adjudge.sandbox import FolderReading, read_listed, survey_folder
from adjudge.scoring import read_verifier_result

LABEL_NAME = "trial.json"
_LIMITS = {"max_file_bytes": 16 << 20, "max_total_bytes": 64 << 20}
_MAX_FILES = 1000
_MAX_HELD_BYTES = 16 << 20
_SURELY_FITS = 250
"""Characters that every name may have; the contract is asked about longer ones."""

Place = tuple[str, Sequence[str] | None]
"""A folder, and the names of its files in reading order; None if it holds, or may hold, something else."""


class FolderReader(Struct, frozen=True, dict=True):
    """Reads the artifact folders below a root. UsageError if a name or the layout has no meaning."""

    root: str
    experiment: str
    layout: str | None = None
    agent: str = "unknown"

    def __post_init__(self) -> None:
        check_name("--experiment", self.experiment)
        check_name("--agent", self.agent)
        _ = self._pattern

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return None if self.layout is None else layout_pattern(self.layout)

    @cached_property
    def _prefix(self) -> str:
        return os.path.join(self.root, "")  # noqa: PTH118 - for its separator at the end

    def read(self, places: Sequence[Place]) -> list[PreparedEntry | str]:
        """What to record for each folder, or why it cannot be. Ends early if they hold very much.

        First the files of all are read, then all are scored, then all are serialised: that is a quarter
        faster than one by one.
        """
        found: list[FolderReading | str] = []
        held = 0
        for folder, names in places:
            reading = _read_files(folder, names)
            found.append(reading)
            if isinstance(reading, FolderReading):
                for artifact in reading.artifacts.values():
                    held += len(artifact.data or b"")
            if held >= _MAX_HELD_BYTES:
                break
        trials = [
            reading if isinstance(reading, str) else self._trial(folder, reading)
            for (folder, _), reading in zip(places, found, strict=False)
        ]
        return [trial if isinstance(trial, str) else prepare_imported(trial) for trial in trials]

    def _trial(self, folder: str, reading: FolderReading) -> ImportedTrial | str:
        artifacts = reading.artifacts
        limits_hit = [] if reading.complete else [Limit.ARTIFACT_SIZE]
        label_file = artifacts.pop(LABEL_NAME, None)
        label: TrialLabel | _PathLabel | str
        if label_file is None:
            label = self._label_by_path(folder)
        elif label_file.data is None:
            label = describe("this is not a readable file", file=LABEL_NAME)
        else:
            label = read_label(label_file.data, LABEL_NAME, TrialLabel)
        if isinstance(label, str):
            return label
        identity = TrialIdentity(self.experiment, label.task, None, label.agent, label.model, label.attempt)
        return ImportedTrial(
            label.trial_id or identity.trial_id,
            identity,
            _shown(folder),
            read_verifier_result(artifacts, limits_hit=limits_hit),
            {name: file.data for name, file in artifacts.items() if file.data is not None},
            limits_hit,
            label.cost,
            label.metadata,
        )

    def _label_by_path(self, folder: str) -> _PathLabel | str:
        """What the path says. The root itself, if it is an artifact folder, goes by its name."""
        path = folder.removeprefix(self._prefix)
        if folder == self.root:
            path = os.path.basename(os.path.abspath(folder))  # noqa: PTH119, PTH100 - a string stays one
        if not path.isprintable():
            return describe("the path has characters that cannot be printed", found=path)
        if self._pattern is None:
            return _with_names(_PathLabel(path, self.agent), folder)
        fits = self._pattern.fullmatch(path)
        if fits is None:
            return describe("the path does not fit the layout", found=path, allowed=self.layout)
        parts = fits.groupdict()
        label = _PathLabel(
            parts["task"],
            parts.get("agent") or self.agent,
            parts.get("model"),
            int(parts.get("attempt") or 1),
        )
        return _with_names(label, folder)


class _PathLabel(NamedTuple):
    """What a path says of a trial."""

    task: str
    agent: str
    model: str | None = None
    attempt: int = 1
    trial_id: str | None = None
    cost: None = None
    metadata: Mapping[str, Any] = {}


def _with_names(label: _PathLabel, folder: str) -> _PathLabel | str:
    """The label, or why one of its parts can be no name: a path may be longer."""
    if 0 < len(label.task) < _SURELY_FITS and 0 < len(label.agent) < _SURELY_FITS:
        return label
    for field, name in (("name", label.agent), ("task_id", label.task)):
        try:
            NAME.validate_python(name)
        except ValidationError as error:
            return str(problem_of(error, file=folder, field=field))
    return label


def layout_pattern(layout: str) -> re.Pattern[str]:
    """The pattern of a layout such as `{agent}/{attempt}/{task}`; UsageError if it has no meaning."""
    parts = {
        "{agent}": r"(?P<agent>[^/]+)",
        "{model}": r"(?P<model>[^/]+)",
        "{attempt}": r"(?:attempt-)?(?P<attempt>[1-9][0-9]{0,8})",
        "{task}": r"(?P<task>.+)",
        "*": r"[^/]+",
    }
    pieces = layout.strip("/").split("/")
    named = [piece for piece in pieces if "{" in piece or "}" in piece]
    if "{task}" not in named or len(set(named)) != len(named) or not set(named) <= parts.keys():
        raise UsageError(
            "this layout cannot be read",
            field="--layout",
            found=layout,
            allowed="{task}, {agent}, {model}, {attempt}, each once, joined by /; * for any other folder",
        )
    return re.compile("/".join(parts.get(piece, re.escape(piece)) for piece in pieces))


def _read_files(folder: str, names: Sequence[str] | None) -> FolderReading | str:
    """What is in a folder, or why it cannot be read: one that is gone since it was listed is not empty."""
    try:
        if names is not None:
            return read_listed(folder, names, **_LIMITS)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return survey_folder(descriptor, **_LIMITS, max_files=_MAX_FILES)
        finally:
            os.close(descriptor)
    except OSError as error:
        return f"the folder cannot be read: {error.strerror}"


def _shown(folder: str) -> str:
    """A path as a record can hold it: names that are not UTF-8 are escaped."""
    return folder if folder.isascii() else os.fsencode(folder).decode("utf-8", "backslashreplace")
