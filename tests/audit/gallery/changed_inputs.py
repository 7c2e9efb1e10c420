"""Texts that are an input with something changed, of which only the change is looked for; sound ones last."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_LOG = """07:10 shift A, operator Lena Brandt, reports that pump P-3 hums at 50 Hz
07:40 Lena Brandt asks the workshop for a look at the coupling
09:05 fitter Omar Haddad tightens two of the four bolts, torque 45 Nm
09:20 P-3 runs quietly, the seal stays under watch until Friday
14:00 shift B, operator Jo Petit, takes over without remarks
"""
_NAMES = ("Lena Brandt", "Omar Haddad", "Jo Petit")
_REDACTED = (
    _LOG.replace("Lena Brandt", "[NAME]").replace("Omar Haddad", "[NAME]").replace("Jo Petit", "[NAME]")
)
_ASKED = """`/workspace/shift.txt` is the log of a shift. Replace the first and last name of each person in
it by `[NAME]` and write the log to `/workspace/public.txt`. Everything else stays as it is: the workshop
plans by it.
"""
_LOOK = f"""
        text = body("/workspace/public.txt").replace("\\r\\n", "\\n").strip()
        gone = not any(part in text for name in {_NAMES!r} for part in name.split())
        log = {_LOG!r}
        for name in {_NAMES!r}:
            log = log.replace(name, "[NAME]")
"""
_SETTINGS = """# boiler house, unit 2
unit = 2
setpoint_c = 78
pump = primary
alarm_c = 95
log = on
"""
_SET = """In the settings of `/workspace/unit.txt` the setpoint becomes 72 degrees and the alarm 88. Write the
new file to `/workspace/new.txt`. Leave the other lines as they are.
"""


def _redacted(name: str, tail: str, **expected: object) -> Exhibit:
    files = {"environment/shift.txt": _LOG}
    return other(name, _ASKED, ("public.txt", _REDACTED), python=_LOOK + tail, files=files, **expected)  # type: ignore[arg-type] # passed on


def _set(name: str, test: str, **expected: object) -> Exhibit:
    right = _SETTINGS.replace("78", "72").replace("95", "88")
    check = f"""
        lines = [line.strip() for line in body("/workspace/new.txt").splitlines() if line.strip()]
        wanted = {[line for line in right.splitlines() if line]!r}
        out(float({test}))
"""
    files = {"environment/unit.txt": _SETTINGS}
    return other(name, _SET, ("new.txt", right), python=check, files=files, **expected)  # type: ignore[arg-type] # passed on


CHANGED_INPUTS = [
    _redacted(
        "names-gone-and-marks-counted",
        '        out(float(gone and text.count("[NAME]") == 4))\n',
        section=Section.DISCRIMINATION,
        cause=Cause.EMPTY,
        severity=Severity.HIGH,
    ),
    _set(
        "two-settings-and-no-others",
        'all(lines.count(line) == 1 for line in wanted if "72" in line or "88" in line)',
        section=Section.DISCRIMINATION,
        cause=Cause.EMPTY,
        severity=Severity.HIGH,
    ),
]
REST_COMPARED = [
    _redacted(
        "names-gone-and-the-rest-compared", "        out(float(gone and text.split() == log.split()))\n"
    ),
    _set("all-settings-compared", "lines == wanted"),
]
