"""Where verifiers run: the sandbox of some options, and the packages that are shown in it.

`--packages` gives every task the same set. `--prepare` is the user's consent to fetch what each task asks
for: its declared packages, and what its scripts would install as they run. A task that names an image
(`[environment] docker_image`) gets it if the sandbox is a container engine and no image was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from adjudge.contracts import Task
from adjudge.errors import MachineryError, SandboxError, SandboxUnavailable
from adjudge.packages import TaskSandboxes
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, choose_sandbox
from adjudge.tasks import declared_table


class VerifierPlace(Struct, frozen=True):
    """The options that decide where verifiers run."""

    sandbox: str = "auto"
    rootfs: Path | None = None
    image: str | None = None
    packages: tuple[str, ...] = ()
    prepare: bool = False
    cold: bool = False
    """Never run a trial warm."""

    @property
    def is_plain(self) -> bool:
        """Nothing but the name of a sandbox, which another machine can choose as well?"""
        return not (self.rootfs or self.image or self.packages or self.prepare)


def choose_place(place: VerifierPlace, tasks: Sequence[Task]) -> tuple[Sandbox, list[str]]:
    """The sandbox, and what could not be prepared, in words. Raises `SandboxUnavailable` as the choice does.

    Packages that were asked for by name must be there (`MachineryError`); of those that tasks ask for, the
    ones that cannot be had are told, and their tasks get the others.
    """
    sandbox = choose_sandbox(place.sandbox, rootfs=place.rootfs, image=place.image, warm=not place.cold)
    if place.packages:
        from adjudge.packages import provide

        sandbox = provide(sandbox, place.packages)
    by_task: dict[str, Sandbox] = {}
    images: dict[str, Sandbox] = {}
    problems: dict[str, list[str]] = {}
    for task in tasks:
        base = sandbox
        image = image_of(task)
        if image is not None and place.image is None and sandbox.name == "container":
            if image not in images:  # asked for once, however many tasks name it
                images[image] = _of_image(image)
            base = by_task[task.digest] = images[image]
        if not place.prepare:
            continue
        from adjudge.packages import named_packages, provide_most  # late: most runs ask for no packages

        named = named_packages(task)
        if named.requirements:
            try:
                by_task[task.digest], left_out = provide_most(
                    base,
                    (*named.requirements, *place.packages),
                    (*named.needed, *place.packages),
                    stand_ins=named.installs,
                )
                if left_out:
                    why = f"no wheel of {', '.join(left_out)} can be had; the other packages are there"
                    problems.setdefault(why, []).append(task.id)
            except MachineryError as error:
                problems.setdefault(str(error), []).append(task.id)
    told = [f"{_some(ids)}: {why}" for why, ids in problems.items()]
    return (TaskSandboxes(sandbox, by_task) if by_task else sandbox), told


class MissingImage(Struct, frozen=True):
    """Stands for the container of an image that cannot be had: what is run in it fails with the reason."""

    image: str
    reason: str
    name: str = "container"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Never runs anything."""
        raise SandboxError(self.reason)


def _of_image(image: str) -> Sandbox:
    try:
        return choose_sandbox("container", image=image)
    except SandboxUnavailable as error:
        return MissingImage(image, str(error))


def image_of(task: Task) -> str | None:
    """The image that a task names; None if it names none."""
    own = declared_table(task, "verifier").get("environment")
    for section in (own, declared_table(task, "environment")):
        image = section.get("docker_image") if isinstance(section, dict) else None
        if isinstance(image, str) and image.strip():
            return image
    return None


def _some(ids: list[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{ids[0]} and {len(ids) - 1} more"
