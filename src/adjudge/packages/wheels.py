"""Unpack wheels into one folder without running anything of them.

A wheel is an archive: its files go to `site/`, and its console scripts become small starters in `bin/`. No
installer, no build and no `.pth` file takes part: nothing of a package runs on this machine. What would lie
outside the folder, or is no plain file, is refused.
"""

from __future__ import annotations

import configparser
import stat
import zipfile
from pathlib import Path, PurePosixPath

from adjudge.errors import MachineryError

_LARGEST = 2 << 30
_STARTER = """#!/usr/bin/env python3
import sys
from {module} import {name}
sys.argv[0] = "{script}"
sys.exit({call}())
"""
"""A file, as pip makes it: `python3 -c` would look for modules in the agent's working folder."""


def unpack_wheel(wheel: Path, folder: Path) -> None:
    """Unpack one wheel below `folder`. Raises `MachineryError` for an archive that cannot be trusted."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _LARGEST:
                raise MachineryError("a wheel unpacks to more than is allowed", file=wheel.name)
            for entry in archive.infolist():
                target = _target(entry.filename)
                if target is not None and not entry.is_dir():
                    _write(archive, entry, folder / target, wheel)
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise MachineryError("a wheel cannot be unpacked", file=wheel.name, found=str(error)) from error


def write_starters(folder: Path) -> None:
    """A program in `bin/` for each console script that the unpacked packages announce."""
    (folder / "bin").mkdir(exist_ok=True)
    for file in sorted((folder / "site").glob("*.dist-info/entry_points.txt")):
        parser = configparser.ConfigParser(delimiters=("=",), interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign] # names keep their case
        try:
            parser.read_string(file.read_text("utf-8"))
        except (configparser.Error, UnicodeDecodeError):
            continue
        scripts = parser["console_scripts"] if parser.has_section("console_scripts") else {}
        for script, value in scripts.items():
            module, _, call = value.partition("[")[0].strip().partition(":")
            plain = script.replace("-", "").replace(".", "").replace("_", "").isalnum()
            if not plain or not all(part.isidentifier() for part in (*module.split("."), *call.split("."))):
                continue
            starter = folder / "bin" / script
            name = call.split(".")[0]
            starter.write_text(_STARTER.format(module=module, name=name, script=script, call=call))
            starter.chmod(0o755)


def _target(name: str) -> PurePosixPath | None:
    """Where an entry goes; None for what is not shown to a verifier."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise MachineryError("a wheel holds a path that leads out of it", found=name)
    if path.parts[0].endswith(".data"):
        if len(path.parts) < 3 or path.parts[1] not in ("purelib", "platlib"):
            return None
        path = PurePosixPath(*path.parts[2:])
    if len(path.parts) == 1 and path.suffix == ".pth":
        return None
    return PurePosixPath("site") / path


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, wheel: Path) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise MachineryError(
            "a wheel holds something that is no plain file", file=wheel.name, found=entry.filename
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(archive.read(entry))
    target.chmod(0o644)
