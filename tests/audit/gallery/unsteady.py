"""Verifiers whose reward depends on something other than the output."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import ANSWER, PLAIN, Exhibit, markdown

_HERE = Section.DETERMINISM
_NOTE = "Geprüft für Öl, Wärme und Dämmung: größer als nötig."
_LENGTH = len(markdown(ANSWER, _NOTE))


def _halved_if(condition: str, imports: str = "") -> str:
    """A verifier that halves the reward under a condition."""
    return f"""
{imports}
answer = read()
scores = {{name: float(right(answer.get(name), ref)) for name, ref in REF.items()}}
if {condition}:
    scores["style"] = 0.0
write(scores)
"""


UNSTEADY = [
    Exhibit(
        "a-wider-tolerance-at-weekends",
        """
        import datetime
        answer = read()
        rel = 0.02 if datetime.date.today().weekday() < 5 else 0.12
        write({name: float(near(answer.get(name), ref, rel)) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.CLOCK,
        answer={"flow_ls": 14.37, "loss_kpa": 6.52, "power_kw": 3.08},
        skeleton={"flow_ls": 0.0, "loss_kpa": 0.0, "power_kw": 0.0},
    ),
    Exhibit(
        "random-sample",
        _halved_if("random.random() < 0.5", "import random"),
        _HERE,
        Cause.RANDOM,
    ),
    Exhibit(
        "order-of-a-set",
        """
        answer = read()
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        scores["first"] = list({"flow", "loss", "status", "p", "q", "r", "s"}).index("flow") / 10
        write(scores)
        """,
        _HERE,
        Cause.ENVIRONMENT,
    ),
    Exhibit("year", _halved_if("datetime.date.today().year > 2031", "import datetime"), _HERE, Cause.CLOCK),
    Exhibit(
        "hour",
        _halved_if("time.localtime().tm_gmtoff != 0", "import time"),
        _HERE,
        Cause.ENVIRONMENT,
        Severity.MEDIUM,
    ),
    Exhibit(
        "relative-path",
        'OUT = "output.md"\n' + PLAIN,
        _HERE,
        Cause.ENVIRONMENT,
        Severity.MEDIUM,
    ),
    Exhibit("user", _halved_if("os.getuid() != 1000"), _HERE, Cause.ENVIRONMENT, Severity.MEDIUM),
    Exhibit("cores", _halved_if("len(os.sched_getaffinity(0)) < 2"), _HERE, Cause.ENVIRONMENT),
    Exhibit(
        "characters-counted-by-the-shell",
        _halved_if(f"int(os.environ['LENGTH']) > {_LENGTH}"),
        _HERE,
        Cause.ENVIRONMENT,
        Severity.MEDIUM,
        note=_NOTE,
        test_sh="export LENGTH=$(wc -m < /workspace/output.md)\nexec python3 /tests/verify.py\n",
    ),
    Exhibit(
        "counts-files",
        _halved_if("len(os.listdir('/workspace')) > 1"),
        _HERE,
        Cause.ENVIRONMENT,
        Severity.MEDIUM,
    ),
    Exhibit(
        "time-in-the-details",
        """
        import time
        answer = read()
        write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
        with open(LOGS + "/details.json", "w") as file:
            json.dump({"checked_at": time.time_ns()}, file)
        """,
        _HERE,
        Cause.RANDOM,
        Severity.LOW,
    ),
]
