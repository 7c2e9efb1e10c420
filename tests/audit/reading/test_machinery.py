"""What a verifier does around the answer, as its source shows; what is read, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from adjudge.audit.reading import read_sources
from adjudge.tasks import load_task
from audit.reading.sources import remarks_on

FLAWED = {
    "evaluated": ('score = float(eval(answer["flow"]) == 3)', Cause.CODE),
    "unpickled": ('score = float(pickle.load(open("/workspace/answer.json", "rb")) == REF)', Cause.CODE),
    "by-a-shell": (
        'flow = answer["flow"]\ndone = subprocess.run("test " + flow + " = 3", shell=True)\nscore = float(not done.returncode)',
        Cause.CODE,
    ),
    "its-own-score": ('score = answer["score"]', Cause.CLAIMED),
    "its-own-weights": ('score = sum(w for w in answer["weights"])', Cause.CLAIMED),
    "forgiven": (
        'try:\n    score = float(answer["flow"] == REF["flow"])\nexcept Exception:\n    score = 1.0',
        Cause.PASSES_BROKEN,
    ),
    "endless-is-passed-over": (
        'score = 1.0\nfor case in REF:\n    try:\n        done = subprocess.run(["/workspace/answer.json"], timeout=1)\n'
        "    except subprocess.TimeoutExpired:\n        continue\n    if done.returncode:\n        score = 0.0",
        Cause.PASSES_BROKEN,
    ),
    "by-lot": (
        "some = random.sample(sorted(REF), 2)\nscore = float(all(answer[n] == REF[n] for n in some))",
        Cause.RANDOM,
    ),
    "by-hash": (
        "some = sorted(REF, key=hash)[:2]\nscore = float(all(answer[n] == REF[n] for n in some))",
        Cause.RANDOM,
    ),
    "today": (
        'score = float(answer["due"] == str(datetime.date.today()))',
        Cause.CLOCK,
    ),
}
SOUND = {
    "parsed": 'score = float(json.loads("3") == answer["flow"])',
    "arguments": 'done = subprocess.run(["test", answer["flow"], "=", "3"])\nscore = float(not done.returncode)',
    "its-own-table": 'table = {"flow": {"score": float(answer["flow"] == 3)}}\nscore = table["flow"]["score"]',
    "failed": 'try:\n    score = float(answer["flow"] == REF["flow"])\nexcept Exception:\n    score = 0.0',
    "exit-code": (
        "import sys\ndef main():\n    try:\n        assert answer == REF\n    except AssertionError:\n"
        "        return 1\n    return 0\nscore = 0.0\nsys.exit(main())"
    ),
    "seeded": (
        "some = random.Random(7).sample(sorted(REF), 2)\nscore = float(all(answer[n] == REF[n] for n in some))"
    ),
    "stamped": 'print(datetime.datetime.now())\nscore = float(answer["flow"] == REF["flow"])',
}


@pytest.mark.parametrize("name", FLAWED)
def test_the_flaw_is_remarked_on(name: str, tmp_path: Path) -> None:
    code, cause = FLAWED[name]
    found = remarks_on(tmp_path, code)
    assert cause in {remark.cause for remark in found}, found


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    assert remarks_on(tmp_path, SOUND[name]) == []


def test_a_field_that_nothing_names_is_remarked_on(tmp_path: Path) -> None:
    asked = 'As in\n\n```json\n{"flow": 1.5, "head": 2.5, "power": 3.5}\n```\n'
    code = 'score = float(abs(answer["flow"] - 3) <= 0.1) * float(abs(answer["head"] - 4) <= 0.1)'
    [found] = remarks_on(tmp_path, code, asked)
    assert found.cause == Cause.UNSCORED
    assert "`power`" in found.title


def test_an_input_that_the_agent_may_change_is_remarked_on(tmp_path: Path) -> None:
    """One that the task gives; a file that it asks for is part of the answer."""
    code = 'limits = json.load(open("/app/spec/limits.json"))\nscore = float(answer["a"] <= limits["a"])'
    given = "The limits are listed in `/app/spec/limits.json` of your machine."
    [found] = remarks_on(tmp_path / "given", code, given)
    assert found.cause == Cause.SIDE_FILE
    assert remarks_on(tmp_path / "asked", code, "Write the limits to `/app/spec/limits.json`, too.") == []


def test_a_generator_of_another_module_is_used_up_as_well(tmp_path: Path) -> None:
    code = (
        "from rows import records\nrows = records(answer)\nnames = [row[0] for row in rows]\n"
        "score = float(names == sorted(REF))\nfor name, value in rows:\n    score *= value == REF[name]"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "rows.py").write_text(
        "def records(value):\n    for row in value:\n        yield row\n"
    )
    assert Cause.ANY_VALUE in {remark.cause for remark in remarks_on(tmp_path, code)}


def test_python_inside_a_shell_script_is_read_at_its_line(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    script = (
        "#!/bin/bash\npython3 - <<'PY'\nimport json\n"
        'answer = json.load(open("/workspace/answer.json"))\nassert (answer["a"] == 1, "no")\nPY\n'
    )
    (tests / "test.sh").write_text(script)
    (tmp_path / "instruction.md").write_text("Write `/workspace/answer.json`.\n")
    files, found = read_sources(load_task(tmp_path))
    assert files == ["test.sh"]
    assert [(remark.line, remark.cause) for remark in found] == [(5, Cause.ANY_VALUE)]


@pytest.mark.parametrize(
    "source", ["def broken(:\n", "-" * 60_000 + "1", "x = " + "(" * 300 + ")" * 300, "\x00", ""]
)
def test_what_cannot_be_parsed_is_passed_over(source: str, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "verify.py").write_text(source)
    (tests / "test.sh").write_text("#!/bin/bash\npython3 /tests/verify.py\n")
    (tmp_path / "instruction.md").write_text("Write `/workspace/answer.json`.\n")
    assert read_sources(load_task(tmp_path))[1] == []


def test_what_is_read_of_many_sources_is_bounded_and_named(tmp_path: Path) -> None:
    """Those at the top come first; packages of others that lie below are none of the verifier's."""
    remarks_on(tmp_path, "score = 0.0")
    for place in ("long.py", "below/own.py", "node_modules/theirs.py"):
        path = tmp_path / "tests" / place
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1\n" * (50_000 if place == "long.py" else 1))
    files, _ = read_sources(load_task(tmp_path))
    assert files == ["verify.py", "below/own.py"]
