"""What a task's image is made for, by the image that it is built from: `FROM denoland/deno:2` for deno."""

from __future__ import annotations

import re
import shutil

from adjudge.contracts import Task
from adjudge.tasks import declared_table

_FROM = re.compile(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)", re.I | re.M)
_MOST_BYTES = 1 << 18
_SAME = ("bun", "deno", "node", "perl", "php", "ruby", "julia", "swift", "elixir", "gradle", "scala", "nginx")
_JAVAS = ("openjdk", "eclipse-temurin", "amazoncorretto", "java")
_PROGRAMS = {
    **{name: name for name in _SAME},
    **dict.fromkeys(_JAVAS, "java"),
    "golang": "go",
    "rust": "cargo",
    "erlang": "erl",
    "haskell": "ghc",
    "maven": "mvn",
    "sdk": "dotnet",
    "gcc": "gcc",
    "r-base": "Rscript",
    "r-ver": "Rscript",
    "postgres": "postgres",
    "mysql": "mysqld",
    "mariadb": "mariadbd",
    "redis": "redis-server",
    "mongo": "mongod",
}
"""Image, by the last part of its name -> what whoever chooses it wants to run."""


def lacks_program(task: Task) -> str | None:
    """The program that the image is made for, if this machine has none; None if it says nothing."""
    name = _image(task)
    program = _PROGRAMS.get(name.rpartition("/")[2].partition("@")[0].partition(":")[0])
    return program if program is not None and shutil.which(program) is None else None


def _image(task: Task) -> str:
    for file in ("tests/Dockerfile", "environment/Dockerfile", "Dockerfile"):
        try:
            with (task.folder / file).open("rb") as opened:
                found = _FROM.findall(opened.read(_MOST_BYTES).decode("utf-8", "replace"))
        except OSError:
            continue
        if found:
            return str(found[-1]).lower()
    return str(declared_table(task, "environment").get("docker_image", "")).lower()
