"""The variables a task gives its verifier, from `[environment.env]` and `[verifier.env]`; the second wins.

Nothing of this machine's environment enters: a result must not depend on who scored it. If a value asks
for a variable of the host, as Harbor's may, its default is taken (`${TOLERANCE:-0.02}` is 0.02), and one
without a default (`${API_KEY}`) leaves the variable unset.
"""

from __future__ import annotations

from adjudge._lazy import late_pattern
from adjudge.tasks.settings import Settings

_NAME = late_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_FROM_HOST = late_pattern(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-(?P<default>[^}]*))?\}")


def read_environment(settings: Settings) -> dict[str, str]:
    """The variables by name; empty if none are given. Numbers are taken as they are written."""
    variables: dict[str, str] = {}
    for section in ("environment.env", "verifier.env"):
        for name, value in settings.section(section).items():
            if not _NAME.fullmatch(name):
                raise settings.bad(section, name, name, "a name of letters, digits and underscores")
            if isinstance(value, bool) or not isinstance(value, str | int | float) or "\0" in str(value):
                raise settings.bad(section, name, value, "text without a zero byte")
            if (text := _without_host(str(value))) is not None:
                variables[name] = text
    return variables


def _without_host(value: str) -> str | None:
    asked = list(_FROM_HOST.finditer(value))
    if any(match["default"] is None for match in asked):
        return None
    return _FROM_HOST.sub(lambda match: match["default"], value)
