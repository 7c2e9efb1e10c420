"""From signs and a control to a tag: what a reader must know of a reward that a verifier wrote.

    signs, no control or an inconclusive one      suspected
    signs, and the control passed                 suspected, but only for signs that the control did not show
    signs, and the control failed                 the verifier is unfit here: machinery failed
    no signs, and the control failed              suspected
    full marks, and the control failed            what the control shows is no doubt about this answer

The reward stays what the file says. `docs/outcomes.md` has the table for readers.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.contracts import VERIFIER_SUSPECTED, VERIFIER_UNFIT, ErrorTag, mechanical
from adjudge.errors import show
from adjudge.evidence import Lack, Sign, SignKind
from adjudge.scoring.standing import Control, Standing

_MOST_SIGNS = 6


def doubt(signs: Sequence[Sign], control: Control | None, reward: float) -> ErrorTag | None:
    """The tag for a reward that should be read with care; None if there is no reason for one."""
    remaining = remaining_signs(signs, control)
    if control is None or control.standing is not Standing.FAILED or reward >= 1:
        return mechanical(VERIFIER_SUSPECTED, worded(remaining, control)) if remaining else None
    known = {sign.key for sign in remaining}
    together = [*remaining, *(sign for sign in control.signs if sign.key not in known)]
    category = VERIFIER_UNFIT if together else VERIFIER_SUSPECTED
    return mechanical(category, worded(together, control))


def remaining_signs(signs: Sequence[Sign], control: Control | None) -> list[Sign]:
    """Those that a control which passed does not clear: it had the same files and the same sandbox."""
    if control is None or control.standing is not Standing.PASSED:
        return list(signs)
    cleared = {sign.key for sign in control.signs}
    return [
        sign
        for sign in signs
        if sign.key not in cleared
        and sign.kind is not SignKind.STATIC
        and sign.lack is not Lack.NO_TESTS  # tests were run on the right answer, so this one brought none
    ]


def worded(signs: Sequence[Sign], control: Control | None = None) -> str:
    """Each kind of evidence in its own words, on one line."""
    parts = [
        f"{kind}: {', '.join(sign.worded() for sign in chosen[:_MOST_SIGNS])}"
        + (f" and {len(chosen) - _MOST_SIGNS} more" if len(chosen) > _MOST_SIGNS else "")
        for kind in SignKind
        if (chosen := [sign for sign in signs if sign.kind is kind])
    ]
    if control is not None and control.standing is not Standing.NONE:
        parts.append(f"{SignKind.CONTROL}: {control.says}")
    return "; ".join(parts)


def last_line(stderr: bytes) -> str | None:
    """The last line with something in it, quoted and bounded; None if there is none."""
    line = stderr.rstrip().rpartition(b"\n")[2].strip()
    return show(line[:300].decode("utf-8", "replace")) if line else None
