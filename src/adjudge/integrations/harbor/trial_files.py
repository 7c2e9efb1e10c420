"""All files of one trial folder that a record is made from, read before anything is made of them.

Of many trials, first the files of all are read and then all are evaluated (`importer.py`): a processor that
goes back and forth between the two for each of them takes a third longer.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from adjudge.integrations.harbor.facts import Facts
from adjudge.integrations.harbor.files import MAX_FILE_BYTES, NO_FILES, is_missing, read_file, read_tree
from adjudge.sandbox import Artifact, FolderReading

STEPS, VERIFIER = "steps", "verifier"
TRAJECTORY = "trajectory.json"


class TrialFiles(Struct, frozen=True):
    """What lies in a trial's folder beside its `result.json`."""

    verifier: Mapping[str, Artifact]
    """What the verifier wrote, by name; of a multi-step trial by `steps/STEP/NAME`."""
    by_step: Mapping[str, Mapping[str, Artifact]]
    """The same by step, then by name; empty unless the trial has steps."""
    collected: FolderReading
    trajectories: Mapping[str, Artifact]

    @property
    def size(self) -> int:
        """How many bytes they hold."""
        return sum(
            len(file.data or b"")
            for files in (self.verifier, self.collected.artifacts, self.trajectories)
            for file in files.values()
        )


NO_TRIAL_FILES = TrialFiles({}, {}, NO_FILES, {})


def read_trial_files(facts: Facts) -> TrialFiles:
    """The files of a trial. Never raises for what the folder holds."""
    by_step: dict[str, Mapping[str, Artifact]] = {}
    if facts.finished and facts.steps is not None:
        for name, _ in facts.steps:
            if _plain(name):
                by_step[name] = read_tree(_step(facts, name, VERIFIER)).artifacts
        verifier: Mapping[str, Artifact] = {
            f"{STEPS}/{step}/{name}": file for step, inner in by_step.items() for name, file in inner.items()
        }
    else:
        verifier = read_tree(f"{facts.folder}/{VERIFIER}").artifacts
    return TrialFiles(verifier, by_step, _collected(facts), _trajectories(facts))


def _trajectories(facts: Facts) -> dict[str, Artifact]:
    places = ("agent", *(f"steps/{name}/agent" for name, _ in facts.steps or () if _plain(name)))
    found = {place: read_file(f"{facts.folder}/{place}/{TRAJECTORY}", MAX_FILE_BYTES) for place in places}
    return {f"{place}/{TRAJECTORY}": file for place, file in found.items() if not is_missing(file)}


def _collected(facts: Facts) -> FolderReading:
    """The artifacts of the trial; of a multi-step one, those of the last step that has any."""
    for name, _ in reversed(facts.steps or ()):
        if _plain(name) and (later := read_tree(_step(facts, name, "artifacts"))).artifacts:
            return later
    return read_tree(f"{facts.folder}/artifacts")


def _step(facts: Facts, name: str, part: str) -> str:
    return f"{facts.folder}/steps/{name}/{part}"


def _plain(name: str) -> bool:
    """May this step's name stand in a path? It comes from a file that anybody may have written."""
    return "/" not in name and name not in ("", ".", "..") and "\0" not in name
