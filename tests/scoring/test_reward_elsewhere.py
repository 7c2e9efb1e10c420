"""A verifier that wrote no reward where it is read: the message says where it is read, and what is where."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from support.task_folders import write_task


def scored(folder: Path, script: str, toml: str = "", **files: str | bytes) -> adjudge.EvaluationResult:
    answer = folder / "answer.json"
    folder.mkdir()
    answer.write_text("{}")
    task = write_task(folder / "task", script=script, toml=toml, files=dict(files))
    return adjudge.score(task, answer)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "echo '{\"reward\": 1}' > /workspace/reward.json",
            "tests/test.sh names /workspace/reward.json, which is not read",
        ),
        ("echo 1 > reward.txt", "writes reward.txt in the working folder, which is not read"),
        ("echo 'reward: 0.75'", "a reward of 0.75 was printed on stdout, which is not read"),
        ("echo x > /logs/verifier/notes.md", "no such file, but notes.md"),
        ("python3 /tests/check.py", "tests/check.py names /tmp/score.json, which is not read"),
    ],
)
def test_the_message_says_what_was_found_elsewhere(tmp_path: Path, script: str, words: str) -> None:
    check = "open('/tmp/score.json', 'w').write('{}')\n"
    result = scored(tmp_path / "one", f"#!/bin/bash\n{script}\n", **{"tests/check.py": check})
    (error,) = result.validity.errors
    assert "/logs/verifier/reward.json" in error
    assert words.lower() in error.lower()
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)


SEVERAL = '#!/bin/bash\necho \'{"success": 0.5, "eligible": 1}\' > /logs/verifier/reward.json\n'


def test_another_key_can_be_the_reward(tmp_path: Path) -> None:
    bare = scored(tmp_path / "bare", SEVERAL)
    assert "[verifier] reward_key" in bare.validity.errors[0]
    named = scored(tmp_path / "named", SEVERAL, '[verifier]\nreward_key = "success"\n')
    assert (named.reward, named.validity.errors) == (0.5, [])


def test_details_under_their_other_name_are_read(tmp_path: Path) -> None:
    script = (
        "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n"
        "echo '{\"flow\": 1}' > /logs/verifier/reward-details.json\n"
    )
    assert scored(tmp_path / "one", script).breakdown == {"flow": 1}
