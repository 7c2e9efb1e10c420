"""What a warm server is told when it starts: mounts, limits and filter of each trial, and what to preload.

All of it is known before any output is seen, and is the same for every trial of the server. It becomes text
that is added to the `encodings` of the server's Python, behind the import rule: a hook that waits until the
interpreter has started, and then hands over to `inside.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from adjudge.errors import SandboxError
from adjudge.sandbox.backends.bubblewrap import process_limit, shared_memory_size
from adjudge.sandbox.backends.seccomp import filter_program
from adjudge.sandbox.files.import_order import DELETE_RULE, KEEP_ORDER, USE_BYTECODE
from adjudge.sandbox.files.layout import Mount, masked_in_proc
from adjudge.sandbox.job import SandboxJob
from adjudge.sandbox.warm.preload import KEEP_NOTHING, looks_at_its_end, modules_named, uses_the_kit
from adjudge.sandbox.warm.script import PythonStart

TRIAL_ROOT = "/.adjudge-trial"
"""In the server's sandbox: the empty folder over which each trial mounts its own root."""
COLD = "/.adjudge-cold"
"""In the server's sandbox: what its trials are shown, at the same paths below. `encodings` is there as in a
cold run, so no file that a trial can read differs from one of a cold run's."""
_CLONE = {"x86_64": 56, "aarch64": 220}
_NEW_MOUNTS, _NEW_CGROUP, _NEW_UTS, _NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_NAMESPACES = _NEW_MOUNTS | _NEW_CGROUP | _NEW_UTS | _NEW_IPC | _NEW_USER | _NEW_PIDS | _NEW_NETWORK
_INSIDE, _ENDING = (Path(__file__).with_name(name) for name in ("inside.py", "ending.py"))
_HOOK = """

def _serve_trials(scripts, channel, plan, read_folders, program, ending):
    import sys

    def hook(path):
        if path in scripts:
            sys.path_hooks.remove(hook)
            begin = run(ending)["arrange"]() if plan["freeze"] else None
            preload()
            modules, folders = set(sys.modules), set(sys.path_importer_cache)
            names = run(program)
            if begin:  # else Python looks through all of it when a trial ends, and copies it by that
                import gc

                gc.collect()
                gc.freeze()
            names["serve"](channel, plan, read_folders)
            forget(modules)
            for name in set(sys.path_importer_cache) - folders:
                del sys.path_importer_cache[name]
            if begin:
                begin()
        raise ImportError("this is no folder")

    def run(text):
        modules, names = set(sys.modules), {"__name__": "adjudge_warm"}
        exec(compile(text, "adjudge_warm", "exec", dont_inherit=True), names)
        forget(modules)
        return names

    def forget(modules):
        for name in set(sys.modules) - modules:
            del sys.modules[name]

    def preload():
        for name in plan["preload"]:
            try:
                __import__(name)
            except ImportError:
                pass
        if plan["kit"] and not sys.flags.isolated and not getattr(sys.flags, "safe_path", False):
            sys.path.insert(0, "/tests")
            try:
                __import__("adjudge_kit")
            finally:
                del sys.path[0]
                sys.path_importer_cache.pop("/tests", None)

    sys.path_hooks.append(hook)


"""


def server_text(job: SandboxJob, start: PythonStart, mounts: Iterable[Mount], *, channel: int) -> bytes:
    """What the server's `encodings` ends with, in place of the calls that end a cold run's."""
    plan = _plan(job, start, mounts)
    told = (start.told, f"{start.folder}/{start.told}")  # Python makes a path whole since 3.9
    program, ending = _INSIDE.read_text("utf-8"), _ENDING.read_text("utf-8")
    return (
        f"{_HOOK}_read = {KEEP_ORDER}\n{USE_BYTECODE}\n"
        f"if _read is not None:\n"
        f"    _serve_trials({told!r}, {channel}, {plan!r}, _read, {program!r}, {ending!r})\n"
        f"{DELETE_RULE}, _read, _serve_trials\n"
    ).encode()


def _plan(job: SandboxJob, start: PythonStart, mounts: Iterable[Mount]) -> Mapping[str, Any]:
    machine = os.uname().machine
    refused = filter_program()
    if refused is None or machine not in _CLONE:
        raise SandboxError("this machine's system calls are not known", found=machine)
    folders, files = masked_in_proc()
    names = modules_named(job.tests, start.path.removeprefix("/tests/"))
    return {
        "root": os.fsencode(TRIAL_ROOT),
        "places": _places(mounts),
        "masked folders": [_relative(path) for path in folders],
        "masked files": [_relative(path) for path in files],
        "shared memory": b"mode=0755,size=%d" % shared_memory_size(job.limits),
        "uid": job.uid,
        "processes": process_limit(job.limits),
        "filter": refused,
        "clone": _CLONE[machine],
        "namespaces": _NAMESPACES,
        "preload": [name for name in names if name in KEEP_NOTHING],
        "kit": uses_the_kit(job.tests),
        "freeze": "gc" not in names and not looks_at_its_end(job.tests),
    }


def shown_to_trials(mounts: Iterable[Mount]) -> list[Mount]:
    """The same once more, from where trials take it."""
    return [Mount(f"{COLD}{mount.target}", source=mount.source) for mount in mounts if mount.link is None]


def _places(mounts: Iterable[Mount]) -> list[tuple[str, bytes, bytes | None]]:
    """What is made in the new root, in order. Raises SandboxError for a place inside of another."""
    bound = {"/dev"}
    places: dict[str, tuple[str, bytes, bytes | None]] = {}

    def above(target: str, kind: str) -> None:
        for parent in reversed(Path(target).parents[:-1] if target.count("/") > 1 else ()):
            if str(parent) in bound:
                raise SandboxError("a folder is shown inside of another", found=target)
            places.setdefault(str(parent), (kind, _relative(str(parent)), None))

    for mount in mounts:
        above(mount.target, "folder" if mount.link is None else "private folder")  # bubblewrap's way
        if mount.link is not None:
            places[mount.target] = ("link", _relative(mount.target), os.fsencode(mount.link))
            continue
        assert mount.source is not None  # noqa: S101 - it is a link or has a source
        kind = "folder" if mount.source.is_dir() else "file"
        places[mount.target] = (kind, _relative(mount.target), os.fsencode(f"{COLD}{mount.target}"))
        bound.add(mount.target)
    places["/proc"] = ("folder", b"proc", None)
    places["/dev"] = ("folder", b"dev", b"/dev")
    return list(places.values())


def _relative(path: str) -> bytes:
    return os.fsencode(path.lstrip("/"))
