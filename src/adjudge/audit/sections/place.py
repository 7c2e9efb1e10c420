"""What a task's image is made for, by the image that it is built from: `FROM denoland/deno:2` for deno."""

from __future__ import annotations

import shutil

from adjudge.contracts import Task
from adjudge.tasks import declared_table, image_recipe

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
    name = (
        image_recipe(task).image or str(declared_table(task, "environment").get("docker_image", ""))
    ).lower()
    program = _PROGRAMS.get(name.rpartition("/")[2].partition("@")[0].partition(":")[0])
    return program if program is not None and shutil.which(program) is None else None
