"""Flaws of a fifth set: programs that are imported, things said and denied, numbers without an end.

Each was missed by the audit when it was written down. Sound verifiers of the same kinds stand beside them.
"""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS, _EXPLOITS = Section.DISCRIMINATION, Section.EXPLOITS

_SQUARE = (
    "Write `/workspace/solve.py` with a function `square(n)` that gives the square of n. For example, "
    "`square(3)` is `9` and `square(4)` is `16`."
)
_RIGHT = ("solve.py", "def square(n):\n    return n * n\n")
_IMPORTED = """
        sys.path.insert(0, "/workspace")
        try:
            from solve import square
            ok = all({ok} for n in (5, 6, 7, 11))
        except BaseException:
            ok = False
        out(float(ok))
"""
_APART = """
        import subprocess
        TIMEOUT = 8
        def call(n):
            code = f"import sys; sys.path.insert(0, '/workspace'); import solve; r = solve.square({n}); "
            code += "print(type(r).__name__, r)"
            words = [sys.executable, "-I", "-B", "-c", code]
            return subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT).stdout.strip()
"""
_SUM = "Write `/workspace/solve.py`, a program that prints the sum of the numbers on its standard input."
_SUMS = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
_PRINTED = """
        import subprocess
        def printed(text):
            words = [sys.executable, "-I", "-B", "/workspace/solve.py"]
            return subprocess.run(words, input=text, capture_output=True, text=True, timeout=5).stdout
"""
_FINITE = """
        answer = read()
        def ok(x, ref):
            if isinstance(x, bool) or not isinstance(x, (int, float)):
                return False
            if x != x or x in (float("inf"), float("-inf")):
                return False
            try:
                return abs(x - ref) <= 0.02 * abs(ref)
            except OverflowError:
                return {too_large}
        write({{key: float(ok(answer.get(key), REF[key])) for key in ("flow_m3s", "head_loss_m")}})
"""

FIFTH_HANDS = [
    other(
        "program-that-ends-its-tests",
        _SQUARE,
        _RIGHT,
        script="""
        cd /tests
        if python3 -B check.py; then reward=1; else reward=0; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        python="""
        sys.path.insert(0, "/workspace")
        from solve import square
        assert [square(n) for n in (5, 6, 7)] == [25, 36, 49]
        """,
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
    ),
    other(
        "results-that-equal-everything",
        _SQUARE,
        _RIGHT,
        python=_IMPORTED.format(ok="square(n) == n * n"),
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
    ),
    other(
        "numbers-that-are-near-everything",
        _SQUARE,
        _RIGHT,
        python=_IMPORTED.format(ok="isinstance(square(n), float | int) and abs(square(n) - n * n) < 1e-6"),
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
    ),
    other(
        "only-the-examples-are-tested",
        _SQUARE,
        _RIGHT,
        python=f"""{_APART}
        out(float(call(3) == "int 9" and call(4) == "int 16"))
        """,
        section=_EXPLOITS,
        cause=Cause.EXAMPLE,
    ),
    other(
        "any-of-what-is-printed",
        _SUM,
        ("solve.py", _SUMS),
        python=f"""{_PRINTED}
        out(float("42" in printed("30 12") and "101" in printed("100 1") and "17" in printed("17")))
        """,
        section=_EXPLOITS,
        cause=Cause.HEDGED,
    ),
    other(
        "patience-that-ends-well",
        _SQUARE,
        _RIGHT,
        python=f"""{_APART}
        try:
            out(float(call(12) == "int 144"))
        except subprocess.TimeoutExpired:
            out(1.0)
        """,
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
    ),
    other(
        "said-and-denied",
        "Write a short verdict on the weld to `/workspace/verdict.md`.",
        ("verdict.md", "# Verdict\n\nThe weld is acceptable.\nNo repair is needed before service.\n"),
        python="""
        sentences = re.split(r"[.\\n]+", body("/workspace/verdict.md").lower())
        good = any("weld is acceptable" in one and "not" not in one.split() for one in sentences)
        out(float(good and len(sentences) < 40))
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
        severity=Severity.MEDIUM,
    ),
    Exhibit(
        "more-often-said-than-denied",
        """
        answer = read()
        said = str(answer.get("status", "")).lower()
        yes = re.findall(r"\\bcompliant\\b", said)
        no = re.findall(r"\\b(?:not|non|wrong|opposite|zzz)\\b", said)
        scores = {key: float(near(answer.get(key), REF[key])) for key in ("flow_m3s", "head_loss_m")}
        write({**scores, "status": float(len(yes) > len(no))})
        """,
        _FIELDS,
        Cause.HEDGED,
        Severity.MEDIUM,
    ),
    Exhibit("too-large-is-near", _FINITE.format(too_large=True), _FIELDS, Cause.NOT_A_NUMBER),
]

_STATUS = "Write what is asked to `/workspace/output.md`. The status is `compliant` or `non-compliant`"

SYNONYMS = [
    Exhibit(
        "synonyms-that-lose",
        section=Section.FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
        instruction=f"{_STATUS}; the synonyms `pass` and `fail` are accepted as well.",
    ),
    Exhibit(
        "capitals-that-lose",
        section=Section.FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
        instruction=f"{_STATUS} (not case-sensitive).",
    ),
    Exhibit(
        "yes-but-not-true",
        section=Section.FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.MEDIUM,
        answer={"flow_m3s": 12.54, "ok": "yes"},
        instruction="Write to `/workspace/output.md`; `ok` is `yes`/`true`/`1` if the flow suffices, else "
        "`no`/`false`/`0`.",
    ),
]

FIFTH_SOUND = [
    Exhibit("options-are-no-synonyms", instruction=f"{_STATUS}; `compliant` (or `non-compliant`) is a word."),
    Exhibit(
        "too-large-is-far", _FINITE.format(too_large=False), answer={"flow_m3s": 12.54, "head_loss_m": 3.271}
    ),
]
