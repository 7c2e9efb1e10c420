"""The folders inside a sandbox, and whose they are."""

from __future__ import annotations

HOSTNAME = "adjudge"
TESTS = "/tests"
HOME = "/run/verifier"
"""The verifier's own and private. No answer can lie there: `/run` is no folder for outputs."""
WRITABLE = ("/logs", "/tmp", "/var/tmp", "/run", HOME)  # noqa: S108 - paths inside the sandbox
"""Where a verifier may always write, beside its workspace."""
SYSTEM_FOLDERS = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin"),
    *("/sys", "/usr", "/opt/adjudge"),
)
"""Nothing of a job is ever placed there."""

PYTHON_FOLDER = "/opt/adjudge/bin"
"""Holds `python`, and `python3` if the host's `/usr` has none; last on the PATH."""


def is_below(path: str, folder: str) -> bool:
    """Is a path the folder itself, or anything in it?"""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
