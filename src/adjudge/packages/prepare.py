"""Fetch a set of packages once and keep it: a locked, read-only folder that verifiers are shown.

pip fetches, from the index that the user's pip is configured for, and only wheels (`pip download
--only-binary :all:`), so that no code of a package runs; `wheels` unpacks them. A set is named by the
digest of its wheels, which is its lock; a request (requirements and Python version) is remembered with the
set it came to, so that the next run needs no network and gets the same.

The folder must be readable for the sandbox's user. For an ordinary user the cache folder is; root's own may
not be, and then `/var/cache/adjudge` is used.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from msgspec import Struct

from adjudge._spawn import public_environment
from adjudge.errors import MachineryError, UsageError
from adjudge.packages.named import is_requirement, name_of
from adjudge.packages.wheels import unpack_wheel, write_starters
from adjudge.sandbox import reachable

_VERSION = 2
_TIMEOUT_SEC = 600.0
_INDEX = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONFIG_FILE")
_NO_PIP = "Install pip for this Python: python -m ensurepip"


class PackageSet(Struct, frozen=True):
    """A prepared set: its folder, and the wheels in it by name and digest."""

    folder: Path
    requirements: tuple[str, ...]
    lock: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        return self.folder.name

    def names(self) -> tuple[str, ...]:
        """The wheels, as `pytest-8.4.1`."""
        return tuple("-".join(wheel.split("-")[:2]) for wheel, _ in self.lock)


def prepare_packages(requirements: tuple[str, ...], python: str) -> PackageSet:
    """The set for these requirements and this Python version (`3.11`); fetched if it is not there yet.

    Raises `UsageError` for what is no requirement, and `MachineryError` with pip's words if it cannot be had.
    """
    for item in requirements:
        if not is_requirement(item):
            raise UsageError(
                "not a package", found=item, allowed="a name, perhaps with a version: pytest==8.4.1"
            )
    wanted = tuple(sorted(set(requirements)))
    return known_packages(wanted, python) or _fetch(wanted, python)


def prepare_most(
    requirements: tuple[str, ...], python: str, needed: tuple[str, ...]
) -> tuple[PackageSet, tuple[str, ...]]:
    """As `prepare_packages`, without what no index has as a wheel; what was left out stands beside the set.

    A package that pip names is left out alone, as one that is missing or as one that asks for it. If pip
    names none of those asked for (two do not go together), only the `needed` ones are tried.
    """
    wanted = tuple(sorted(set(requirements)))
    while True:
        try:
            return prepare_packages(wanted, python), tuple(sorted({*requirements} - {*wanted}))
        except MachineryError as error:
            said = "\n".join(getattr(error, "__notes__", ()))
            asking = {name_of(name) for name in re.findall(r"\(from ([\w.-]+)", said)}
            fewer = tuple(
                item
                for item in wanted
                if not re.search(rf"for {re.escape(item)}(?![\w.])", said) and name_of(item) not in asking
            )
            if fewer == wanted:
                fewer = tuple(item for item in wanted if item in needed)
            if not fewer or fewer == wanted:
                raise
            wanted = fewer


def known_packages(requirements: tuple[str, ...], python: str) -> PackageSet | None:
    """The set that was prepared before; None if there is none."""
    wanted = tuple(sorted(set(requirements)))
    home = packages_home()
    try:
        note = json.loads((home / "requests" / f"{_request(wanted, python)}.json").read_bytes())
        folder = home / "sets" / str(note["set"])
        lock = tuple((str(name), str(digest)) for name, digest in note["lock"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    complete = (folder / "complete").is_file() and _digest(lock) == folder.name
    return PackageSet(folder, wanted, lock) if complete else None


def packages_home() -> Path:
    """Where sets are kept."""
    given = os.environ.get("XDG_CACHE_HOME")
    home = (Path(given) if given else Path.home() / ".cache") / "adjudge"
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        if reachable(home):
            return home / "packages"
    return Path("/var/cache/adjudge/packages")


def _fetch(wanted: tuple[str, ...], python: str) -> PackageSet:
    home = packages_home()
    try:
        for part in (home / "sets", home / "requests"):
            part.mkdir(parents=True, exist_ok=True, mode=0o755)
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=home) as place:
            Path(place).chmod(0o755)
            wheels = _download(wanted, python, Path(place) / "wheels")
            lock = tuple((wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()) for wheel in wheels)
            target = home / "sets" / _digest(lock)
            if not (target / "complete").is_file():
                made = Path(place) / "set"
                (made / "site").mkdir(parents=True)
                for wheel in wheels:
                    unpack_wheel(wheel, made)
                write_starters(made)
                (made / "complete").write_text("\n".join(name for name, _ in lock))
                _close(made)
                _put(made, target)
            note = home / "requests" / f"{_request(wanted, python)}.json"
            fresh = Path(place) / "note.json"
            fresh.write_text(json.dumps({"requirements": wanted, "set": target.name, "lock": lock}))
            fresh.chmod(0o644)
            fresh.replace(note)
    except OSError as error:
        raise MachineryError("packages cannot be kept", file=home, found=str(error)) from error
    return PackageSet(target, wanted, lock)


def _put(made: Path, target: Path) -> None:
    """Give a set its place, one process at a time: what another has put there meanwhile is in use already."""
    held = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (target / "complete").is_file():
            shutil.rmtree(target, ignore_errors=True)
            made.rename(target)
    finally:
        os.close(held)


def _download(wanted: tuple[str, ...], python: str, folder: Path) -> list[Path]:
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"),
        *("--only-binary", ":all:", "--python-version", python, "--dest", str(folder), "--", *wanted),
    ]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SEC,
            check=False,
            env=public_environment(),
        )
    except subprocess.TimeoutExpired:
        raise MachineryError("pip did not end in time", found=" ".join(wanted)) from None
    if done.returncode != 0:
        said = [
            row for row in done.stderr.splitlines() if row.startswith("ERROR")
        ] or done.stderr.splitlines()
        remedy = (
            _NO_PIP if "No module named pip" in done.stderr else "Only wheels are taken: no code may run."
        )
        error = MachineryError(
            f"the packages {', '.join(wanted)} for Python {python} cannot be had",
            found=said[-1] if said else f"exit code {done.returncode}",
            remedy=remedy,
        )
        error.add_note("\n".join(said))  # the message shows its beginning
        raise error
    return sorted(folder.glob("*.whl"))


def _request(wanted: tuple[str, ...], python: str) -> str:
    index = [os.environ.get(name) for name in _INDEX]  # another index may have other packages by that name
    return hashlib.sha256(json.dumps([_VERSION, python, index, *wanted]).encode()).hexdigest()


def _digest(lock: tuple[tuple[str, str], ...]) -> str:
    return hashlib.sha256(json.dumps([_VERSION, sorted(lock)]).encode()).hexdigest()[:32]


def _close(folder: Path) -> None:
    """Readable for everybody and writable for nobody."""
    for path in (folder, *folder.rglob("*")):
        executable = path.is_dir() or path.parent.name == "bin"
        path.chmod(0o755 if path.is_dir() else 0o555 if executable else 0o444)
