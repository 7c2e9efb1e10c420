"""Whose fault is a missing reward? An agent that wrote nothing must not choose its own exclusion."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import OUTPUT_STOPPED_VERIFIER, Outcome, outcome_of
from adjudge.scoring import score
from support.task_folders import write_task

READS = """#!/bin/bash
set -e
python3 - <<'END'
import json
answer = json.load(open("/app/out.json"))
open("/logs/verifier/reward.txt", "w").write(str(int(answer["x"] == 1)))
END
"""
NAMED, UNNAMED = "Write the answer to /app/out.json.", "Make what lies there better."


def scored(tmp_path: Path, instruction: str, files: dict[str, str], script: str = READS) -> Outcome:
    task = write_task(tmp_path / "task", instruction=instruction, script=script)
    for name, text in files.items():
        (tmp_path / "output" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "output" / name).write_text(text)
    (tmp_path / "output").mkdir(exist_ok=True)
    result = score(task, tmp_path / "output")
    tags = {tag.category for tag in result.error_taxonomy or ()}
    assert (OUTPUT_STOPPED_VERIFIER in tags) is (
        outcome_of(result) is Outcome.WRONG and not result.validity.verifier_completed
    )
    return outcome_of(result)


@pytest.mark.parametrize(
    ("instruction", "files", "outcome"),
    [
        (NAMED, {}, Outcome.NOTHING_USABLE),
        (UNNAMED, {}, Outcome.NOTHING_USABLE),
        (NAMED, {"readme.txt": "I did it"}, Outcome.WRONG),
        (UNNAMED, {"readme.txt": "I did it"}, Outcome.WRONG),
        (NAMED, {"out.json": ""}, Outcome.WRONG),
        (NAMED, {"out.json": "{"}, Outcome.WRONG),
        (NAMED, {"out.json": '{"x": 1}'}, Outcome.SCORED),
        (NAMED, {"out.json": '{"y": 1}'}, Outcome.MACHINERY_FAILED),
    ],
)
def test_an_answer_that_is_not_there(
    instruction: str, files: dict[str, str], outcome: Outcome, tmp_path: Path
) -> None:
    assert scored(tmp_path, instruction, files) is outcome


def test_a_verifier_with_a_fault_of_its_own_blames_nobody(tmp_path: Path) -> None:
    script = READS.replace("import json", "import json, no_such_module")
    assert scored(tmp_path, NAMED, {"readme.txt": "I did it"}, script) is Outcome.MACHINERY_FAILED


def test_a_verifier_that_fails_its_own_right_answer_blames_nobody(tmp_path: Path) -> None:
    script = READS.replace('answer["x"]', 'answer["z"]')
    golden = tmp_path / "task" / "goldens" / "pass"
    golden.mkdir(parents=True)
    (golden / "out.json").write_text('{"x": 1}')
    assert scored(tmp_path, NAMED, {"readme.txt": "I did it"}, script) is Outcome.MACHINERY_FAILED


def test_a_reward_that_makes_no_sense_is_the_verifiers(tmp_path: Path) -> None:
    script = "#!/bin/bash\necho many > /logs/verifier/reward.txt\n"
    assert scored(tmp_path, NAMED, {"readme.txt": "I did it"}, script) is Outcome.MACHINERY_FAILED


def test_a_verifier_that_stumbles_over_itself_blames_nobody(tmp_path: Path) -> None:
    """Windows line ends: every path has one character too many, and none of them is the agent's."""
    script = READS.replace("set -e", "cd /app\r\npython3 check.py\r").replace(
        "python3 -", "if true; then\r\ncat"
    )
    assert scored(tmp_path, NAMED, {"out.json": '{"x": 1}'}, script) is Outcome.MACHINERY_FAILED
