"""What a verifier would find in its task's image, as far as the Dockerfile and the task's own files tell.

The verifier of a task with an environment of its own (`[verifier.environment]`, or `environment_mode =
"separate"`) runs in the image of `tests/Dockerfile`; every other one in the image that the agent worked in.
What a Dockerfile copies lies beside it or, if nothing there answers to it, in the task's folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from adjudge._files import read_plain_file
from adjudge.contracts import Task
from adjudge.tasks.declarations import declarations_of
from adjudge.tasks.dockerfile import ImageRecipe, files_of, read_dockerfile
from adjudge.tasks.output_path import is_usable_path

_MOST_BYTES = 1 << 20
_MOST_FILES = 20_000


def has_own_environment(data: Mapping[str, Any]) -> bool:
    """Does the verifier run apart from where the agent worked?"""
    verifier = data.get("verifier")
    if not isinstance(verifier, dict):
        return False
    return verifier.get("environment_mode") == "separate" or isinstance(verifier.get("environment"), dict)


def find_dockerfile(data: Mapping[str, Any], exists: Callable[[str], bool]) -> str | None:
    """The Dockerfile of the verifier's image, as a path in the task; None if there is none."""
    return _first(exists, own=has_own_environment(data))


def _first(exists: Callable[[str], bool], *, own: bool) -> str | None:
    names = (*(("tests/Dockerfile",) if own else ()), "environment/Dockerfile")
    return next((name for name in names if exists(name)), None)


def image_recipe(task: Task) -> ImageRecipe:
    """What was read of the Dockerfile of a task's verifier; empty if it has none."""
    return _look(task)[0]


def provided_files(task: Task) -> Mapping[str, Path]:
    """The files of the task that its image would hold: path in the sandbox -> file of this machine.

    None lies where the system or the verifier has its own.
    """
    return _look(task)[1]


def written_files(task: Task) -> Mapping[str, bytes]:
    """Texts that the image would hold because a `RUN` of its Dockerfile writes them out in full."""
    recipe = image_recipe(task)
    return {path: text for path, text in recipe.written if is_usable_path(path)}


def _look(task: Task) -> tuple[ImageRecipe, Mapping[str, Path]]:
    return _look_once(task.folder, task.digest, has_own_environment(declarations_of(task)))


@lru_cache(maxsize=512)
def _look_once(folder: Path, digest: str, own: bool) -> tuple[ImageRecipe, Mapping[str, Path]]:
    dockerfile = _first(lambda name: (folder / name).is_file(), own=own)
    if dockerfile is None:
        return ImageRecipe(), {}
    file = folder / dockerfile
    try:
        data = read_plain_file(file, limit=_MOST_BYTES).data
    except OSError:
        data = None
    recipe = read_dockerfile((data or b"").decode("utf-8", "replace"))
    for context in (file.parent, folder) if recipe.copies else ():  # or from the task's folder
        placed = files_of(recipe, list(_context(context)))
        if placed:
            return recipe, {path: context / name for path, name in placed.items() if is_usable_path(path)}
    return recipe, {}


def _context(folder: Path) -> Iterator[str]:
    """The plain files of a build context, by relative path; bounded, no link is followed."""
    count = 0
    for above, folders, names in os.walk(folder):
        folders.sort()
        inside = os.path.relpath(above, folder)
        for name in sorted(names):
            if (count := count + 1) > _MOST_FILES:
                return
            if not os.path.islink(f"{above}/{name}"):  # noqa: PTH114 - a string stays one
                yield name if inside == "." else f"{inside}/{name}"
