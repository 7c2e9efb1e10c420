"""Verifiers with flaws that agents exploit: hedges, code in fields, side files, lenient types."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import PLAIN, Exhibit

_HERE = Section.DISCRIMINATION
_FINDINGS = {"findings": ["P-101 seized", "V-7 leaks", "T-3 drifts", "K-9 open", "F-2 blown"]}
_PUMPS = {"pumps": [{"tag": f"P-{n}", "flow_m3h": 10.5 * n} for n in range(1, 6)]}
_FIVE = {"a_m": 3.2, "b_m": 7.7, "c_m": 12.9, "d_m": 21.4, "e_m": 33.3}
_NUMBERS = "('flow_m3s', 'head_loss_m')"


def _fields(check: str, before: str = "") -> str:
    """A verifier whose rule for one number is `check`, of x (given) and ref."""
    return f"""
{before}
answer = read()
def ok(x, ref):
    try:
        return bool({check})
    except Exception:
        return False
write({{k: float(ok(answer.get(k), REF[k])) for k in {_NUMBERS}}})
"""


def _with(name: str, condition: str, imports: str = "") -> str:
    """The plain verifier with one more dimension."""
    return f"""
{imports}
answer = read()
scores = {{name: float(right(answer.get(name), ref)) for name, ref in REF.items()}}
scores[{name!r}] = float({condition})
write(scores)
"""


CUNNING = [
    Exhibit("evaluates-a-field", _fields("near(eval(str(x)), ref)"), _HERE, Cause.CODE),
    Exhibit(
        "evaluates-a-field-with-a-guard",
        _fields("near(eval(x) if isinstance(x, str) else x, ref)"),
        _HERE,
        Cause.CODE,
    ),
    Exhibit(
        "shell-sees-a-field",
        _fields(
            "near(x, ref)",
            "import subprocess\nsubprocess.run('echo ' + str(read().get('status')), shell=True)",
        ),
        _HERE,
        Cause.CODE,
    ),
    Exhibit(
        "any-of-a-list",
        _fields("any(near(v, ref) for v in (x if isinstance(x, list) else [x]))"),
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "any-number-in-the-text",
        _fields(r"any(near(float(v), ref) for v in re.findall(r'-?\d+\.?\d*', str(x)))"),
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "any-block-will-do",
        """
        def blocks():
            mark = r"^[ \\t]*(?:`{3,}|~{3,})[ \\t]*"
            body = text().replace("\\r\\n", "\\n")
            found = re.findall(mark + r"(?:json)?[ \\t]*\\n(.*?)\\n" + mark, body, re.S | re.I | re.M)
            return [v for v in map(loads, [*found, text()]) if v is not None] or [{}]
        best = max(blocks(), key=lambda a: sum(right(a.get(k), v) for k, v in REF.items()))
        write({name: float(right(best.get(name), ref)) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "numbers-anywhere",
        r"""
        said = [float(v) for v in re.findall(r"-?\d+\.\d+", text())]
        write({k: float(any(near(v, REF[k]) for v in said)) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.ANYWHERE,
    ),
    Exhibit(
        "keys-by-ending",
        """
        answer = read()
        def find(name):
            return [v for k, v in answer.items() if k.endswith(name)]
        write({k: float(any(right(v, ref) for v in find(k))) for k, ref in REF.items()})
        """,
        _HERE,
        Cause.ANYWHERE,
    ),
    Exhibit(
        "truthy-boolean",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), 12.54)),
               "stable": float(bool(answer.get("stable")))})
        """,
        _HERE,
        Cause.TRUTHY,
        Severity.MEDIUM,
        answer={"flow_m3s": 12.54, "stable": True},
    ),
    Exhibit(
        "nan-in-text",
        _fields("not abs(float(x) - ref) > 0.02 * abs(ref)"),
        _HERE,
        Cause.NOT_A_NUMBER,
    ),
    Exhibit(
        "infinity-is-clamped",
        _fields("1 - min(1, abs(math.log(min(max(float(x), ref), ref) / ref))) > 0.9"),
        _HERE,
        Cause.ANY_VALUE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "answer-inside-the-reference",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float(str(answer.get("status")).lower() in "compliant")})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "empty-text-starts-everything",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float("compliant".startswith(str(answer.get("status", "x"))))})
        """,
        _HERE,
        Cause.EMPTY,
        Severity.MEDIUM,
    ),
    Exhibit(
        "denied-word-counts",
        """
        answer = read()
        status = str(answer.get("status")).lower()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float("compliant" in status and "non" not in status and status[:3] != "not")})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "every-option-is-right",
        """
        answer = read()
        write({"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
               "status": float(answer.get("status") in ("compliant", "non_compliant"))})
        """,
        _HERE,
        Cause.ANY_VALUE,
        Severity.MEDIUM,
        skeleton={"flow_m3s": 0.0, "head_loss_m": 0.0, "status": "compliant | non_compliant"},
    ),
    Exhibit(
        "four-of-five-is-enough",
        """
        answer = read()
        hits = sum(right(answer.get(k), v) for k, v in REF.items())
        write({"fields": min(1.0, hits / 3)})
        """,
        _HERE,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer=_FIVE,
    ),
    Exhibit(
        "sum-is-compared",
        """
        answer = read()
        total = sum(number(answer.get(k)) or 0.0 for k in REF)
        there = all(number(answer.get(k)) is not None for k in REF)
        write({"total": float(there and near(total, sum(REF.values())))})
        """,
        _HERE,
        Cause.CANCELS,
        Severity.MEDIUM,
        answer=_FIVE,
    ),
    Exhibit(
        "penalty-is-capped",
        """
        answer = read()
        given = answer.get("findings")
        given = [x for x in given if isinstance(x, str)] if isinstance(given, list) else []
        hits = len(set(given) & set(REF["findings"])) / 5
        junk = len([x for x in given if x not in REF["findings"]])
        write({"findings": max(0.0, hits - min(0.2, 0.02 * junk))})
        """,
        _HERE,
        Cause.PADDING,
        Severity.MEDIUM,
        answer=_FINDINGS,
    ),
    Exhibit(
        "best-record-of-a-key",
        """
        answer = read()
        given = answer.get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        same = lambda x, w: x.get("tag") == w["tag"] and near(x.get("flow_m3h"), w["flow_m3h"])
        hit = lambda w: any(same(x, w) for x in given)
        strangers = [x for x in given if x.get("tag") not in [w["tag"] for w in REF["pumps"]]]
        write({"pumps": sum(map(hit, REF["pumps"])) / (len(REF["pumps"]) + len(strangers))})
        """,
        _HERE,
        Cause.HEDGED,
        Severity.MEDIUM,
        answer=_PUMPS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0}]},
    ),
    Exhibit(
        "order-of-records",
        """
        answer = read()
        given = answer.get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        same = lambda x, w: x.get("tag") == w["tag"] and near(x.get("flow_m3h"), w["flow_m3h"])
        hits = sum(same(a, b) for a, b in zip(given, REF["pumps"]))
        write({"pumps": hits / max(5, len(given))})
        """,
        Section.FORMAT,
        Cause.ORDER,
        Severity.LOW,
        answer=_PUMPS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0}]},
    ),
    Exhibit(
        "null-item-crashes",
        """
        answer = read()
        given = answer.get("pumps") or []
        flows = {w["tag"]: w["flow_m3h"] for w in REF["pumps"]}
        hits = sum(x["tag"] in flows and near(x["flow_m3h"], flows[x["tag"]]) for x in given)
        write({"pumps": 2 * hits / (5 + len(given))})
        """,
        _HERE,
        Cause.CRASHES,
        Severity.MEDIUM,
        answer=_PUMPS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0}]},
    ),
    Exhibit(
        "type-error-is-full-marks",
        """
        answer = read()
        def ok(x, ref):
            try:
                return abs(x - ref) <= 0.02 * abs(ref)
            except TypeError:
                return True
        write({k: float(ok(answer.get(k), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.TRUTHY,
        Severity.MEDIUM,
    ),
    Exhibit(
        "null-is-skipped",
        """
        answer = read()
        wrong = [k for k, v in REF.items() if answer.get(k) is not None and not right(answer.get(k), v)]
        write({"fields": 0.0 if wrong or not answer else 1.0})
        """,
        _HERE,
        Cause.EMPTY,
    ),
    Exhibit(
        "one-is-everything",
        """
        answer = read()
        def ok(x, ref):
            return isinstance(x, (int, float)) and (near(x, ref) or x == 1)
        write({k: float(ok(answer.get(k), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.ANY_VALUE,
    ),
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
