"""An order that the task leaves open within each group, and a setting that it gives; sound ones last."""

from __future__ import annotations

import json

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_GROUPS = [["m1", "m3", "m4"], ["m2", "m6"]]
_ASKED = """Motors on one breaker are a group: m1, m3 and m4 hang on Q1, m2 and m6 on Q2, m5 alone on Q3.
Write `/workspace/groups.json`, a list of groups of two or more, each a list of motors. Neither the order of
the groups nor the order of the motors in a group matters.
"""
_CHECK = f"""
        wanted = {_GROUPS!r}
        try:
            given = json.loads(body("/workspace/groups.json"))
        except (ValueError, RecursionError):
            given = None
        plain = isinstance(given, list) and all(
            isinstance(group, list) and all(isinstance(motor, str) for motor in group) for group in given
        )
        out(float(plain and TEST))
"""
_UNIT = """Write the settings of the dosing pump to `/workspace/pump.toml`: `address` is "10.0.4.17", `mode`
is "duty", and it tries again 45 seconds after a failure (`retry_sec`), at 1450 revolutions (`speed_rpm`).
"""
_UNIT_RIGHT = 'address = "10.0.4.17"\nmode = "duty"\nretry_sec = 45\nspeed_rpm = 1450\n'
_UNIT_CHECK = """
        import tomllib
        try:
            given = tomllib.loads(body("/workspace/pump.toml"))
        except (ValueError, RecursionError):
            given = {}
        def whole(key, number):
            return type(given.get(key)) is int and given[key] == number
        fit = given.get("address") == "10.0.4.17" and given.get("mode") == "duty" and whole("speed_rpm", 1450)
        out(float(fit and TEST))
"""


def _groups(name: str, test: str, **expected: object) -> Exhibit:
    check = _CHECK.replace("TEST", test)
    return other(name, _ASKED, ("groups.json", json.dumps(_GROUPS)), python=check, **expected)  # type: ignore[arg-type] # passed on


def _pump(name: str, test: str, **expected: object) -> Exhibit:
    check = _UNIT_CHECK.replace("TEST", test)
    return other(name, _UNIT, ("pump.toml", _UNIT_RIGHT), python=check, **expected)  # type: ignore[arg-type] # passed on


NOT_AS_ALLOWED = [
    _groups(
        "groups-in-any-order-and-no-more",
        "sorted(given) == sorted(wanted)",
        section=Section.FORMAT,
        cause=Cause.ORDER,
        severity=Severity.MEDIUM,
    ),
    _pump(
        "a-setting-that-nobody-reads",
        "True",
        section=Section.DISCRIMINATION,
        cause=Cause.UNSCORED,
        severity=Severity.MEDIUM,
    ),
]
AS_ALLOWED = [
    _groups("groups-and-motors-in-any-order", "sorted(map(sorted, given)) == sorted(wanted)"),
    _pump("all-settings-that-are-told", 'whole("retry_sec", 45)'),
]
