"""Sound verifiers that look flawed to a probe, each beside the flaw that it looks like."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_MEDIUM = Severity.MEDIUM

_BOOKED = (
    "Book a visit and write one line to `/workspace/booked.txt`: the word BOOKED, the host's address and the "
    "start, as in `BOOKED jo.berg@lab.example 20260309T080000Z`. Only the first such line counts."
)
_LINE = "BOOKED anna.kern@lab.example 20260312T093000Z\n"

_PAIRS = "Match the slips with the receipts, `/workspace/pairs.csv` with the columns slip and receipt."
_PAIRED = "slip,receipt\nS1,R4\nS2,R7\nS3,R2\n"
_MATCH = """
        [ -s /tests/key.csv ] || {missing}
        given=/dev/null
        pairs=/workspace/pairs.csv
        [ -f $pairs ] && [ ! -L $pairs ] && [ -r $pairs ] && given=$pairs
        LC_ALL=C awk '
            {{ gsub(/[ "\\r]/, ""); sub(/^\\357\\273\\277/, "") }}
            FILENAME == "/tests/key.csv" {{ want[$0] = 1; all++; next }}
            $0 == "" {{ next }}
            ($0 in want) && !($0 in seen) {{ seen[$0] = 1; right++; next }}
            {{ other++ }}
            END {{ print (right == all && !other) ? 1 : 0 > "/logs/verifier/reward.txt" }}
        ' /tests/key.csv "$given"
"""
_KEY = {"tests/key.csv": _PAIRED}
_NAME = "Write the name of the pump that failed to `/workspace/pump.txt`, and nothing else. It is in the log."
_PIPED = """
        if {start} /tests/check.py 2>&1 | tee /logs/verifier/check.log; then
          echo 1 > /logs/verifier/reward.txt
        else
          {broken}
          echo 0 > /logs/verifier/reward.txt
        fi
"""
_UNKNOWN = """
        import hashlib
        name = body("/workspace/pump.txt").strip()
        digest = hashlib.sha256(("salt:" + name).encode()).hexdigest()
        print("checked")
        sys.exit(0 if digest.startswith("5f0c8a21b9e7") else 1)
"""


def _nameless(name: str, script: str, *, told: bool) -> Exhibit:
    """A task without any right answer, as its verifier knows only a digest."""
    section, cause = (Section.HONESTY, Cause.HIDES_FAILURE) if told else (None, None)
    made = other(name, _NAME, ("pump.txt", ""), python=_UNKNOWN, script=script, severity=_MEDIUM)
    files = {path: text for path, text in made.files.items() if not path.startswith("goldens/")}
    return Exhibit(name, "", section, cause, _MEDIUM, golden=False, files=files)


TOLD_APART_FLAWED = [
    other(
        "key-of-rows-may-be-missing",
        _PAIRS,
        ("pairs.csv", _PAIRED),
        script=_MATCH.format(missing="{ echo 0 > /logs/verifier/reward.txt; exit 0; }"),
        section=Section.HONESTY,
        cause=Cause.HIDES_FAILURE,
        severity=_MEDIUM,
        files=_KEY,
    ),
    other(
        "corrupt-key-is-caught",
        _PAIRS,
        ("pairs.csv", _PAIRED),
        python="""
        want = open("/tests/key.csv", "rb").read()
        try:
            out(float(body("/workspace/pairs.csv").split() == want.decode().split()))
        except UnicodeDecodeError:
            out(0.0)
        """,
        section=Section.HONESTY,
        cause=Cause.HIDES_FAILURE,
        severity=_MEDIUM,
        files=_KEY,
    ),
    _nameless(
        "zero-whether-it-started-or-not",
        "set -o pipefail" + _PIPED.format(start="python3 -I", broken="true"),
        told=True,
    ),
    other(
        "any-line-that-is-booked",
        _BOOKED.replace(" Only the first such line counts.", ""),
        ("booked.txt", _LINE),
        script="""
        reward=0
        grep -q "^BOOKED anna.kern@lab.example 20260312T093000Z$" /workspace/booked.txt && reward=1
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
        severity=_MEDIUM,
    ),
]
TOLD_APART_SOUND = [
    other(
        "key-of-rows-must-be-there",
        _PAIRS,
        ("pairs.csv", _PAIRED),
        script=_MATCH.format(missing="exit 3"),
        files=_KEY,
    ),
    _nameless(
        "no-reward-if-it-did-not-start",
        "set -o pipefail"
        + _PIPED.format(start="python3 -I", broken="grep -q ^checked /logs/verifier/check.log || exit 3"),
        told=False,
    ),
    other(
        "first-line-that-is-booked",
        _BOOKED,
        ("booked.txt", _LINE),
        python="""
        lines = [line.strip() for line in body("/workspace/booked.txt").splitlines()]
        booked = [line for line in lines if line.startswith("BOOKED ")][:1]
        out(float(booked == ["BOOKED anna.kern@lab.example 20260312T093000Z"]))
        """,
    ),
    other(
        "first-line-and-the-example-is-right",
        _BOOKED.replace("jo.berg@lab.example 20260309T080000Z", _LINE.strip().partition(" ")[2]),
        ("booked.txt", _LINE),
        python="""
        lines = [line.strip() for line in body("/workspace/booked.txt").splitlines()]
        booked = [line for line in lines if line.startswith("BOOKED ")][:1]
        out(float(booked == ["BOOKED anna.kern@lab.example 20260312T093000Z"]))
        """,
    ),
]
