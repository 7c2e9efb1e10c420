"""Does the verifier run what lies in the agent's folder? Told by its own sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.tasks import load_task
from support.task_folders import write_task


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("python3 /app/main.py > /tmp/out", True),
        ("cd /app && make && ./tool", True),
        ("cd /app\nnpm test", True),
        ("make -C /app test", True),
        ("timeout 5 bash /app/run.sh", True),
        ('python3 - <<EOF\nimport subprocess\nsubprocess.run(["/app/tool"])\nEOF', True),
        ('python3 - <<EOF\nimport sys\nsys.path.insert(0, "/app")\nimport tool\nEOF', True),
        ("python3 /tests/check.py /app", False),
        ("diff -r /app /tests/expected", False),
        ('python3 - <<EOF\nprint(open("/app/out.txt").read())\nEOF', False),
        ("cat /app/main.py", False),
    ],
)
def test_an_answer_that_is_a_folder(tmp_path: Path, line: str, runs: bool) -> None:
    script = f"#!/bin/bash\n{line}\necho $((1 - $?)) > /logs/verifier/reward.txt\n"
    task = load_task(write_task(tmp_path / "t", instruction="Do it here.", script=script))
    assert (task.output.is_folder, task.runs_output) == (True, runs)


def test_what_the_task_says_wins(tmp_path: Path) -> None:
    script = "#!/bin/bash\ncd /app && make\necho 1 > /logs/verifier/reward.txt\n"
    toml = "[verifier]\nruns_output = false\n"
    assert not load_task(write_task(tmp_path / "t", instruction="Do.", script=script, toml=toml)).runs_output
