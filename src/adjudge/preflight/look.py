"""Look at each task once: what its verifier needs and lacks, and whether it passes its own right answer.

The look at the files is fast and runs nothing of the task. The control runs the verifier on a known right
answer and is remembered, so that scoring does not run it again. Tasks are looked at in parallel. An image
that cannot be had is asked for once, and is one obstacle for all the tasks that name it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from adjudge.contracts import Task
from adjudge.evidence import Lack, Sign, asks_for_more, look_at, needs_of, scene_of, surroundings_of
from adjudge.gates import workspace_of
from adjudge.packages import named_packages, sandbox_for
from adjudge.preflight.place import image_of
from adjudge.sandbox import Sandbox
from adjudge.scoring import Control, Standing
from adjudge.tasks import open_steps

_FETCHED = frozenset({Lack.MODULE, Lack.COMMAND, Lack.INSTALL, Lack.NETWORK, Lack.PLUGIN})


class Obstacle(Struct, frozen=True):
    """Why some tasks cannot pass here, or may not; one for each cause."""

    tasks: tuple[Task, ...]
    signs: tuple[Sign, ...]
    control: Control | None
    broken: str | None = None
    """What kept the sandbox itself from answering."""
    packages: frozenset[str] = frozenset()
    """What its tasks name that could be fetched, if that is what they lack."""
    images: frozenset[str] = frozenset()
    """The images that its tasks name."""

    @property
    def certain(self) -> bool:
        """Does the verifier fail its own right answer, or not run at all?"""
        return self.broken is not None or (
            self.control is not None and self.control.standing is Standing.FAILED
        )


def look_before(
    tasks: Sequence[Task],
    sandbox: Sandbox,
    *,
    control: bool = True,
    workers: int = 4,
    on_task: Callable[[], None] = lambda: None,
) -> list[Obstacle]:
    """The obstacles of these tasks, those of one cause together; none if all can pass as far as is known."""
    return _by_cause(look_at_each(tasks, sandbox, control=control, workers=workers, on_task=on_task))


def look_at_each(
    tasks: Sequence[Task],
    sandbox: Sandbox,
    *,
    control: bool = True,
    workers: int = 4,
    on_task: Callable[[], None] = lambda: None,
) -> list[Obstacle]:
    """The obstacles of these tasks, each for itself."""

    def one(task: Task) -> Obstacle | None:
        found = look_at_task(task, sandbox, control=control)
        on_task()
        return found

    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="adjudge-preflight") as pool:
        return [obstacle for obstacle in pool.map(one, tasks) if obstacle is not None]


def _by_cause(found: Iterable[Obstacle]) -> list[Obstacle]:
    """Obstacles of single tasks, those of one cause together."""
    together: dict[object, Obstacle] = {}
    for obstacle in found:
        says = None if obstacle.control is None else obstacle.control.standing
        key = (obstacle.broken, frozenset(sign.key for sign in obstacle.signs), says)
        if not obstacle.signs and obstacle.broken is None:
            key = (obstacle.tasks[0].digest, frozenset(), says)
        first = together.get(key)
        together[key] = obstacle if first is None else _joined(first, obstacle)
    return list(together.values())


def _joined(one: Obstacle, other: Obstacle) -> Obstacle:
    return replace(
        one,
        tasks=(*one.tasks, *other.tasks),
        packages=one.packages | other.packages,
        images=one.images | other.images,
    )


def look_at_files(tasks: Iterable[Task], sandbox: Sandbox) -> list[Obstacle]:
    """The obstacles of these tasks as far as their files tell, each for itself. Nothing is run."""
    looks = (look_at_task(task, sandbox, control=False) for task in tasks)
    return [obstacle for obstacle in looks if obstacle is not None]


def look_at_task(task: Task, sandbox: Sandbox, *, control: bool = True) -> Obstacle | None:
    """What stands in the way of one task; None if nothing is known to. A task in steps has those of each."""
    if not task.steps:
        return _look_at_one(task, sandbox, control=control)
    with open_steps(task) as steps:
        found = [_look_at_one(step.task, sandbox_for(task, sandbox), control=False) for step in steps]
    known = [obstacle for obstacle in found if obstacle is not None]
    if not known:
        return None
    signs = {sign.key: sign for obstacle in known for sign in obstacle.signs}
    return _obstacle(task, tuple(signs.values()), None, known[0].broken)


def _look_at_one(task: Task, sandbox: Sandbox, *, control: bool) -> Obstacle | None:
    place = sandbox_for(task, sandbox)
    needed = control or place.name == "container"
    around = surroundings_of(place) if needed or asks_for_more(needs_of(task)) else None
    if around is None and place.name == "container":
        why = f"a container of {getattr(place, 'image', 'its image')} cannot be started"
        reason = getattr(place, "reason", "")
        return _obstacle(task, (), None, f"{why}: {reason}" if reason else why)
    look = look_at(task, scene_of(task, workspace_of(task), {}), around)
    tried = _control(task, sandbox) if control else None
    if tried is not None and tried.standing is Standing.PASSED:
        return None
    if tried is not None and tried.standing is Standing.FAILED:
        known = {sign.key for sign in look.signs}
        signs = (*look.signs, *(sign for sign in tried.signs if sign.key not in known))
        return _obstacle(task, signs, tried)
    return _obstacle(task, look.signs, tried) if look.signs else None


def _obstacle(
    task: Task, signs: tuple[Sign, ...], control: Control | None, broken: str | None = None
) -> Obstacle:
    image = image_of(task)
    fetched = any(sign.lack in _FETCHED for sign in signs)
    packages = frozenset(named_packages(task).requirements) if fetched else frozenset()
    return Obstacle((task,), signs, control, broken, packages, frozenset((image,) if image else ()))


def _control(task: Task, sandbox: Sandbox) -> Control:
    from adjudge.scoring import control_for  # late: a look at the files alone runs no verifier

    return control_for(task, sandbox)
