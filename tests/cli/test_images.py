"""An image that cannot be had is asked for once, and is one message for all the tasks that name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import SandboxError, SandboxUnavailable
from adjudge.gates import read_output
from adjudge.preflight import VerifierPlace, choose_place, look_before, obstacle_lines, place
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, choose_sandbox
from adjudge.scoring import score_output
from adjudge.tasks import load_tasks
from support.task_folders import write_task


class Container:
    """A container engine of which only the name matters here: jobs run in bubblewrap."""

    name = "container"
    image = "plain"

    def __init__(self) -> None:
        self.inner = choose_sandbox("bubblewrap")

    def run(self, job: SandboxJob) -> SandboxOutcome:
        return self.inner.run(job)


def test_one_message_and_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        toml = '[environment]\ndocker_image = "registry.example/none:1"\n' if number < 18 else ""
        write_task(tmp_path / "tasks" / f"t{number:02}", toml=toml)
    asked: list[str | None] = []

    def choose(
        name: str, *, rootfs: Path | None = None, image: str | None = None, warm: bool = False
    ) -> Sandbox:
        asked.append(image)
        if image is not None:
            raise SandboxUnavailable(f"no such image: {image}")
        return Container()

    monkeypatch.setattr(place, "choose_sandbox", choose)
    tasks = list(load_tasks(tmp_path / "tasks"))
    chosen, problems = choose_place(VerifierPlace("container"), tasks)
    assert (problems, asked) == ([], [None, "registry.example/none:1"])
    lines = list(obstacle_lines(look_before(tasks, chosen)))
    assert len(lines) == 2
    assert "t00, t01, t02 and 15 more tasks cannot pass here" in lines[0]
    assert "no such image: registry.example/none:1" in lines[0]
    answer = tmp_path / "answer.json"
    answer.write_text("{}")
    with pytest.raises(SandboxError, match="no such image"):
        score_output(tasks[0], read_output(tasks[0], answer), chosen)
    assert score_output(tasks[19], read_output(tasks[19], answer), chosen).result.reward == 1.0
