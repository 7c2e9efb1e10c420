"""Where a task's answer is: declared, kept as an artifact, named in the instruction, or the working folder.

In this order: `[output] path` or `[verifier] output_path`; Harbor's `artifacts`; the files that the
instruction names and the verifier's sources name, too, but for what the task itself brings (its inputs); the
last file that the instruction names, or the files that it lists below a folder to write to. A task that
names no file at all has its working folder as the answer, since that is what its verifier looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import PurePosixPath

from msgspec import Struct

from adjudge.contracts import Origin
from adjudge.errors import TaskError
from adjudge.tasks.mentions import has_extension, is_given, listed_files, mentioned_files
from adjudge.tasks.settings import Settings

VERIFIER_LOGS = "/logs/verifier"
_SYSTEM = frozenset(
    {
        *("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys"),
        *("tests", "usr"),
    }
)
_RESERVED = (VERIFIER_LOGS, "/opt/adjudge")
_LONGEST_NAME, _LONGEST_PATH = 255, 4000
"""In bytes. What is longer no program can open, and the answer would be missing whatever an agent wrote."""
_WORKSPACE = "/workspace/"
_DRAWINGS = frozenset({".dot", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".html", ".log"})


class Answer(Struct, frozen=True):
    """Where the answer lies. `paths[0]` is the expected output path; it is a folder if `is_folder`."""

    paths: tuple[str, ...]
    origin: Origin
    is_folder: bool = False


def find_answer_path(
    settings: Settings,
    instruction: str,
    *,
    inputs: Collection[str] = (),
    verifier_names: Callable[[], Collection[str]] = tuple,
    workdir: str = "/app",
    output_path: str | None = None,
) -> Answer:
    """Where the answer of a task is expected. Raises TaskError only for declarations that cannot be.

    `inputs` are the names of files that the task brings; `verifier_names` gives the paths in the sources of
    its verifier; `output_path` is what the caller says, and wins.
    """
    if output_path is not None:
        return _declared(settings, "output", "path", [output_path])
    if (declared := _declarations(settings)) is not None:
        return declared
    named = infer_output_paths(instruction, inputs, verifier_names)
    kept = _artifacts(settings)
    if kept:
        chosen = [path for path in kept if path in named] or kept
        return Answer(tuple(chosen), Origin.INFERRED, is_folder=not has_extension(chosen[0]))
    if named:
        return Answer(tuple(named), Origin.INFERRED)
    return Answer((workdir,), Origin.INFERRED, is_folder=True)


def infer_output_paths(
    instruction: str, inputs: Collection[str], verifier_names: Callable[[], Collection[str]]
) -> list[str]:
    """The files that an instruction asks for, the one to write last first; empty if it names none."""
    mentions = [
        path for path in mentioned_files(instruction) if is_usable_path(path) and not _is_input(path, inputs)
    ]
    candidates = [path for path in mentions if has_extension(path)]
    if listed := [path for path in listed_files(instruction) if is_usable_path(path)]:
        candidates = [path for path in candidates if not is_given(path, instruction)]
        if not candidates:
            return listed
    read = verifier_names()
    if both := [path for path in candidates if path in read]:
        asked = [path for path in both if not is_given(path, instruction)]
        return _last_first(asked or both)
    if below := [path for path in mentions if path.startswith(_WORKSPACE)]:
        return below[-1:]  # adjudge's own convention, also for names without an extension
    named = [
        path
        for path in sorted(read)
        if has_extension(path)
        and is_usable_path(path)
        and not _is_input(path, inputs)
        and PurePosixPath(path).name in instruction
    ]
    return _last_first(named or candidates[-1:])


def _last_first(paths: list[str]) -> list[str]:
    """The last first; but a drawing or the like gives way to the last of the others, which have values."""
    values = [path for path in paths if PurePosixPath(path).suffix.lower() not in _DRAWINGS]
    main = (values or paths)[-1:]
    return [*main, *(path for path in paths if path not in main)]


def _is_input(path: str, inputs: Collection[str]) -> bool:
    return path in inputs or PurePosixPath(path).name in inputs


def is_usable_path(path: str) -> bool:
    """Can a file of an agent lie there: in a folder, which is not one of the system's or the verifier's?"""
    parts = path.split("/")[1:]
    return len(parts) > 1 and not _is_reserved(parts) and not _is_too_long(parts)


def _is_reserved(parts: list[str]) -> bool:
    plain = f"/{'/'.join(parts)}/"
    return bool(parts) and (parts[0] in _SYSTEM or any(plain.startswith(f"{own}/") for own in _RESERVED))


def _is_too_long(parts: list[str]) -> bool:
    sizes = [len(part.encode("utf-8", "surrogateescape")) for part in parts]
    return max(sizes, default=0) > _LONGEST_NAME or sum(sizes) + len(sizes) > _LONGEST_PATH


def _artifacts(settings: Settings) -> list[str]:
    """Harbor's `artifacts`: paths, or tables with a `source`. What cannot hold an answer is passed over."""
    listed = settings.data.get("artifacts")
    found = [item.get("source") if isinstance(item, dict) else item for item in _listed(listed)]
    plain = [path.rstrip("/") for path in found if isinstance(path, str) and path.isprintable()]
    return [
        path
        for path in plain
        if path.startswith("/") and ".." not in path.split("/") and is_usable_path(path)
    ]


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _declarations(settings: Settings) -> Answer | None:
    first = settings.texts("verifier", "output_path")
    second = settings.texts("output", "path")
    if first and second and first != second:
        raise TaskError(
            f"two declarations contradict each other: [verifier] output_path = {_shown(first)} "
            f"and [output] path = {_shown(second)}",
            file=settings.file,
            field="[verifier] output_path, [output] path",
            remedy="Keep one of them.",
        )
    section, key = ("verifier", "output_path") if first else ("output", "path")
    given = first or second
    if not given:
        return None
    return _declared(settings, section, key, given)


def _shown(paths: list[str]) -> str:
    return repr(paths[0]) if len(paths) == 1 else repr(paths)


def _declared(settings: Settings, section: str, key: str, paths: list[str]) -> Answer:
    plain = tuple(_checked(settings, section, key, path) for path in paths)
    return Answer(plain, Origin.DECLARED, is_folder=paths[0].endswith("/"))


def _checked(settings: Settings, section: str, key: str, path: str) -> str:
    """A declared path, in its plain form: absolute, in a folder of its own, outside what the sandbox owns."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    plain = "/" + "/".join(parts)
    enough = 1 if path.endswith("/") else 2
    usable = len(parts) >= enough and not _is_reserved(parts) and not _is_too_long(parts)
    if not path.startswith("/") or not usable or ".." in parts or "\0" in path:
        raise settings.bad(
            section,
            key,
            path,
            "an absolute path of a file in a folder (or of a folder, ending in /), without '..', and not in "
            "/tests, /logs/verifier or a folder of the system; "
            f"at most {_LONGEST_NAME} bytes a name, {_LONGEST_PATH} in all",
            'For example "/workspace/output.json".',
        )
    return plain


def artifact_path(settings: Settings, key: str, default: str) -> str:
    """`[verifier] reward_path` or `details_path`: only ever below /logs/verifier/, the folder read back."""
    path = settings.text("verifier", key)
    if path is None:
        return f"{VERIFIER_LOGS}/{default}"
    parts = path.split("/")
    if not path.startswith(f"{VERIFIER_LOGS}/") or "\0" in path or {"", ".", ".."} & set(parts[1:]):
        raise settings.bad("verifier", key, path, f"a path below {VERIFIER_LOGS}/")
    return path
