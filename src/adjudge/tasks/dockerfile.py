"""Read a Dockerfile without building it: what a verifier would find in the image, as far as files tell.

The last stage counts. `WORKDIR` and `ENV` are taken over, `COPY` and `ADD` of files that lie in the task put
them where the image would have them, unless a later `RUN` removes or overwrites them, and so do texts that a
`RUN` or a `COPY` writes out in full, also as here-documents. But for that, the programs of `RUN` are only
listed, and none is carried out. What an image has beyond that (its base, installed programs, other stages) is
not there, and `unmet` says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec import Struct, field

from adjudge._lazy import late_pattern
from adjudge.tasks.dockerfile_text import (
    CAT,
    HEREDOC,
    document_written,
    instruction_pairs,
    instruction_words,
    read_instructions,
    texts_written,
)

_OWN = frozenset({"PATH", "HOME", "USER", "SHELL", "PWD", "HOSTNAME", "LD_PRELOAD", "LD_LIBRARY_PATH"})
"""Variables that belong to the sandbox, or that only make sense with the image's own programs."""
_USUAL_FOLDERS = frozenset(
    f"/{name}"
    for name in ["app", "workspace", "work", "data", "root", "home", "opt", "srv", "code", "repo", "tmp"]
)
"""Folders that many base images bring: `COPY run.db /app` puts the file into it."""
_INLINE = late_pattern(r"(?:--\S+ +)*<<-?(?P<quote>[\"']?)(?P<mark>\w+)[\"']?\s+(?P<target>[^\s<>]+)")
_FOLDERS_MADE = late_pattern(r"\bmkdir\s+(?P<words>(?:[^&|;\n])+)")
_GONE = late_pattern(
    r"(?:^|[\s;&|(])(?:rm(?=\s)(?P<removed>[^&|;>\n]+)|(?<!>)>\s*(?P<overwritten>[^\s&|;<>()]+))"
)
_SETTLED = late_pattern(
    r"\s*(?:apt-get (?:update|clean)|rm |mkdir |chmod |chown |ln |echo |printf [^%$`]*>|"
    r"useradd |groupadd |true\b|set |cd |(?:python3? -m )?pip3? |uv pip |export |touch |:)"
)
"""Commands of `RUN` that leave nothing a verifier would miss, or that are served in another way."""


class Copied(Struct, frozen=True):
    """One `COPY`: sources as written, and the absolute target, which is a folder if `into` is set."""

    sources: tuple[str, ...]
    target: str
    into: bool


class ImageRecipe(Struct, frozen=True):
    """What was read of a Dockerfile's last stage."""

    image: str | None = None
    workdir: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    copies: tuple[Copied, ...] = ()
    gone: tuple[tuple[int, str], ...] = ()
    """Paths that a `RUN` removes or overwrites, each with the number of copies before it."""
    written: tuple[tuple[str, bytes], ...] = ()
    """Texts that a `RUN` writes out in full, by their path."""
    runs: tuple[str, ...] = ()
    """The command lines of `RUN`, one string each."""
    unmet: tuple[str, ...] = ()
    """What is not done, in the words of the file."""


@lru_cache(maxsize=512)  # asked for when a task is loaded, and when it is looked at
def read_dockerfile(text: str) -> ImageRecipe:
    """The recipe of a Dockerfile; an empty one for text that has no instructions. Never raises."""
    image: str | None = None
    stage = _Stage()
    for _, name, written, value, documents in read_instructions(text):
        if name == "FROM":
            plain = [word for word in value.split() if not word.startswith("--")]
            image, stage = (plain[0] if plain else None), _Stage()
        else:
            stage.take(name, value, written, documents)
    return ImageRecipe(
        image,
        stage.workdir,
        stage.env,
        tuple(stage.copies),
        tuple(stage.gone),
        tuple(stage.written.items()),
        tuple(stage.runs),
        tuple(stage.unmet),
    )


def files_of(recipe: ImageRecipe, context: Collection[str]) -> dict[str, str]:
    """Where the files of a build context lie in the image: path there -> path in the context."""
    placed: dict[str, str] = {}
    for number, copied in enumerate(recipe.copies, 1):
        for source in copied.sources:
            for path, below in _matches(source, context):
                name = below or PurePosixPath(path).name
                target = f"{copied.target}/{name}" if below or copied.into else copied.target
                placed[re.sub(r"/{2,}", "/", target)] = path
        for gone in (path for after, path in recipe.gone if after == number):
            placed = {target: path for target, path in placed.items() if not _is_below(target, gone)}
    return placed


def _is_below(path: str, pattern: str) -> bool:
    """Is it the path that a pattern of the shell names, or does it lie in such a folder?"""
    depth = pattern.count("/") + 1
    return fnmatchcase("/".join(path.split("/")[:depth]), pattern)


class _Stage:
    """One build stage while it is read."""

    def __init__(self) -> None:
        self.workdir: str | None = None
        self.env: dict[str, str] = {}
        self.copies: list[Copied] = []
        self.gone: list[tuple[int, str]] = []
        self.written: dict[str, bytes] = {}
        self.runs: list[str] = []
        self.unmet: list[str] = []
        self.folders: set[str] = {"/"}

    def take(self, name: str, words: str, rest: str, documents: tuple[str, ...] = ()) -> None:
        if name == "WORKDIR":
            plain = words.strip().strip("\"'")
            self.workdir = None if "$" in plain else self._absolute(plain)
            self._know(self.workdir or "/")
        elif name == "ENV":
            self.env |= {
                key: value for key, value in instruction_pairs(words) if key not in _OWN and "$" not in value
            }
        elif name in ("COPY", "ADD"):
            self._copy(words, documents)
        elif name == "RUN":
            self.runs.append(rest)
            self._write(rest)
            written = document_written(rest, documents)
            if written is not None:
                self._put(written[0], written[1], more=written[2])
            for made in _FOLDERS_MADE.finditer(rest):
                for word in made["words"].split():
                    if not word.startswith("-"):
                        self._know(self._absolute(word))
            if wanted := _not_settled(rest if written is None else CAT.sub("", rest)):
                self.unmet.append(f"RUN {wanted}")
        elif name == "USER" and words.strip() not in ("root", "0"):
            self.unmet.append(f"USER {words.strip()}")

    def _write(self, command: str) -> None:
        """What a `RUN` removes, overwrites and writes out in full, in this order: `rm a && echo 0 > a`."""
        for match in _GONE.finditer(command):
            words = (match["removed"] or match["overwritten"]).split()
            names = [word.strip("\"'") for word in words if not word.startswith("-")]
            for path in (self._absolute(name) for name in names if name and "$" not in name):
                self.gone.append((len(self.copies), path))
                self.written = {own: text for own, text in self.written.items() if not _is_below(own, path)}
        for name, text, more in texts_written(command):
            self._put(name, text, more=more)

    def _put(self, name: str, text: bytes, *, more: bool) -> None:
        path = self._absolute(name)
        self.written[path] = (self.written.get(path, b"") if more else b"") + text

    def _copy(self, words: str, documents: tuple[str, ...]) -> None:
        parts = instruction_words(words)
        inline = _INLINE.fullmatch(words) if len(documents) == 1 else None
        if inline is not None and (inline["quote"] or not re.search(r"\$[\w{]", documents[0])):
            into = inline["target"].endswith("/")
            name = inline["target"] + (inline["mark"] if into else "")
            self._put(name, documents[0].encode("utf-8", "surrogateescape"), more=False)
            return
        if any(part.startswith("--from") for part in parts) or "<<" in words:
            self.unmet.append(f"COPY {words.strip()}")
            return
        plain = [part for part in parts if not part.startswith("--")]
        if len(plain) < 2:
            return
        remote = [part for part in plain[:-1] if "://" in part]
        self.unmet += [f"ADD {part}" for part in remote]
        target = self._absolute(plain[-1])
        into = plain[-1].endswith(("/", "/.")) or plain[-1] == "." or target in self.folders or len(plain) > 2
        into = into or (target in _USUAL_FOLDERS and PurePosixPath(plain[0]).suffix != "")
        self.copies.append(Copied(tuple(part for part in plain[:-1] if part not in remote), target, into))
        if into:
            self._know(target)

    def _absolute(self, path: str) -> str:
        parts: list[str] = []
        for part in (path if path.startswith("/") else f"{self.workdir or ''}/{path}").split("/"):
            if part == "..":
                del parts[-1:]
            elif part not in ("", "."):
                parts.append(part)
        return "/" + "/".join(parts)

    def _know(self, folder: str) -> None:
        self.folders.add(folder)
        self.folders.update(str(above) for above in PurePosixPath(folder).parents)


def _not_settled(command: str) -> str | None:
    """The first part of a `RUN` that does something a verifier may miss; None if there is none."""
    if HEREDOC.search(command):
        return " ".join(command.split())[:80]
    for part in re.split(r"&&|;|\|\|", command):
        if part.strip() and not _SETTLED.match(part) and not _installs_usual(part):
            return " ".join(part.split())[:80]
    return None


def _installs_usual(command: str) -> bool:
    """Does this install only what every sandbox has, or what a look at the verifier's needs covers?"""
    words = command.split()
    if words[:1] not in (["apt-get"], ["apt"], ["apk"]) or not {"install", "add"} & set(words):
        return False
    plain = [word for word in words[1:] if not word.startswith("-") and word not in ("install", "add")]
    return all(re.match(r"python3?\b|curl|wget|ca-certificates|bash\b|pip", word) for word in plain)


def _matches(source: str, context: Collection[str]) -> Iterator[tuple[str, str]]:
    """The files that a source names, each with its path below the folder it came from, if it was one."""
    plain = "/".join(part for part in source.split("/") if part not in ("", "."))
    if not plain:
        yield from ((path, path) for path in context)
        return
    folder = f"{plain}/"
    for path in context:
        if path == plain:
            yield path, ""
        elif path.startswith(folder):
            yield path, path.removeprefix(folder)
        elif any(mark in plain for mark in "*?["):
            depth = plain.count("/") + 1
            head, rest = "/".join(path.split("/")[:depth]), "/".join(path.split("/")[depth:])
            if fnmatchcase(head, plain):
                yield path, rest
