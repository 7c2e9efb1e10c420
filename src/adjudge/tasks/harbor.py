"""Harbor's own keys in a task: the working folder, steps, and what cannot be honoured here.

Most of Harbor's keys are about the agent's environment and mean nothing to a verifier in adjudge's sandbox.
Those that the verifier could notice, and that nothing here provides, are put into words: `adjudge check`
shows them, and so does the record of every trial.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from adjudge._lazy import late_pattern
from adjudge.errors import show
from adjudge.tasks.dockerfile import ImageRecipe
from adjudge.tasks.image import has_own_environment
from adjudge.tasks.settings import Settings

DEFAULT_WORKDIR = "/app"
OLD_FILE = "task.yaml"
"""What a task had before `task.toml` and `instruction.md`."""
_MAX_INPUTS = 1000
_FEW = 3
_NO_WORKDIR = late_pattern(r"^/(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|tests|usr)?(?:/|$)")


def find_workdir(settings: Settings, recipe: ImageRecipe) -> str | None:
    """Where a task says that commands start; None if it does not say, or names a place that cannot be."""
    own = _table(settings.section("verifier"), "environment").get("workdir")
    declared = own if isinstance(own, str) else settings.section("environment").get("workdir")
    found = declared if isinstance(declared, str) else recipe.workdir
    if found is None or not found.startswith("/") or ".." in found or not found.isprintable():
        return None
    plain = "/" + "/".join(part for part in found.split("/") if part not in ("", "."))
    return None if _NO_WORKDIR.match(plain) else plain


def step_names(settings: Settings) -> list[str]:
    """The steps of a task by the names of their folders, in order; empty for a task of one step."""
    steps = settings.data.get("steps")
    tables = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return [name for step in tables if (name := step_name(step)) is not None]


def step_name(step: dict[str, Any]) -> str | None:
    """The folder of a step below `steps/`: its name, unless its `dir` says another."""
    named = step.get("dir")
    if isinstance(named, str) and named.startswith("steps/"):
        name: object = named.removeprefix("steps/").rstrip("/")
    else:
        name = step.get("name")
    return name if isinstance(name, str) and re.fullmatch(r"[\w][\w.-]*", name) else None


def not_honoured(
    settings: Settings, files: Collection[str], dockerfile: str | None, recipe: ImageRecipe
) -> list[str]:
    """What the task asks for that a verifier will not find here, one sentence each."""
    return [*_unmet(settings.data, files), *_unbuilt(dockerfile, recipe)]


def _unbuilt(dockerfile: str | None, recipe: ImageRecipe) -> Iterator[str]:
    """What of a Dockerfile is not there. Its files, variables, working folder and packages are."""
    if dockerfile is None or (recipe.image is None and not recipe.unmet):
        return
    image = show(recipe.image)
    sentence = f"{dockerfile} is read and not built: programs are the sandbox's, not those of {image}"
    if recipe.unmet:
        shown = "; ".join(show(line)[1:-1] for line in recipe.unmet[:_FEW])
        more = f"; and {len(recipe.unmet) - _FEW} more" if len(recipe.unmet) > _FEW else ""
        sentence += f". Not done: {shown}{more}"
    yield sentence


def _unmet(data: dict[str, Any], files: Collection[str]) -> Iterator[str]:
    environment, verifier = _table(data, "environment"), _table(data, "verifier")
    own = _table(verifier, "environment")
    image = own.get("docker_image") or environment.get("docker_image")
    if isinstance(image, str):
        yield f"the image {image!r} is only used by the container sandbox with --image"
    if "tests/Dockerfile" in files and not has_own_environment(data):
        yield "tests/Dockerfile is not read, as the verifier has no environment of its own"
    if any(f"environment/docker-compose.{ending}" in files for ending in ("yaml", "yml")):
        yield "services beside the main container (docker-compose) are not started"
    if _is_set(environment.get("gpus")) or _is_set(own.get("gpus")):
        yield "there is no GPU in the sandbox"
    if str(environment.get("os", "linux")).lower() not in ("linux", ""):
        yield f"the sandbox is Linux, and the task wants {environment['os']!r}"
    if isinstance(environment.get("healthcheck"), dict):
        yield "the health check is not waited for, as nothing is started that it could be about"
    if verifier.get("user") not in (None, "", "root", 0) or _is_set(verifier.get("user")):
        yield f"the verifier runs as a user of its own, not as {verifier['user']!r}"
    if own.get("network_mode") or verifier.get("network_mode"):
        yield "the verifier has no network, whatever network_mode says"
    if verifier.get("collect"):
        yield "the commands of [[verifier.collect]] are not run before the verifier"
    yield from _unmet_of_steps(data.get("steps"))


def _unmet_of_steps(steps: object) -> Iterator[str]:
    tables = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    for what in ("healthcheck", "environment"):
        if names := [str(step.get("name")) for step in tables if isinstance(step.get(what), dict)]:
            shown = ", ".join(names[:_FEW])
            yield f"[steps.{what}] of {shown} is not read: steps are verified here, not run"


def _table(data: dict[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def _is_set(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def declared_inputs(data: dict[str, Any]) -> set[str]:
    """The paths below every key `inputs` in `task.toml`: collections list there what the agent is given."""
    found: set[str] = set()
    pending: list[Any] = [data]
    while pending and len(found) < _MAX_INPUTS:
        node = pending.pop()
        if isinstance(node, dict):
            listed = node.get("inputs")
            for item in listed if isinstance(listed, list) else ():
                path = item.get("path") if isinstance(item, dict) else item
                if isinstance(path, str):
                    found.add(path)
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return found


def old_instruction(text: str | None) -> str | None:
    """The instruction in a `task.yaml`; None if there is no such file or nothing in it that could be one."""
    if text is None:
        return None
    import yaml

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe one
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    several = data.get("descriptions")
    first = several[0] if isinstance(several, list) and several else {}
    found = data.get("instruction") or (first.get("description") if isinstance(first, dict) else None)
    return found if isinstance(found, str) else None
