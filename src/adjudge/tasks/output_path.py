"""Where the verifier expects the output: declared in `task.toml`, else the last `/workspace/...` path in the
instruction, which is where authors say "write your answer to ...".
"""

from __future__ import annotations

import re
from pathlib import Path

from adjudge.errors import TaskError
from adjudge.tasks.settings import Settings

VERIFIER_LOGS = "/logs/verifier"
_SYSTEM = frozenset(
    {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "sys", "tests", "usr"}
)
# Not after a letter, a dot or a tilde: `./workspace/x`, `~/workspace/x`, `src/workspace/x` are other paths.
# The characters left out end a path in prose of any script, in Markdown, HTML or a shell line.
_MENTION = re.compile(
    r"(?:(?<=file://)|(?<![A-Za-z0-9.~/-]))/workspace/"
    r"([^\s`'\"()\[\]{}<>|*?,;:!$&\\^\x00-\x1f\x7f\u200b-\u200f\ufeff"
    r"“”‘’«»‹›…—–•，。、；：！？（）「」『』【】《》〈〉]+)"
)
_EXTENSION = re.compile(r"[^/.]\.[A-Za-z0-9]+$")
# 写入/workspace/output.md文件: scripts without spaces go on right after the extension.
_GLUED = re.compile(r"(?<=[^/.])\.[A-Za-z0-9]+(?=[^\x00-\x7f][^/]*$)")
_PATTERN = tuple("{<[*?$")
_GOES_ON = re.compile(r"(?:\{[^{}\n]*\}|\[[^\[\]\n]*\]|<\w[^<>\n]*>|\$\{?\w+\}?|[*?]+)[\w-]*\.\w")
_ENDS = re.compile(r"(?:\*\*++|\?++)(?!\.?[\w/-])|</\w+>|<br\b", re.IGNORECASE)
_REMEDY = 'Add `[output] path = "/workspace/..."` to task.toml.'


def find_output_path(settings: Settings, instruction: str, instruction_file: Path) -> str:
    """The expected output path. Raises TaskError where none is known, or two contradict each other."""
    declared = settings.text("verifier", "output_path")
    other = settings.text("output", "path")
    if declared is not None and other is not None and declared != other:
        raise TaskError(
            f"two declarations contradict each other: [verifier] output_path = {declared!r} "
            f"and [output] path = {other!r}",
            file=settings.file,
            field="[verifier] output_path, [output] path",
            remedy="Keep one of them.",
        )
    if declared is not None:
        return check_sandbox_path(settings, "verifier", "output_path", declared)
    if other is not None:
        return check_sandbox_path(settings, "output", "path", other)
    inferred = infer_output_path(instruction)
    if inferred is None:
        raise TaskError(
            "nothing says where the output is expected: neither task.toml declares a path, nor does "
            f"{instruction_file.name} mention a file below /workspace/",
            file=settings.file,
            field="[output] path",
            remedy=_REMEDY,
        )
    return inferred


def infer_output_path(instruction: str) -> str | None:
    """The last path below `/workspace/` that can be a file; None where there is none."""
    for mention in reversed(list(_MENTION.finditer(instruction))):
        glued = _GLUED.search(mention[1])
        path = mention[1][: glued.end()] if glued else mention[1].rstrip(".-")
        before = instruction[mention.start() - 1 : mention.start()]
        if not glued and _names_many(path, before, instruction[mention.end() : mention.end() + 200]):
            continue
        if before == "_":
            path = path.rstrip("_").rstrip(".")  # _/workspace/a.md_ is emphasis
        if path and not path.endswith("/") and not {"", ".", ".."} & set(path.split("/")):
            return f"/workspace/{path}"
    return None


def _names_many(path: str, before: str, after: str) -> bool:
    """`room_{id}.json` and `*.csv` are many files; `a.md**`, `a.md?` and `a.md<br>` are one."""
    if not after.startswith(_PATTERN) or (before == "*" and after.startswith("*")):
        return False
    return bool(_GOES_ON.match(after)) if _EXTENSION.search(path) else not _ENDS.match(after)


def check_sandbox_path(settings: Settings, section: str, key: str, path: str) -> str:
    """A declared path, in its plain form: absolute, in a folder of its own, outside what the sandbox owns."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    plain = "/" + "/".join(parts)
    reserved = bool(parts) and (parts[0] in _SYSTEM or f"{plain}/".startswith(f"{VERIFIER_LOGS}/"))
    if (
        not path.startswith("/")
        or path.endswith("/")
        or len(parts) < 2
        or ".." in parts
        or "\0" in path
        or reserved
    ):
        raise settings.bad(
            section,
            key,
            path,
            "an absolute path of a file in a folder, without '..', and not in /tests, /logs/verifier or a "
            "folder of the system",
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
