"""Same output, same task: the same result, byte for byte."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adjudge
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import score
from support.task_folders import write_task

SCRIPT = """
cp /workspace/answer.json /logs/verifier/details.json
echo '{"reward": 0.25}' > /logs/verifier/reward.json
echo '[{"category": "rounding"}]' > /logs/verifier/errors.json
echo warned >&2
exit 1
"""


def test_a_hundred_repeats_in_the_sandbox(tmp_path: Path) -> None:
    """Two at a time, so that neighbours cannot leak into each other either."""
    task = adjudge.load_task(write_task(tmp_path / "task", script=SCRIPT))
    (tmp_path / "answer.json").write_text('{"z": {"score": 0.25, "evidence": "ü"}, "a": 0.25}')
    sandbox = choose_sandbox()

    def once(_: int) -> str:
        return score(task, tmp_path / "answer.json", sandbox=sandbox).model_dump_json()

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(once, range(100)))
    assert len(set(results)) == 1
    assert '"reward":0.25' in results[0]


def test_the_result_says_nothing_of_time_place_or_backend(tmp_path: Path) -> None:
    """The same task and output in two other folders give the same bytes."""
    results = set()
    for place in ("one", "another-place"):
        folder = tmp_path / place
        task = write_task(folder / "task", script="exit 3")
        (folder / "answer.json").write_text("{}")
        results.add(score(task, folder / "answer.json").model_dump_json())
        results.add(score(task, folder / "missing.json").model_dump_json())
    assert len(results) == 2
