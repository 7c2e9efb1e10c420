"""Where the right answer comes from, and that a task without one is audited as far as it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Section, Verdict, audit_task
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import PLAIN, Exhibit, build, markdown
from support.task_folders import write_task

RIGHT = {"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}
SOLVE = f"cat > /workspace/output.md <<'END'\n{markdown(RIGHT)}END\n"
OPTIONS = {"flow_m3s": 0.0, "head_loss_m": 0.0, "status": "compliant | non_compliant"}
SOURCES = {
    "goldens/pass/right.md": Exhibit("golden"),
    "the reference solution": Exhibit("solution", golden=False, files={"solution/solve.sh": SOLVE}),
    "solution/output.md": Exhibit("elsewhere", golden=False, files={"solution/output.md": markdown(RIGHT)}),
    "tests/expected/answer.md": Exhibit(
        "expected", golden=False, files={"tests/expected/answer.md": markdown(RIGHT)}
    ),
    "REF of tests/verify.py": Exhibit("recovered", golden=False, skeleton=OPTIONS),
    "tests/fixtures/golden_pass.md": Exhibit(
        "fixture", golden=False, files={"tests/fixtures/golden_pass.md": markdown(RIGHT)}
    ),
    "compute_ground_truth() of tests/truth.py": Exhibit(
        "computed",
        """
        from truth import compute_ground_truth
        REF = compute_ground_truth()
        answer = read()
        write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
        """,
        golden=False,
        answer={"flow_m3s": 0.0, "head_loss_m": 0.0},
        files={
            "tests/truth.py": "def compute_ground_truth():\n"
            "    return {'flow_m3s': 2 * 6.27, 'head_loss_m': 3 + 0.271}\n"
        },
    ),
    "the reference solution ": Exhibit(
        "solver",
        golden=False,
        files={"solution/solve.py": f"open('/workspace/output.md', 'w').write({markdown(RIGHT)!r})\n"},
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_where_the_right_answer_comes_from(source: str, sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(SOURCES[source], tmp_path))
    certificate = audit_task(task, sandbox, sections=[]).certificate
    assert (certificate.answer, certificate.answer_reward) == (source.strip(), 1.0)


ROWS = """
python3 - <<'END'
import json
WANTED = [("vessel", "Aurora", 3), ("port", "Riga", 2), ("berth", 14, 1)]
def given(name):
    return json.load(open("/workspace/answer.json")).get(name)
share = sum(weight for name, value, weight in WANTED if given(name) == value) / 6
print(share, file=open("/logs/verifier/reward.txt", "w"))
END
"""


def test_rows_of_names_and_values_are_an_answer(sandbox: Sandbox, tmp_path: Path) -> None:
    asked = "Write `/workspace/answer.json` with the fields `vessel`, `port` and `berth`.\n"
    task = load_task(write_task(tmp_path / "task", instruction=asked, script=ROWS))
    certificate = audit_task(task, sandbox, sections=[]).certificate
    assert (certificate.answer, certificate.answer_reward) == ("WANTED of tests/test.sh", 1.0)


ONLY_TESTS = """
import csv, json, sys
{body}
try:
    check()
    good = True
except (AssertionError, ValueError, KeyError, TypeError, OSError, IndexError):
    good = False
open("/logs/verifier/reward.txt", "w").write(str(int(good)))
"""
LOCAL = {
    ("answer.txt", "EXPECTED_PERIOD of tests/verify.py"): """
class TestPeriod:
    EXPECTED_PERIOD, TOLERANCE = 5.35699, 0.01
    EXPECTED_PERIOD = 5.35699

def check():
    assert abs(float(open("/app/answer.txt").read()) - TestPeriod.EXPECTED_PERIOD) < 0.01
""",
    ("answer.txt", "the references of tests/"): """
GT_LONGITUDE = -117.504
GT_LATITUDE = 35.708

def check():
    x, y = open("/app/answer.txt").read().split(",")
    assert abs(float(x) - GT_LONGITUDE) <= 0.03
    assert abs(float(y) - GT_LATITUDE) <= 0.03
""",
    ("answer.txt", "a comparison in tests/verify.py"): """
def check():
    assert open("/app/answer.txt").read().strip() == "e2e4"
""",
    ("answer.csv", "expected of tests/verify.py"): """
def check():
    expected = {"04124000": 5, "04101800": 4, "04097500": 1}
    with open("/app/answer.csv") as file:
        found = {row["station"]: int(row["days"]) for row in csv.DictReader(file)}
    assert found == expected
    assert sys.modules["__main__"]
""",
    ("answer.json", "expected of tests/verify.py"): """
def check():
    expected = [{"name": "a", "total": 1}, {"name": "b", "total": 2}]
    assert json.load(open("/app/answer.json")) == expected
""",
    ("answer.json", "TestMass._ground_truth() of tests/verify.py"): """
class TestMass:
    def _ground_truth(self):
        return {"mass": 2 * 1.25, "material": 6 * 7}

def check():
    assert json.load(open("/app/answer.json")) == TestMass()._ground_truth()
""",
}


@pytest.mark.parametrize(("name", "source"), LOCAL)
def test_references_inside_of_tests_are_found(
    name: str, source: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """In a function, a class, a comparison; as a plain text, as rows, as a whole document."""
    folder = write_task(
        tmp_path / "task",
        instruction=f"Write the answer to `/app/{name}`.",
        script="python3 /tests/verify.py\n",
        files={"tests/verify.py": ONLY_TESTS.format(body=LOCAL[name, source])},
    )
    certificate = audit_task(load_task(folder), sandbox, sections=[]).certificate
    assert (certificate.answer, certificate.answer_reward) == (source, 1.0)


_PLANTED = """
PLANTED = [
    {"row": 4, "column": "load_kw", "correct": 3.3, "description": "wrong divisor"},
    {"row": 6, "column": "demand_kva", "correct": 17.5, "description": "no power factor"},
]

def check():
    found = json.load(open("/app/answer.json"))["errors"]
    told = {(one["row"], one["column"]): one["correct"] for one in found if one["why"]}
    assert told == {(one["row"], one["column"]): one["correct"] for one in PLANTED}
"""
_TWO_LISTS = """
ROOMS = [{"room": 1, "area": 90}, {"room": 2, "area": 20}]

def compute_ground_truth():
    each = [{"people": r["area"] / 10, "heat_w": 75 * r["area"] / 10} for r in ROOMS]
    return each, {"people": sum(e["people"] for e in each), "heat_w": sum(e["heat_w"] for e in each)}

def check():
    each, totals = compute_ground_truth()
    given = json.load(open("/app/answer.json"))
    assert given["totals"] == totals
    by_room = {one["room"]: one for one in given["rooms"]}
    assert all(by_room[r["room"]]["heat_w"] == e["heat_w"] for r, e in zip(ROOMS, each))
"""
PARTS = {
    "PLANTED": (
        '{"errors": [{"row": <integer>, "column": "<name>", "correct": <value>, "why": "<reason>"}]}',
        _PLANTED,
    ),
    "compute_ground_truth()": (
        '{"rooms": [{"room": 1, "people": <value>, "heat_w": <value>}],'
        ' "totals": {"people": <value>, "heat_w": <value>}}',
        _TWO_LISTS,
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_records_that_the_verifier_looks_for_are_an_answer(
    name: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Under another name, with columns more or less than are asked for, or spread over two lists."""
    example, body = PARTS[name]
    told = f"Write the answer to `/app/answer.json`:\n\n```json\n{example}\n```\n"
    folder = write_task(
        tmp_path / "task",
        instruction=told,
        script="python3 /tests/verify.py\n",
        files={"tests/verify.py": ONLY_TESTS.format(body=body)},
    )
    certificate = audit_task(load_task(folder), sandbox, sections=[]).certificate
    assert (certificate.answer, certificate.answer_reward) == (f"{name} of tests/verify.py", 1.0)


_IN_A_SCRIPT = """
python3 - <<"END"
import json
expected_answers = [
    {"sheet": "S2.2", "file": "base-station.pdf", "eval_keywords": ["SAFE ROOM", "S2.2"]},
]
rows = [json.loads(line) for line in open("/app/answer.jsonl") if line.strip()]
hits = 0
for want in expected_answers:
    hits += any(
        row.get("sheet") == want["sheet"] and all(w in row.get("title", "") for w in want["eval_keywords"])
        for row in rows
    )
with open("/logs/verifier/reward.txt", "w") as file:
    file.write(str(hits / len(expected_answers)))
END
"""
_GREPPED = """
found=0
grep -qi "15/A601" /app/answer.jsonl && found=1
grep -qi "not found" /app/answer.jsonl || found=0
echo $found > /logs/verifier/reward.txt
"""
IN_SCRIPTS = {
    "expected_answers of tests/test.sh": ("`title`, `sheet`", _IN_A_SCRIPT),
    "the words that tests/ looks for": ("`sheet`, `title`", _GREPPED),
}


@pytest.mark.parametrize("source", IN_SCRIPTS)
def test_what_a_shell_script_looks_for_is_an_answer(source: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Python in a here-document is read as a file of its own; words that are grepped for are all said."""
    keys, script = IN_SCRIPTS[source]
    folder = write_task(
        tmp_path / "task",
        instruction=f"Write `/app/answer.jsonl`, one JSON object per line with keys: {keys}.",
        script=script,
    )
    certificate = audit_task(load_task(folder), sandbox, sections=[]).certificate
    assert (certificate.answer, certificate.answer_reward) == (source, 1.0)


def test_reference_values_are_the_right_answer_even_where_zeros_pass(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Without a golden, and with |x - ref| <= 0.05 for references far below that, zeros earn full marks too.

    Were zeros taken for right, no all-zeros probe would be made and discrimination would look near perfect.
    """
    loose = "a = read()\nwrite({k: float(abs((number(a.get(k)) or 0.0) - REF[k]) <= 0.05) for k in REF})\n"
    answer = {"seepage_m_s": 2.4e-5, "gradient": 0.004}
    task = load_task(build(Exhibit("loose", loose, answer=answer, golden=False), tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.DISCRIMINATION]).certificate
    assert any(finding.title == "every number zero scores 1" for finding in certificate.findings)
    assert certificate.verdict is Verdict.UNSOUND
    assert certificate.discrimination is not None
    assert certificate.discrimination < 0.6


def test_references_beside_look_ups_are_found(sandbox: Sandbox, tmp_path: Path) -> None:
    """No table of references: each stands where its field is read, in a call, a comparison, a difference."""
    inline = """
    REF = a = read()
    b = {"p": near(a.get("flow"), 12.54), "q": a.get("bays") == 7, "r": abs(a.get("drop", 0) - 3.27) < 0.01}
    write({name: float(good) for name, good in b.items()})
    """
    answer = {"flow": 0.0, "bays": 0, "drop": 0.0}
    task = load_task(build(Exhibit("inline", inline, answer=answer, golden=False), tmp_path))
    assert audit_task(task, sandbox, sections=[]).certificate.answer_reward == 1.0


def test_a_field_that_is_wrong_already_is_not_called_ignored(sandbox: Sandbox, tmp_path: Path) -> None:
    """The reference of `load` cannot be read off (a digest), so the answer put together earns 2/3, and no
    change of `load` can cost anything."""
    partly = """
    a = read()
    import hashlib
    due = hashlib.sha256(str(sum(range(2, 18))).encode()).hexdigest()
    load = hashlib.sha256(str(a.get("load")).encode()).hexdigest() == due
    write({"a": near(a.get("x"), 4.5), "b": near(a.get("y"), 8.25), "c": load})
    """
    answer = {"x": 0.0, "y": 0.0, "load": 0.0}
    task = load_task(build(Exhibit("partly", partly, answer=answer, golden=False), tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.DISCRIMINATION]).certificate
    assert certificate.answer_reward == 0.6667
    assert not [finding for finding in certificate.findings if "the task asks for" in finding.title]


def test_without_a_right_answer_the_audit_says_what_it_left_out(sandbox: Sandbox, tmp_path: Path) -> None:
    """A verifier that hides its reference: two sections are not run, and the verdict is not `sound`."""
    hidden = (
        "import hashlib\nwrite({'x': float(hashlib.sha256(text().encode()).hexdigest()[:4] == 'beef')})\n"
    )
    task = load_task(build(Exhibit("hidden", hidden, golden=False), tmp_path))
    sections = [Section.FORMAT, Section.DISCRIMINATION, Section.DETERMINISM]
    certificate = audit_task(task, sandbox, sections=sections).certificate
    status = {report.section: report.status for report in certificate.sections}
    assert status[Section.FORMAT] == status[Section.DISCRIMINATION] == "not run"
    assert status[Section.DETERMINISM] == "passed"
    assert certificate.verdict is Verdict.UNPROVEN
    assert certificate.discrimination is None
    assert certificate.deterministic is True


def test_what_the_sandbox_lacks_is_not_held_against_the_golden(sandbox: Sandbox, tmp_path: Path) -> None:
    """The verifier needs a module that is not here: questionable, not unsound."""
    zero = "echo '{\"reward\": 0.0}' > /logs/verifier/reward.json"
    script = f"python3 -c 'import no_such_module_anywhere' || {zero}\n"
    task = load_task(build(Exhibit("lacking", PLAIN, test_sh=script), tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate
    assert certificate.verdict is Verdict.QUESTIONABLE
    assert any("needs no_such_module_anywhere" in finding.title for finding in certificate.findings)


@pytest.mark.parametrize(
    ("name", "instruction", "script"),
    [
        ("binary", "Write `/workspace/part.step`.", "echo '{\"reward\": 0.0}' > /logs/verifier/reward.json"),
        ("silent", "Write `/workspace/output.md`.", "exit 3"),
        ("text", "Write `/workspace/report.txt`.", "echo 0 > /logs/verifier/reward.txt"),
        ("garbage", "Write `/workspace/a.csv`.", 'echo \'{"reward": "lots"}\' > /logs/verifier/reward.json'),
    ],
)
def test_odd_tasks_are_survived(
    name: str, instruction: str, script: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """No golden, no solution, no JSON: every section runs or says why not."""
    folder = tmp_path / name
    (folder / "tests").mkdir(parents=True)
    (folder / "instruction.md").write_text(instruction)
    (folder / "tests" / "test.sh").write_text(script)
    certificate = audit_task(load_task(folder), sandbox).certificate
    assert [report.section for report in certificate.sections] == list(Section)
    assert all(report.probes or report.reason for report in certificate.sections)
