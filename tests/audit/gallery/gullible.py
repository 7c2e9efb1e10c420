"""Verifiers that an output can talk into a reward, or knock over."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import PLAIN, TEST_SH, Exhibit, markdown

_HERE = Section.EXPLOITS
_RIGHT = {"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}

GULLIBLE = [
    Exhibit(
        "believes-a-reward",
        """
        answer = read()
        claimed = number(answer.get("score"))
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        write({"score": claimed} if claimed is not None else scores)
        """,
        _HERE,
        Cause.CLAIMED,
    ),
    Exhibit(
        "evaluates-the-output",
        """
        def loads(block):
            try:
                value = eval(block)
            except Exception:
                return None
            return value if isinstance(value, dict) else None
        """
        + PLAIN.replace("\n", "\n        "),
        _HERE,
        Cause.CODE,
    ),
    Exhibit(
        "imports-from-the-workspace",
        PLAIN,
        _HERE,
        Cause.IMPORTS,
        Severity.MEDIUM,
        test_sh="cd /workspace && PYTHONPATH=. exec python3 /tests/verify.py\n",
    ),
    Exhibit(
        "shell-evaluates",
        PLAIN,
        _HERE,
        Cause.CODE,
        test_sh='eval "echo $(head -c 2000 /workspace/output.md)" >/dev/null 2>&1\n' + TEST_SH,
    ),
    Exhibit(
        "keeps-an-old-reward",
        """
        answer = read()
        if answer:
            write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
        """,
        _HERE,
        Cause.OLD_REWARD,
        test_sh="python3 /tests/verify.py\n[ -f /logs/verifier/reward.json ] || "
        "echo '{\"reward\": 0.0}' > /logs/verifier/reward.json\n",
    ),
    Exhibit(
        "looks-for-words",
        """
        body = text().lower()
        words = ("flow", "head loss", "compliant")
        write({word: float(word in body) for word in words})
        """,
        Section.TRIVIAL,
        Cause.QUOTED,
        note="The flow and the head loss were found; the scheme is compliant.",
        instruction="Find the flow and the head loss; is it compliant? Write to `/workspace/output.md`.",
    ),
    Exhibit(
        "example-is-the-answer",
        PLAIN,
        Section.TRIVIAL,
        Cause.EXAMPLE,
        skeleton=_RIGHT,
    ),
    Exhibit(
        "follows-links",
        PLAIN,
        _HERE,
        Cause.LINK,
        Severity.MEDIUM,
        files={"tests/expected.md": markdown(_RIGHT)},
    ),
    Exhibit(
        "backtracks-forever",
        """
        re.search(r"(\\{\\s*)+x", text())
        for _ in re.finditer(r"```.*?`x`", text(), re.S):
            pass
        """
        + PLAIN.replace("\n", "\n        "),
        _HERE,
        Cause.HANGS,
        Severity.MEDIUM,
        timeout_sec=2.0,
    ),
    Exhibit(
        "deep-nesting-crashes",
        """
        def loads(block):
            try:
                value = json.loads(block)
            except ValueError:
                return None
            return value if isinstance(value, dict) else None
        """
        + PLAIN.replace("\n", "\n        "),
        _HERE,
        Cause.CRASHES,
        Severity.MEDIUM,
    ),
    Exhibit(
        "goes-on-in-the-background",
        PLAIN,
        _HERE,
        Cause.LINGERS,
        test_sh="(sleep 0.1; python3 /tests/verify.py) >/dev/null 2>&1 &\nexit 0\n",
        golden=False,
    ),
]
