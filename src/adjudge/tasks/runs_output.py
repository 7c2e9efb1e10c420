"""Does the verifier run what the agent wrote? `[verifier] runs_output`, else by what the output is.

A verifier that starts the agent's program cannot end before it does. Whose fault a time-out is depends on
this: of a program that never ends it is the agent's, of a calculation over a table it is the verifier's.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from adjudge.tasks.settings import Settings

_ENDINGS = (
    ".py .sh .bash .js .mjs .cjs .ts .c .cc .cpp .cxx .rs .go .java .kt .rb .pl .php .lua .r .jl .ipynb .hs"
    " .ml .swift .scala .cs .sql .asm .s .exe .out .wasm .f90 .zig"
)
_CODE = frozenset(_ENDINGS.split())


def read_runs_output(settings: Settings, output_path: str) -> bool:
    """What `task.toml` says; without a word, True for an output whose name says that it is a program."""
    if "runs_output" in settings.section("verifier"):
        return settings.flag("verifier", "runs_output")
    return PurePosixPath(output_path).suffix.lower() in _CODE
