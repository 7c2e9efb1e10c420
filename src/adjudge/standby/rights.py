"""What a process may do and what it sees, as the system says of it: each of the two looks at the other.

The resident process looks at the client so that no command leaves a sandbox through it. The client looks at
the resident process so that nobody in a sandbox, where the same user's folder may be seen, takes a command,
its variables and its folder for himself. Reading this of another process needs the right to trace it, which
Landlock gives to nobody inside of it for anybody outside of it.

It imports only what a short start can afford.
"""

from __future__ import annotations

import fcntl
import os

_FILTERS = ("Seccomp", "Seccomp_filters")
_OF_STATUS = frozenset(
    {
        *("Uid", "Gid", "Groups", "TracerPid", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"),
        *("NoNewPrivs", *_FILTERS, "Speculation_Store_Bypass", "SpeculationIndirectBranch"),
        *("Cpus_allowed", "Mems_allowed", "THP_enabled"),
    }
)


def rights_of(process: int) -> dict[str, object]:
    """Its user, rights, namespaces, root. OSError if it ends meanwhile or may not be looked at."""
    at = f"/proc/{process}"
    root = os.stat(f"{at}/root/")  # noqa: PTH116 - through the link, into its root; no pathlib here
    found: dict[str, object] = {n: text for n, text in status_of(process).items() if n in _OF_STATUS}
    found |= {f"ns/{name}": os.readlink(f"{at}/ns/{name}") for name in os.listdir(f"{at}/ns")}  # noqa: PTH115, PTH208
    unlike_all = process if has_own_filter(process) else None
    return found | {"root": (root.st_dev, root.st_ino), "a filter of its own": unlike_all}


def proof_for(process: int) -> int:
    """A descriptor that only who may trace that process can open. OSError for anybody else."""
    return os.open(_proven(process), os.O_RDONLY | os.O_CLOEXEC)


def is_proof(descriptor: int, process: int) -> bool:
    """Did whoever opened this have the right to trace that process? OSError if it has ended."""
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_PATH:  # nobody was asked for a right
        return False
    return os.path.samestat(os.fstat(descriptor), os.stat(_proven(process)))  # noqa: PTH116


def _proven(process: int) -> str:
    """Of what only a tracer may open, this alone is asked neither of Yama nor of root's other rights."""
    return f"/proc/{process}/fdinfo/0"


def status_of(process: int) -> dict[str, str]:
    """`/proc/PID/status` by its names."""
    with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return {name: text.strip() for name, _, text in (line.partition(":") for line in file)}


def has_own_filter(process: int) -> bool:
    """Are fewer system calls open to it than to others? `/proc` tells how many filters it has, but not which.

    Those of the first process are everybody's, as in a container; any more make a process unlike all others.
    """
    own = status_of(process)
    if own.get("Seccomp", "0") == "0":
        return False
    try:
        first = status_of(1)
    except OSError:  # hidden from ordinary users, as some systems do
        return True
    return any(own.get(name) != first.get(name) for name in _FILTERS)
