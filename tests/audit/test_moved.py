"""A verifier that looks for the answer elsewhere is audited where it looks, if no right one is shown."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Cause, audit_task
from adjudge.audit.moved import at_verifiers_place
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.other_tongues import other

_ASKED = (
    "Count the leaks, and write them to `/output/leaks.json` in this form:\n\n"
    '```json\n{"leaks": 0, "worst": "none"}\n```\n'
)
_FORM_ONLY = """
        try:
            answer = json.loads(body("/workspace/output/leaks.json"))
        except (ValueError, RecursionError):
            answer = None
        if answer is None:
            print("no /output/leaks.json was written")
        good = isinstance(answer, dict) and type(answer.get("leaks")) is int and answer["leaks"] >= 0
        out(float(good and type(answer.get("worst")) is str))
"""


def _task(name: str, *, golden: bool) -> Exhibit:
    made = other(name, _ASKED, ("output/leaks.json", '{"leaks": 3, "worst": "north"}'), python=_FORM_ONLY)
    files = {path: text for path, text in made.files.items() if golden or not path.startswith("goldens/")}
    return Exhibit(name, "", golden=False, files=files)


def test_what_lies_behind_the_wrong_place_is_found(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(_task("elsewhere", golden=False), tmp_path))
    assert task.verifier.expected_output_path == "/output/leaks.json"
    found = {f.cause: f for f in audit_task(task, sandbox).certificate.findings}
    assert found[Cause.ELSEWHERE].severity is Severity.MEDIUM
    assert any(f.severity is Severity.HIGH for cause, f in found.items() if cause is not Cause.ELSEWHERE)


def test_a_task_that_shows_a_right_answer_is_audited_as_it_is(tmp_path: Path) -> None:
    task = load_task(build(_task("shown", golden=True), tmp_path))
    assert at_verifiers_place(task) is task
