"""An obstacle in words: which tasks, why, and what to type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.evidence import Lack, Sign
from adjudge.preflight.look import Obstacle

_FEW = 3
_PACKAGE_OF = {"pytest": "pytest", "py.test": "pytest", "coverage": "coverage", "nose2": "nose2"}
"""Programs that come with a Python package, and are there once it is shown."""


def obstacle_lines(obstacles: Sequence[Obstacle], *, prepared: bool = False) -> Iterator[str]:
    """Two lines for each obstacle: the tasks and the reason, then the remedy."""
    for obstacle in obstacles:
        yield f"{_tasks(obstacle)} {_verb(obstacle)}: {obstacle_reason(obstacle)}"
        yield f"  {remedy_for(obstacle, prepared=prepared)}"


def remedy_for(obstacle: Obstacle, *, prepared: bool = False) -> str:
    """What to type, or to change. `prepared` says that --prepare was given already."""
    images = sorted(obstacle.images)
    if obstacle.broken is not None:
        return "Pull the image, or give another with --image."
    if obstacle.packages:
        return _fetching(", ".join(sorted(obstacle.packages)), images, prepared=prepared)
    if modules := {_PACKAGE_OF.get(sign.name, sign.name) for sign in obstacle.signs if _is_package(sign)}:
        return f"Add --packages {','.join(sorted(modules))}, or {_image(images)}."
    files = [sign.name for sign in obstacle.signs if sign.lack in (Lack.FILE, Lack.PERMISSION)]
    if files and all(name.startswith("/tests/") for name in files):
        return f"Mend the task: {', '.join(files[:_FEW])} must be in its tests folder and usable."
    if not obstacle.signs:
        return "Mend the verifier or the right answer: one of them is wrong. `adjudge audit` shows more."
    return f"Give the verifier what it needs: {_image(images)}."


def _fetching(named: str, images: Sequence[str], *, prepared: bool) -> str:
    if prepared:
        return f"--prepare was to bring {named}, and that is not enough or did not work: {_image(images)}."
    return f"Add --prepare: it fetches {named} once, and verifiers then need no network."


def _is_package(sign: Sign) -> bool:
    return sign.lack is Lack.MODULE or (sign.lack is Lack.COMMAND and sign.name in _PACKAGE_OF)


def _image(images: Sequence[str]) -> str:
    given = images[0] if len(images) == 1 else "IMAGE"
    return f"--sandbox container --image {given}, or --rootfs FOLDER"


def _tasks(obstacle: Obstacle) -> str:
    ids = [task.id for task in obstacle.tasks]
    shown = ", ".join(ids[:_FEW])
    return shown if len(ids) <= _FEW else f"{shown} and {len(ids) - _FEW} more tasks"


def _verb(obstacle: Obstacle) -> str:
    return "cannot pass here" if obstacle.certain else "may not pass here"


def obstacle_reason(obstacle: Obstacle) -> str:
    """Why, in one line: what is missing, and what became of the control."""
    if obstacle.broken is not None:
        return obstacle.broken
    parts = [sign.worded() for sign in obstacle.signs[:_FEW]]
    if len(obstacle.signs) > _FEW:
        parts.append(f"{len(obstacle.signs) - _FEW} more")
    if obstacle.certain and obstacle.control is not None:
        parts.append(obstacle.control.says)
    return "; ".join(parts)
