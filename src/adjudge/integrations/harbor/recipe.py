"""What a task's environment asks for, and whether it can be had without building an image.

A Dockerfile is read, not built. Over a plain base (the host's `/usr`) the instructions that only place
files and set names can be followed; anything that would install software cannot, and `problems` says which
line and why. Over a root filesystem, which stands for the built image, only what an exported filesystem
does not carry is taken from the Dockerfile: WORKDIR, ENV and USER.

Degenerate input: no environment folder at all is a plain base with the working directory `/workspace`.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from adjudge.errors import show
from adjudge.tasks import instruction_pairs, instruction_words, read_instructions

PLAIN_BASES = frozenset({"debian", "ubuntu", "python", "buildpack-deps", "scratch"})
"""Images whose tasks usually run on any glibc Linux with python3 and bash."""
PLACING = frozenset(
    {"mkdir", "touch", "chmod", "true", "ln", "cp", "mv", "rm", "echo", "printf", "cd", "set"}
)
IGNORED = frozenset(
    {"CMD", "ENTRYPOINT", "EXPOSE", "LABEL", "MAINTAINER", "STOPSIGNAL", "HEALTHCHECK", "SHELL"}
)
WITHOUT_ONE = "Give a root filesystem for it: --ek rootfs=FOLDER."


class CopyStep(Struct, frozen=True):
    """Put what is at `source` below the environment folder at `target` in the sandbox."""

    source: str
    target: str


class RunStep(Struct, frozen=True):
    """Run `command` in `cwd` while the environment is set up."""

    command: str
    cwd: str


class Recipe(Struct):
    """How to set up one environment. Not usable if `problems` is not empty."""

    workdir: str = "/"
    env: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    steps: list[CopyStep | RunStep] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_recipe(
    folder: Path, *, docker_image: str | None = None, workdir: str | None = None, rootfs: Path | None = None
) -> Recipe:
    """The recipe for a task's `environment/` folder; what cannot be served is listed in `problems`."""
    recipe = Recipe(workdir="/workspace")
    dockerfile = folder / "Dockerfile"
    if (folder / "docker-compose.yaml").exists():
        recipe.problems.append(
            f"{folder.name}/docker-compose.yaml: services beside the main one are not served"
        )
    if dockerfile.is_file():
        recipe.workdir = "/"
        _follow(
            recipe, dockerfile.read_text(encoding="utf-8", errors="replace"), folder, plain=rootfs is None
        )
    elif docker_image is not None and rootfs is None and not _is_plain(docker_image):
        recipe.problems.append(
            f"[environment] docker_image: no image can be pulled; found {show(docker_image)}. {WITHOUT_ONE}"
        )
    elif docker_image is not None and folder.is_dir():
        recipe.steps.append(CopyStep(".", workdir or recipe.workdir))
    if workdir:
        recipe.workdir = workdir
    return recipe


def find_rootfs(rootfs: Path | None, task: str) -> Path | None:
    """The root filesystem for a task: the folder itself, or the one in it that bears the task's name.

    None if no folder was given, or if the folder holds root filesystems but none for this task.
    """
    if rootfs is None:
        return None
    for candidate in (rootfs, rootfs / task):
        if (candidate / "usr").is_dir() or (candidate / "bin").is_dir():
            return candidate
    return None


def _follow(recipe: Recipe, text: str, folder: Path, *, plain: bool) -> None:
    bases = 0
    for number, name, written, value, _ in read_instructions(text):
        where = f"{folder.name}/Dockerfile:{number}: {name}"
        if name == "FROM":
            bases += 1
            recipe.workdir, recipe.user, recipe.env = "/", None, {}
            if plain and bases == 2:
                recipe.problems.append(f"{where}: more than one build stage. {WITHOUT_ONE}")
            elif plain and not _is_plain(value):
                recipe.problems.append(
                    f"{where}: not a plain base; found {show(value)}; "
                    f"allowed: {', '.join(sorted(PLAIN_BASES))}. {WITHOUT_ONE}"
                )
        elif name in IGNORED or (name == "ARG" and "=" in value):
            continue
        elif "$" in value and name not in ("RUN", "ARG"):
            recipe.problems.append(
                f"{where}: a variable that nobody set; found {show(written)}. {WITHOUT_ONE}"
            )
        elif name == "WORKDIR":
            recipe.workdir = str(PurePosixPath(recipe.workdir) / value)
            if plain:
                recipe.steps.append(RunStep(f"mkdir -p {shlex.quote(recipe.workdir)}", "/"))
        elif name == "ENV":
            recipe.env.update(instruction_pairs(value))
        elif name == "USER":
            recipe.user = value.partition(":")[0]
        elif plain:
            _place(recipe, name, written if name == "RUN" else value, where, folder)


def _place(recipe: Recipe, name: str, value: str, where: str, folder: Path) -> None:
    """COPY, ADD and RUN over a plain base."""
    if name == "RUN":
        if _only_places(value):
            recipe.steps.append(RunStep(value, recipe.workdir))
        else:
            recipe.problems.append(
                f"{where}: cannot be run without an image; found {show(value)}. {WITHOUT_ONE}"
            )
        return
    words = instruction_words(value)
    sources = [word for word in words[:-1] if not word.startswith("--")]
    if name not in ("COPY", "ADD") or not sources or any(w.startswith("--from") for w in words):
        recipe.problems.append(f"{where}: not served; found {show(value)}. {WITHOUT_ONE}")
        return
    target = PurePosixPath(recipe.workdir) / words[-1]
    into_folder = words[-1].endswith("/") or words[-1] in (".", "..") or len(sources) > 1
    for source in sources:
        if "://" in source or ".." in PurePosixPath(source).parts or any(c in source for c in "*?["):
            recipe.problems.append(f"{where}: only plain paths below {folder.name}/; found {show(source)}")
        elif not (folder / source.lstrip("/")).exists():
            recipe.problems.append(f"{where}: no such file; found {show(source)}")
        else:
            single = (folder / source.lstrip("/")).is_file()
            final = target / PurePosixPath(source).name if single and into_folder else target
            recipe.steps.append(CopyStep(source.lstrip("/"), str(final)))


def _is_plain(image: str) -> bool:
    words = [word for word in image.split() if not word.startswith("--")]
    name = words[0].partition("@")[0].partition(":")[0] if words else ""
    return name.removeprefix("docker.io/").removeprefix("library/") in PLAIN_BASES and "-alpine" not in image


def _only_places(command: str) -> bool:
    if re.search(r"[|;`]|\$\(|<<", command) or command.startswith(("[", "--")):
        return False
    return all(part.split()[:1] and part.split()[0] in PLACING for part in command.split("&&"))
