"""Why a kernel refuses to make a sandbox, and what lifts that; settings are read, never changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

_SETTINGS: tuple[tuple[str, Callable[[int], bool], str], ...] = (
    (
        "/proc/sys/user/max_user_namespaces",
        lambda value: value == 0,
        "User namespaces are switched off (user.max_user_namespaces is 0): "
        "sudo sysctl -w user.max_user_namespaces=15000",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        lambda value: value == 0,
        "User namespaces are only for root (kernel.unprivileged_userns_clone is 0): "
        "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        lambda value: value != 0,
        "AppArmor allows user namespaces to known programs only: install the distribution's own bubblewrap "
        "with its AppArmor profile (apt install bubblewrap apparmor-profiles), or "
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def namespace_obstacles(root: Path = Path("/")) -> list[str]:
    """Every setting found in the way, each with its remedy; empty if none is known."""
    found = []
    for path, blocks, remedy in _SETTINGS:
        value = _number(root / path.lstrip("/"))
        if value is not None and blocks(value):
            found.append(remedy)
    if (root / ".dockerenv").exists() or (root / "run/.containerenv").exists():
        found.append(
            "This is inside a container, whose engine may forbid namespaces or hide parts of /proc: start it "
            "with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined, or run adjudge on the host."
        )
    return found


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
