"""Inputs that the task's image brings: read where the agent may rewrite them, or where they do not lie.

What a Dockerfile copies to a path is an input, whatever the instruction calls it, unless the task asks to
change that very file. Nothing is said of a verifier that compares a digest or a copy, that only asks whether
a file is there, or that has an image of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Task
from adjudge.gates import workspace_of
from adjudge.tasks import image_recipe, provided_files

_DATA = frozenset(
    {
        ".json",
        ".jsonl",
        ".ndjson",
        ".csv",
        ".tsv",
        ".txt",
        ".dat",
        ".db",
        ".sqlite",
        ".xml",
        ".log",
        ".results",
    }
    | {".npz", ".npy", ".bin", ".parquet", ".fasta", ".fa", ".vcf", ".pdb", ".conf", ".ini", ".yaml", ".yml"}
)
_CHANGED = re.compile(
    r"\b(?:edit|modif|updat|fix|append|chang|correct|migrat|rewrit|overwrit|repair|extend|insert|renam|delet"
    r"|remov|clean|mend|patch|resolv|refactor|convert)\w*|\bin place\b|\badd(?:s|ing)?\b",
    re.I,
)
_TIDIED = re.compile(
    r"\b(?:remov|delet|clean|prun|purg|mov|renam|organi[sz]|rotat|archiv|compress|deduplicat|tid)(?:e|es|ed|y|ing)?\b"
    r"(?:\s+up)?[^.;\n]{0,60}\b(?:director|folder|file|backup|snapshot|log|copies|duplicate)",
    re.I,
)
"""What is asked of a folder as a whole: what then lies in it is the answer."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) )")
_GUARDED = (
    r"sha256|sha1|md5|digest|checksum|filecmp|unchanged|unmodified|untouched|tamper|pristine|\boriginal"
)
_READERS = frozenset(
    {
        "open",
        "load",
        "loads",
        "read_csv",
        "read_json",
        "read_table",
        "connect",
        "loadtxt",
        "genfromtxt",
        "parse",
    }
    | {
        "read_text",
        "read_bytes",
        "iterdir",
        "glob",
        "rglob",
        "listdir",
        "scandir",
        "walk",
        "reader",
        "safe_load",
    }
)
_ASKS = frozenset({"exists", "is_file", "isfile", "is_dir", "isdir"})


def read_inputs(task: Task, modules: Sequence[Module]) -> Iterator[Remark]:
    """One remark per module on an input that may be rewritten, and one per file that lies elsewhere."""
    provided = provided_files(task)
    if not provided or (task.folder / "tests" / "Dockerfile").is_file():
        return
    runs = "\n".join(image_recipe(task).runs)
    for module in modules:
        found = [(node, path) for node, path in _opened(module, task) if not module.of_answer(node)]
        guarded = module.speaks(_GUARDED)
        for node, path in found if not guarded else ():
            held = _held_below(provided, path, task)
            if path not in provided and _TIDIED.search(module.instruction):
                continue
            if held and not any(_is_changed(module.instruction, name) for name in held):
                yield module.remark(
                    node,
                    Cause.SIDE_FILE,
                    f"{path} is read, which the agent may have changed",
                    "Keep a copy of the inputs in tests/, and read that one.",
                )
                break
        for node, path in found:
            there = _elsewhere(provided, path)
            name = PurePosixPath(path).name
            if there is None or name in runs or path in module.instruction or _is_asked_for(module, node):
                continue
            yield module.slip(
                node,
                Cause.ELSEWHERE,
                f"{path} is opened, and the image has that file at {there}: what reads it cannot pass",
                "Open the file where the image puts it, or a copy in tests/.",
            )


def _opened(module: Module, task: Task) -> Iterator[tuple[ast.AST, str]]:
    """Each literal that is a path and is read from, with the path from the root."""
    for node in module.nodes:
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if "/" not in text.strip("/") or not re.fullmatch(r"[\w./-]{4,200}", text):
            continue
        path = str(PurePosixPath(task.workdir or workspace_of(task)) / text)
        own = path.startswith(("/tests", "/logs", "/solution", "/usr", "/etc", "/proc", "/dev"))
        if not own and path != task.verifier.expected_output_path and _is_read(module, node):
            yield node, path


def _is_read(module: Module, node: ast.AST, deep: int = 0) -> bool:
    """Does a path end in a reader, itself or through names and the module's own functions?"""
    inside = node
    for around in module.around(node):
        if isinstance(around, ast.Call):
            name = called(around)
            if name in _READERS:
                return _is_used(module, around)
            if name in _ASKS:
                return False
            own = module.flow.functions.get(name)
            if own is not None and inside in around.args:
                return any(isinstance(p, ast.Call) and called(p) in _READERS for p in ast.walk(own))
        elif isinstance(around, ast.Assign) and deep < 2:
            names = {target.id for target in around.targets if isinstance(target, ast.Name)}
            scope = module.flow.scope(around)
            return any(
                isinstance(use, ast.Name)
                and use.id in names
                and isinstance(use.ctx, ast.Load)
                and _is_read(module, use, deep + 1)
                for use in ast.walk(scope)
            )
        elif isinstance(around, ast.Assert | ast.Raise | ast.JoinedStr | ast.Compare):
            return False
        inside = around
    return False


def _is_used(module: Module, node: ast.AST) -> bool:
    """Does anything become of what is read, beyond a name that nobody asks for?"""
    for around in module.around(node):
        if isinstance(around, ast.Assign):
            names = {target.id for target in around.targets if isinstance(target, ast.Name)}
            uses = [
                n for n in ast.walk(module.flow.scope(around)) if isinstance(n, ast.Name) and n.id in names
            ]
            return not names or any(isinstance(use.ctx, ast.Load) for use in uses)
    return True


def _held_below(provided: Mapping[str, Path], path: str, task: Task) -> list[str]:
    """The files of data that the image brings at a path, or in a folder that is no place for answers."""
    if path in provided:
        return [path] if PurePosixPath(path).suffix.lower() in _DATA else []
    output, folder = task.verifier.expected_output_path, path.rstrip("/") + "/"
    if output.startswith(folder) or workspace_of(task).startswith(folder.rstrip("/")) or path.count("/") < 2:
        return []
    return [one for one in provided if one.startswith(folder) and PurePosixPath(one).suffix.lower() in _DATA]


def _is_changed(instruction: str, path: str) -> bool:
    """Does the task ask to change this file, or anything in its folder?"""
    pure = PurePosixPath(path)
    folder = str(pure.parent)
    names = (pure.name, folder) if folder.count("/") > 1 else (pure.name,)
    said = [part for part in _SENTENCE.split(instruction) if any(name in part for name in names)]
    return any(_CHANGED.search(part) for part in said)


def _elsewhere(provided: Mapping[str, Path], path: str) -> str | None:
    """Where the only file of this name lies, if it is not there."""
    if path in provided or any(one.startswith(path.rstrip("/") + "/") for one in provided):
        return None
    same = [one for one in provided if PurePosixPath(one).name == PurePosixPath(path).name]
    return same[0] if len(same) == 1 and PurePosixPath(path).suffix else None


def _is_asked_for(module: Module, node: ast.AST) -> bool:
    """Does the function ask whether a file is there, and go on without it?"""
    scope = module.flow.scope(node)
    tested = [part.test for part in ast.walk(scope) if isinstance(part, ast.If | ast.IfExp)]
    return any(isinstance(p, ast.Call) and called(p) in _ASKS for test in tested for p in ast.walk(test))
