"""What a verifier may use, from `[verifier]` and `[environment]`; the rest has adjudge's defaults.

And whose fault a time-out is. A verifier that starts the agent's program cannot end before that does: if the
program never ends, the agent is to blame; if a calculation over a table never ends, the verifier is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from adjudge._lazy import late_pattern
from adjudge.contracts import Limits
from adjudge.tasks.settings import Settings

_SIZE = late_pattern(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[KMGT]?)(?:IB?|B)?", re.IGNORECASE)
_MEGABYTES = {"": 1 / (1 << 20), "K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}
_ENDINGS = (
    ".py .sh .bash .js .mjs .cjs .ts .c .cc .cpp .cxx .rs .go .java .kt .rb .pl .php .lua .r .jl .ipynb .hs"
    " .ml .swift .scala .cs .sql .asm .s .exe .out .wasm .f90 .zig"
)
_CODE = frozenset(_ENDINGS.split())


def read_limits(settings: Settings) -> Limits:
    """The limits of one task. A verifier with an environment of its own has that one's."""
    chosen: dict[str, Any] = {
        "wall_time_sec": _as_float(settings.positive("verifier", "timeout_sec")),
        "memory_mb": _megabytes(settings, "memory"),
        "disk_mb": _megabytes(settings, "storage"),
        "output_mb": _as_int(settings.positive("output", "max_mb")),
    }
    return Limits(**{name: value for name, value in chosen.items() if value is not None})


def read_runs_output(settings: Settings, output_path: str, starts_folder: Callable[[], bool]) -> bool:
    """What `task.toml` says; without a word, True for an output whose name says that it is a program.

    `starts_folder` says of an answer that is a folder whether the verifier starts something in it.
    """
    if "runs_output" in settings.section("verifier"):
        return settings.flag("verifier", "runs_output")
    return PurePosixPath(output_path).suffix.lower() in _CODE or starts_folder()


def read_writable_tests(settings: Settings) -> bool | None:
    """What `task.toml` says; None without a word."""
    if "writable_tests" not in settings.section("verifier"):
        return None
    return settings.flag("verifier", "writable_tests")


def _megabytes(settings: Settings, what: str) -> int | None:
    """`memory_mb = 2048`, else `memory = "2G"`; the first wins if both are given, as in Harbor."""
    for section in ("verifier.environment", "environment"):
        number = settings.positive(section, f"{what}_mb")
        if number is not None:
            return _as_int(number)
        size = settings.section(section).get(what)
        if size is not None:
            return _parse_size(settings, section, what, size)
    return None


def _parse_size(settings: Settings, section: str, key: str, size: object) -> int:
    match = _SIZE.fullmatch(size.strip()) if isinstance(size, str) else None
    megabytes = float(match["number"]) * _MEGABYTES[match["unit"].upper()] if match else 0
    if not 0 < megabytes < 1e15:
        raise settings.bad(section, key, size, 'a size above 0 such as "512M", "2G" or "2GiB"')
    return math.ceil(megabytes)


def _as_float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _as_int(value: float | None) -> int | None:
    return None if value is None else math.ceil(value)
