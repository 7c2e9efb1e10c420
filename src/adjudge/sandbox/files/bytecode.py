"""Compile the modules of a task's tests once, not in every trial.

A sandbox forgets everything, so each trial would compile each module of the tests anew, and that takes longer
than most verifiers (the authoring kit alone: 20 ms). The modules are compiled by the Python that will run
them, in a sandbox that holds the tests and nothing else; what comes back is shown, read-only, to the trials
at `BYTECODE`, and the import rule of the sandbox (`import_rule.py`) takes it from there whatever flags Python
was started with. The tests themselves stay as they are: a verifier sees no further file in them.

Invariants:
- Nothing of a trial is there when modules are compiled, and no trial can write what another one reads.
- Compiled modules belong to the digest of the tests. Python takes them only if they are of its own version
  and of the very text that it would compile, since a trial may change its own copy of the tests; without
  them, or if it cannot read them, it compiles the source as always.
- They lie beside the frozen copy of the tests and go with the process: what another process left behind
  would have to be trusted to be what the digest says.

One trial gains nothing from compiling, so modules are compiled when tests are used for the second time. Only
a copy of our own authoring kit is there from the first on: this Python has compiled it already.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import threading
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path

from adjudge._lazy import late_pattern
from adjudge.contracts import Limits
from adjudge.errors import SandboxError
from adjudge.sandbox.files.import_order import BYTECODE
from adjudge.sandbox.job import Sandbox, SandboxJob

KIT = "adjudge_kit.py"
_SMALLEST = 4_096
"""Bytes of Python in the tests below which nothing is worth compiling."""
_MOST_FILES = 300
_MOST_BYTES = 4 << 20
_COLLECT = "/logs/verifier"
_NAME = late_pattern(r"[0-9a-f]{8}/[^\0]+\.pyc")
_CHECKED = (3).to_bytes(4, "little")
"""Of byte code that names its source by a hash (PEP 552): a verifier may change its own copy of it."""
_COMPILE = """
import importlib.util, marshal, os, sys
target, rest = sys.argv[1], sys.argv[2:]
magic = importlib.util.MAGIC_NUMBER
for name in rest:
    try:
        with open("/tests/" + name, "rb") as file:
            text = file.read()
        code = compile(text, "/tests/" + name, "exec", dont_inherit=True)
    except Exception:
        continue
    path = f"{target}/{magic.hex()}/{name}c"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(magic + (3).to_bytes(4, "little") + importlib.util.source_hash(text) + marshal.dumps(code))
"""

_guard = threading.Lock()
_uses: dict[str, int] = {}
_made: dict[str, Path | None] = {}


def bytecode_for(tests: Path, sandbox: Sandbox) -> Mapping[str, Path]:
    """What to show to a trial beside its frozen tests: the folder of their compiled modules, if any."""
    if sandbox.name == "unisolated":  # it has no import rule
        return {}
    key = hashlib.sha256(repr((tests, sandbox)).encode()).hexdigest()[:16]
    with _guard:
        folder = _made.get(key)
        if folder is not None and not folder.is_dir():  # gone with the copy of the tests that it belonged to
            _uses.pop(key, None)
        _uses[key] = _uses.get(key, 0) + 1
        if _uses[key] == 1:
            folder = _made[key] = _place(_compiled_kit(tests), tests.with_name(f"{tests.name}-{key}"))
        if _uses[key] != 2:  # whoever comes while modules are compiled does not wait for them
            return {} if folder is None else {BYTECODE: folder}
    modules = _compile(tests, sandbox)
    if modules:
        with _guard:
            folder = _made[key] = _place(modules, tests.with_name(f"{tests.name}-{key}-all")) or folder
    return {} if folder is None else {BYTECODE: folder}


def _compiled_kit(tests: Path) -> dict[str, bytes]:
    """The authoring kit, if the tests hold a copy of the very one that is installed here."""
    copy = tests / KIT
    try:
        if copy.is_symlink() or not own_kit()[1] or copy.read_bytes() != own_kit()[0]:
            return {}
    except OSError:
        return {}
    return {f"{importlib.util.MAGIC_NUMBER.hex()}/{KIT}c": own_kit()[1]}


@cache
def own_kit() -> tuple[bytes, bytes]:
    """The text of the installed kit and its byte code. Python keeps both beside each other for itself."""
    spec = importlib.util.find_spec(KIT.removesuffix(".py"))
    if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
        return b"", b""
    code = spec.loader.get_code(spec.name)
    text = Path(spec.origin).read_bytes()
    head = importlib.util.MAGIC_NUMBER + _CHECKED + importlib.util.source_hash(text)
    return text, head + marshal.dumps(code)


def _compile(tests: Path, sandbox: Sandbox) -> dict[str, bytes]:
    """The compiled modules by their path below `BYTECODE`; none if that does not work, or is not worth it."""
    names, kit = _modules(tests), _compiled_kit(tests)
    worth = sum((tests / name).stat().st_size for name in names if not (kit and name == KIT))
    if worth < _SMALLEST:
        return {}
    command = ("python3", "-I", "-S", "-c", _COMPILE, _COLLECT, *names)
    job = SandboxJob(command, tests, {}, "/workspace", Limits(wall_time_sec=30), _COLLECT)
    try:
        outcome = sandbox.run(job)
    except SandboxError:
        return {}
    expected = {f"{name}c" for name in names}
    return {
        name: artifact.data
        for name, artifact in outcome.artifacts.items()
        if artifact.data is not None and _NAME.fullmatch(name) and name.partition("/")[2] in expected
    }


def _modules(tests: Path) -> list[str]:
    found: list[str] = []
    size = 0
    for folder, folders, names in os.walk(tests):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if name.endswith(".py") and not path.is_symlink():
                size += path.stat().st_size
                if size > _MOST_BYTES or len(found) == _MOST_FILES:
                    return found
                found.append(path.relative_to(tests).as_posix())
    return found


def _place(modules: Mapping[str, bytes], folder: Path) -> Path | None:
    """Put compiled modules where sandboxes can be shown them; None without any, or if there is no room."""
    if not modules:
        return None
    try:
        for name, data in modules.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(0o444)
        for place, _, _ in os.walk(folder):
            Path(place).chmod(0o755)
    except OSError:
        return None
    return folder


def _after_fork() -> None:
    """A forked process has frozen copies of its own, and compiled modules beside them."""
    global _guard  # noqa: PLW0603 - its parent may hold the old one
    _guard = threading.Lock()
    _uses.clear()
    _made.clear()


os.register_at_fork(after_in_child=_after_fork)
