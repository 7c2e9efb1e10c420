"""Where a verifier that wrote no reward seems to have put it: words for its author, never a reward.

The sources in `tests/` are searched for other paths of a reward, and the printed words for a number by that
name. What is found is pointed out together with the path that is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge._files import read_plain_file
from adjudge._lazy import late_pattern
from adjudge.contracts import Task

_PRINTED = late_pattern(rb"[\"']?\b(?:reward|score)[\"']?\s*[:=]\s*([0-9]*\.?[0-9]+)", re.IGNORECASE)
_NAMED = late_pattern(r"(?P<path>(?:/[\w.-]+)*/)?(?P<name>(?:reward|rewards|score)\.(?:json|txt))\b")
_ENDINGS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".R", ".jl", ".go")
_MOST_BYTES = 1 << 20
_MOST_FILES = 40
_MOST_SAID = 4


def reward_elsewhere(task: Task, stdout: bytes) -> str | None:
    """One or more sentences about where the reward may be; None if nothing tells."""
    found = list(_other_paths(task))
    if match := _PRINTED.search(stdout):
        found.append(f"a reward of {match[1].decode()} was printed on stdout, which is not read")
    return "; ".join(found[:_MOST_SAID]).capitalize() + "." if found else None


def _other_paths(task: Task) -> Iterator[str]:
    folder = task.verifier.reward_path.rpartition("/")[0]
    seen: set[str] = set()
    for source, text in _sources(task):
        for match in _NAMED.finditer(text):
            path = match[0]
            before = text[max(0, match.start() - 1) : match.start()]
            if before in ("$", "}", "/", ".", "_", "-") or before.isalnum() or path in seen:
                continue  # part of a longer path, most likely one that a variable begins
            seen.add(path)
            if match["path"] is None:
                writes = re.search(rf"(?:>\s*|open\(\s*|tee\s+)[\"']?{re.escape(path)}", text)
                if writes is not None:
                    where = task.workdir or "the working folder"
                    yield f"{source} writes {path} in {where}, which is not read"
            elif path not in (f"{folder}/reward.json", f"{folder}/reward.txt", task.verifier.reward_path):
                yield f"{source} names {path}, which is not read"


def _sources(task: Task) -> Iterator[tuple[str, str]]:
    """The programs at the top of `tests/`, the script first; what cannot be read is passed over."""
    tests = task.folder / "tests"
    beside = sorted(f"tests/{path.name}" for path in tests.iterdir()) if tests.is_dir() else []
    for name in dict.fromkeys((task.verifier.script, *beside[:_MOST_FILES])):
        if not name.endswith(_ENDINGS) or name.endswith(("/adjudge_kit.py", "/adjudge_untrusted.py")):
            continue
        try:
            data = read_plain_file(task.folder / name, limit=_MOST_BYTES).data
        except OSError:
            continue
        if data is not None:
            yield name, data.decode("utf-8", "replace")
