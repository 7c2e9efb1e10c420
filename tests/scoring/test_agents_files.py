"""Whatever an agent leaves in its folder, and wherever the task wants its answer, the verifier alone gives
the reward; and what was refused is on the record."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import FILE_LEFT_OUT, MODULE_SHADOWS, EvaluationResult
from adjudge.scoring import score
from support.task_folders import write_task

FORGE = "open('/logs/verifier/reward.json', 'w').write('{\"reward\": 1.0}')\n"
HONEST = """python3 - <<'END'
import json, os
answer = json.load(open(os.environ["ANSWER"]))
expected = json.load(open("/tests/expected.json"))
extra = json.load(open("extra.json")) if os.path.exists("extra.json") else None
reward = 1.0 if expected in (answer, extra) else 0.0
json.dump({"reward": reward}, open("/logs/verifier/reward.json", "w"))
END
"""


def tags(result: EvaluationResult) -> set[str]:
    return {tag.category for tag in result.error_taxonomy or ()}


def scored(folder: Path, path: str, brought: dict[str, str], links: dict[str, str]) -> EvaluationResult:
    task = write_task(
        folder / "task",
        toml=f'[output]\npath = "{path}"\n[verifier.env]\nANSWER = "{path}"\n',
        script=HONEST,
        files={"tests/expected.json": "42"},
    )
    for name, text in brought.items():
        (folder / "output" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "output" / name).write_text(text)
    for name, target in links.items():
        (folder / "output" / name).symlink_to(target)
    return score(task, folder / "output")


@pytest.mark.parametrize(
    ("path", "answer", "forged"),
    [
        ("/logs/agent/answer.json", "answer.json", "verifier/reward.json"),
        ("/logs/answer.json", "answer.json", "verifier/reward.json"),
        ("/home/x/out.json", "out.json", ".local/lib/python3.11/site-packages/usercustomize.py"),
        ("/home/verifier/out.json", "out.json", ".local/lib/python3.11/site-packages/usercustomize.py"),
        ("/tmp/answer.json", "answer.json", "json.py"),
        ("/app/deep/answer.json", "deep/answer.json", "os.py"),
        ("/workspace/answer.json", "answer.json", "json/__init__.py"),
    ],
)
def test_a_wrong_answer_stays_wrong(tmp_path: Path, path: str, answer: str, forged: str) -> None:
    text = FORGE if forged.endswith(".py") else '{"reward": 1.0}'
    result = scored(tmp_path, path, {answer: "41", forged: text}, {})
    assert (result.reward, result.validity.verifier_completed) == (0.0, True)


def test_a_link_to_the_expected_answer_is_left_out_and_tagged(tmp_path: Path) -> None:
    links = {"extra.json": "/tests/expected.json"}
    result = scored(tmp_path, "/workspace/answer.json", {"answer.json": "41"}, links)
    assert result.reward == 0.0
    assert FILE_LEFT_OUT in tags(result)


def test_a_module_in_the_way_is_tagged_and_does_not_change_a_right_answer(tmp_path: Path) -> None:
    files = {"answer.json": "42", "json.py": FORGE, "mine.py": ""}
    result = scored(tmp_path, "/workspace/answer.json", files, {})
    assert (result.reward, tags(result)) == (1.0, {MODULE_SHADOWS})


@pytest.mark.parametrize(
    "evil", ["usr/x", "etc/passwd", "logs/verifier/reward.json", "logs", "tmp", "run", "var"]
)
def test_no_file_keeps_the_verifier_from_being_run(tmp_path: Path, evil: str) -> None:
    """In a folder that stands for the root. A verifier that cannot be run is the machine's failure, and the
    agent's wrong answer would not count."""
    script = "#!/bin/bash\necho '{\"reward\": 0.0}' > /logs/verifier/reward.json\n"
    task = write_task(tmp_path / "task", instruction="Write `/app/out.json`.\n", script=script)
    output = tmp_path / "output"
    for name in ("app/out.json", evil):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text('{"reward": 1.0}')
    result = adjudge.score(adjudge.load_task(task), output)
    assert (result.reward, result.validity.verifier_completed) == (0.0, True)
    assert FILE_LEFT_OUT in [tag.category for tag in result.error_taxonomy or []]


def test_a_line_end_in_a_folders_name_does_not_hide_whose_it_is(tmp_path: Path) -> None:
    script = (
        "#!/bin/bash\nPYTHONPATH=$'/evil\\nname' python3 -c 'import json; print(json.__file__)' >&2\n"
        "echo '{\"reward\": 0.25}' > /logs/verifier/reward.json\n"
    )
    task = write_task(tmp_path / "task", instruction="Write `/app/out.json`.\n", script=script)
    output = tmp_path / "output"
    for name in ("app/out.json", "evil\nname/json.py"):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text("open('/logs/verifier/reward.json', 'w').write('1.0')")
    record = adjudge.score_trial(adjudge.load_task(task), output)
    assert record.evaluation.reward == 0.25
    assert "evil" not in record.run.stderr


NODE = "const fs = require('fs'); fs.writeFileSync('/logs/verifier/reward.json', '{\"reward\": 1.0}')\n"


def test_an_output_that_stands_for_the_root_brings_nothing_above_the_tests(tmp_path: Path) -> None:
    """Node looks for packages beside and above the program, and `/node_modules` is above `/tests`."""
    result = scored(
        tmp_path,
        "/workspace/answer.json",
        {"workspace/answer.json": "41", "node_modules/chai/index.js": NODE, "package.json": "{}"},
        {},
    )
    assert result.reward == 0.0
    (tag,) = [tag for tag in result.error_taxonomy or () if tag.category == FILE_LEFT_OUT]
    assert "/node_modules/chai/index.js, because it lies above the tests" in str(tag.description)
