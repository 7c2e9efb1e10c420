"""Verifiers whose flaw lies around the fields: side files, verdicts, the machine, the clock, the text."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import PLAIN, Exhibit

_HERE = Section.DISCRIMINATION


def _with(name: str, condition: str, imports: str = "") -> str:
    """The plain verifier with one more dimension."""
    return f"""
{imports}
answer = read()
scores = {{name: float(right(answer.get(name), ref)) for name, ref in REF.items()}}
scores[{name!r}] = float({condition})
write(scores)
"""


AROUND = [
    Exhibit(
        "reads-its-config-from-the-workspace",
        """
        try:
            weights = json.load(open("/workspace/grading.json"))
        except (OSError, ValueError):
            weights = {}
        answer = read()
        write({"score": max(float(weights.get("score", 0)),
                            float(all(right(answer.get(k), v) for k, v in REF.items())))})
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
    ),
    Exhibit(
        "unpickles-a-side-file",
        """
        import pickle
        try:
            pickle.load(open("/workspace/model.pkl", "rb"))
        except Exception:
            pass
        """
        + PLAIN.replace("\n", "\n        "),
        Section.EXPLOITS,
        Cause.CODE,
    ),
    Exhibit(
        "runs-a-helper-of-the-agent",
        PLAIN,
        Section.EXPLOITS,
        Cause.CODE,
        test_sh="[ -f /workspace/setup.sh ] && . /workspace/setup.sh\nexec python3 /tests/verify.py\n",
    ),
    Exhibit(
        "reads-a-score-from-tmp",
        """
        try:
            before = json.load(open("/tmp/last_score.json"))["score"]
        except (OSError, ValueError, KeyError):
            before = 0.0
        answer = read()
        write({"score": max(before, float(all(right(answer.get(k), v) for k, v in REF.items())))})
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
    ),
    Exhibit(
        "believes-a-verdict",
        """
        answer = read()
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        write({"verdict": 1.0} if "all tests passed" in text().lower() else scores)
        """,
        Section.EXPLOITS,
        Cause.CLAIMED,
    ),
    Exhibit(
        "believes-passed-beside-the-fields",
        """
        answer = read()
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        there = all(name in answer for name in REF)
        write({"passed": 1.0} if there and answer.get("passed") is True else scores)
        """,
        Section.EXPLOITS,
        Cause.CLAIMED,
    ),
    Exhibit(
        "empty-object-passes",
        """
        answer = read()
        wrong = [k for k, v in answer.items() if k in REF and not right(v, REF[k])]
        write({"fields": float(not wrong and text().strip() != "")})
        """,
        Section.TRIVIAL,
        Cause.NOTHING,
    ),
    Exhibit(
        "every-word-listed",
        """
        words = set(re.findall(r"[a-z_]+|[0-9]+", text().lower()))
        write({w: float(w in words) for w in ("compliant", "42", "17")})
        """,
        Section.TRIVIAL,
        Cause.ANYWHERE,
        answer={"status": "compliant", "count": 42, "rest": 17},
    ),
    Exhibit(
        "passes-without-its-reference",
        """
        try:
            ref = json.load(open("/tests/reference.json"))
        except (OSError, ValueError):
            ref = {}
        answer = read()
        scores = {k: float(right(answer.get(k), v)) for k, v in ref.items()}
        write(scores or {"nothing to compare": 1.0})
        """,
        Section.HONESTY,
        Cause.PASSES_BROKEN,
        files={"tests/reference.json": '{"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}'},
    ),
    Exhibit(
        "zero-without-its-reference",
        """
        try:
            ref = json.load(open("/tests/reference.json"))
        except (OSError, ValueError):
            write({"reference": 0.0})
            sys.exit(0)
        answer = read()
        write({k: float(right(answer.get(k), v)) for k, v in ref.items()})
        """,
        Section.HONESTY,
        Cause.HIDES_FAILURE,
        Severity.MEDIUM,
        files={"tests/reference.json": '{"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}'},
    ),
    Exhibit(
        "passes-without-python",
        PLAIN,
        Section.HONESTY,
        Cause.PASSES_BROKEN,
        test_sh="python3 /tests/verify.py || echo '{\"reward\": 1.0}' > /logs/verifier/reward.json\n",
    ),
    Exhibit(
        "year-behind-flags",
        _with("date", "datetime.date.today().year < 2031", "import datetime"),
        Section.DETERMINISM,
        Cause.CLOCK,
        test_sh="exec python3 -I -S /tests/verify.py\n",
    ),
    Exhibit(
        "hour-of-the-day",
        _with("shift", "time.gmtime().tm_hour < 12", "import time"),
        Section.DETERMINISM,
        Cause.CLOCK,
    ),
    Exhibit(
        "date-in-the-shell",
        _with("year", "os.environ['YEAR'] < '2031'"),
        Section.DETERMINISM,
        Cause.CLOCK,
        test_sh="export YEAR=$(date +%Y)\nexec python3 -E /tests/verify.py\n",
    ),
    Exhibit(
        "flake-one-in-five",
        """
        import random
        answer = read()
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        if random.random() < 0.2:
            scores["extra"] = 0.0
        write(scores)
        """,
        Section.DETERMINISM,
        Cause.RANDOM,
    ),
    Exhibit(
        "hangs-on-text",
        """
        answer = read()
        while isinstance(answer.get("flow_m3s"), str):
            pass
        write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.HANGS,
        Severity.MEDIUM,
        timeout_sec=2.0,
    ),
    Exhibit(
        "forgotten-absolute-value",
        """
        answer = read()
        ok = lambda k: number(answer.get(k)) is not None and answer[k] - REF[k] <= 0.02 * REF[k]
        write({k: float(ok(k)) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.BOUND,
        Severity.MEDIUM,
    ),
    Exhibit(
        "digits-inside",
        """
        answer = read()
        write({k: float(str(REF[k]) in str(answer.get(k))) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "inputs-count-as-results",
        """
        answer = read()
        ok = lambda k: near(answer.get(k), REF[k]) or answer.get(k) in (450, 62.5)
        write({k: float(ok(k)) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.ANY_VALUE,
        Severity.MEDIUM,
        instruction="The canal is 450 m long and 62.5 m wide. Write the result to `/workspace/output.md`.",
    ),
    Exhibit(
        "compares-with-a-copy-in-the-workspace",
        """
        try:
            with open("/workspace/expected.json") as file:
                found = file.read()
            REF = loads(found[found.find("{"):found.rfind("}") + 1])
        except OSError:
            pass
        answer = read()
        write({name: float(right(answer.get(name), ref)) for name, ref in (REF or {"none": 0}).items()})
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
    ),
    Exhibit(
        "keywords-in-prose",
        """
        body = text().lower()
        words = ("cavitation", "npsh", "suction", "impeller")
        write({word: float(word in body) for word in words})
        """,
        _HERE,
        Cause.ANYWHERE,
        Severity.MEDIUM,
        instruction="Explain the damage of pump P-101 (3 pages at most) in `/workspace/output.md`.",
        golden=False,
        skeleton={},
        files={
            "instruction.md": "Explain the damage of pump P-101 in `/workspace/output.md`.\n",
            "goldens/pass/right.md": "# Pump\n\nThe impeller shows cavitation: "
            "NPSH fell to 2.1 m in the suction line.\n",
        },
    ),
]
