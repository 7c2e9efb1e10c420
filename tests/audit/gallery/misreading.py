"""Verifiers that misread right answers, hide their own failures, or contradict their goldens."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import PLAIN, TEST_SH, Exhibit

_STRICT = """
def read():
    match = re.search(PATTERN, text(), re.S)
    return (loads(match.group(1)) or {}) if match else {}
"""
_ZERO = "echo '{\"reward\": 0.0}' > /logs/verifier/reward.json"
_WRONG = {"flow_m3s": 12.6, "head_loss_m": 3.271, "status": "compliant"}

MISREADING = [
    Exhibit(
        "fence-in-capitals",
        _STRICT.replace("PATTERN", 'r"```json\\s*\\n(.*?)```"') + PLAIN,
        Section.FORMAT,
        Cause.FENCE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "line-ends",
        'def text():\n    return open(OUT, newline="").read()\n'
        + _STRICT.replace("PATTERN", 'r"```json\\n(.*?)\\n```"')
        + PLAIN,
        Section.FORMAT,
        Cause.LINES,
        Severity.MEDIUM,
    ),
    Exhibit(
        "byte-order-mark",
        'def text():\n    return open(OUT, encoding="utf-8").read()\ndef read():\n'
        '    return loads(re.split(r"```json|```", text())[1]) or {} if text().startswith("#") else {}\n'
        + PLAIN,
        Section.FORMAT,
        Cause.LINES,
        Severity.LOW,
    ),
    Exhibit(
        "key-order",
        _STRICT.replace("PATTERN", 'r"(\\{\\s*.flow_m3s.*?\\})"') + PLAIN,
        Section.FORMAT,
        Cause.ORDER,
        Severity.MEDIUM,
    ),
    Exhibit(
        "last-line-only",
        'def read():\n    return loads(text().rstrip()[:-3].split("```json")[-1]) or {}\n' + PLAIN,
        Section.FORMAT,
        Cause.PROSE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "zero-without-python",
        PLAIN,
        Section.HONESTY,
        Cause.HIDES_FAILURE,
        Severity.MEDIUM,
        test_sh=f"python3 /tests/verify.py || {_ZERO}\n",
    ),
    Exhibit(
        "zero-by-trap",
        PLAIN,
        Section.HONESTY,
        Cause.HIDES_FAILURE,
        Severity.MEDIUM,
        test_sh=f"set -e\nzero() {{ [ -f /logs/verifier/reward.json ] || {_ZERO}; }}\ntrap zero EXIT\n"
        "python3 /tests/verify.py\n",
    ),
    Exhibit(
        "zero-when-time-runs-out",
        PLAIN,
        Section.HONESTY,
        Cause.HIDES_FAILURE,
        Severity.MEDIUM,
        test_sh=f"zero() {{ {_ZERO}; exit 0; }}\ntrap zero TERM\npython3 /tests/verify.py\n"
        "[ -f /logs/verifier/reward.json ] || exit 1\n",
    ),
    Exhibit(
        "zero-without-its-script",
        PLAIN,
        Section.HONESTY,
        Cause.HIDES_FAILURE,
        Severity.MEDIUM,
        test_sh=f"{_ZERO}\npython3 /tests/verify.py\nexit 0\n",
    ),
    Exhibit(
        "wrong-golden-passes",
        PLAIN,
        Section.GOLDENS,
        Cause.GOLDEN,
        wrong=_WRONG,
    ),
    Exhibit(
        "right-golden-fails",
        PLAIN.replace("right(answer.get(name), ref)", "right(answer.get(name.upper()), ref)"),
        Section.GOLDENS,
        Cause.GOLDEN,
    ),
    Exhibit(
        "nothing-scores",
        'if not os.path.exists(OUT):\n    write({"no complaints": 1.0})\nelse:\n    '
        + PLAIN.strip().replace("\n", "\n    "),
        Section.TRIVIAL,
        Cause.NOTHING,
    ),
    Exhibit(
        "solution-fails",
        PLAIN,
        Section.GOLDENS,
        Cause.SOLUTION,
        test_sh=TEST_SH,
        files={"solution/solve.sh": "echo '{\"flow_m3s\": 12.54}' > /workspace/output.md\n"},
    ),
]
