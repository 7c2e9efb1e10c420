"""A folder becomes a Task: what is declared, what is inferred, what has a default."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge import load_task
from adjudge.contracts import Limits, Origin, OutputFormat, Task
from support.task_folders import write_task


def test_a_task_that_declares_nothing_has_defaults(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "drop"))
    assert task.id == "drop"
    assert task.folder == tmp_path / "drop"
    assert task.verifier.script == "tests/test.sh"
    assert task.verifier.expected_output_path == "/workspace/answer.json"
    assert task.verifier.reward_path == "/logs/verifier/reward.json"
    assert task.verifier.details_path == "/logs/verifier/details.json"
    assert (task.output.format, task.output.format_origin) == (OutputFormat.JSON, Origin.INFERRED)
    assert task.output.json_schema is None
    assert task.limits == Limits()
    assert task.deterministic is False


def test_a_task_without_task_toml_loads(tmp_path: Path) -> None:
    assert load_task(write_task(tmp_path / "bare", toml=None)).verifier.expected_output_path == (
        "/workspace/answer.json"
    )


def test_other_peoples_keys_are_fine(tmp_path: Path) -> None:
    """Tasks seen in the wild have an identity, an agent, an environment with keys that are not ours."""
    toml = """
version = "1.0"
schema_version = "1.2"
artifacts = ["/workspace/out"]
[task]
name = "org/heat-load"
authors = [{ name = "A", email = "a@example.org" }]
[identity]
id = "01a04c6c"
version = 1
[metadata]
author_name = "someone"
lifecycle = "proposed"
difficulty = "easy"
category = "reasoning"
domain = "hvac"
tags = ["mechanical", "AS-1668-2"]
created = 2024-05-01
expert_time_estimate_min = 12.5
[agent]
timeout_sec = 600.0
[verifier]
timeout_sec = 120.0
env = { KEY = "${KEY:-x}" }
[environment]
extensions = []
build_timeout_sec = 600.0
docker_image = "example:1"
cpus = 1
gpus = 0
memory = "4G"
storage = "10GiB"
allow_internet = true
[[environment.mcp_servers]]
name = "x"
"""
    task = load_task(write_task(tmp_path / "t", toml=toml))
    assert task.limits.wall_time_sec == 120.0
    assert task.limits.memory_mb == 4 * 1024
    assert task.limits.disk_mb == 10 * 1024
    assert task.metadata.difficulty == "easy"
    assert task.metadata.category == "reasoning"
    assert task.metadata.domain == "hvac"
    assert task.metadata.tags == ["mechanical", "AS-1668-2"]
    assert task.metadata.extra == {
        "author_name": "someone",
        "lifecycle": "proposed",
        "created": "2024-05-01",
        "expert_time_estimate_min": 12.5,
    }


@pytest.mark.parametrize(
    ("written", "difficulty", "tags", "extra"),
    [
        ("difficulty = 3", "3", [], {}),
        ('tags = "hvac"', None, ["hvac"], {}),
        ("difficulty = { tier = 1 }", None, [], {"difficulty": {"tier": 1}}),
        ("tags = [1, 2]", None, [], {"tags": [1, 2]}),
        ("score = nan", None, [], {"score": "nan"}),
    ],
)
def test_odd_metadata_is_kept_and_never_refused(
    tmp_path: Path, written: str, difficulty: str | None, tags: list[str], extra: dict[str, object]
) -> None:
    metadata = load_task(write_task(tmp_path / "t", toml=f"[metadata]\n{written}\n")).metadata
    assert (metadata.difficulty, metadata.tags, metadata.extra) == (difficulty, tags, extra)


def test_the_id_is_the_path_below_the_root(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "civil" / "pipes" / "headloss")
    assert load_task(folder, root=tmp_path).id == "civil/pipes/headloss"
    assert load_task(folder, root=folder).id == "headloss"
    assert load_task(folder, root=tmp_path / "elsewhere").id == "headloss"


def test_without_a_root_the_nearest_tasks_folder_is_it(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "tasks" / "old" / "tasks" / "civil" / "headloss")
    assert load_task(folder).id == "civil/headloss"


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    task = load_task(
        write_task(
            tmp_path / "t",
            toml='\ufeff[verifier]\r\noutput_path = "/app/x.md"\r\n',
            instruction="\ufeffDo it.\r\n",
        )
    )
    assert task.instruction == "Do it.\r\n"
    assert task.verifier.expected_output_path == "/app/x.md"


def test_artifact_paths_may_move_below_the_verifiers_folder(tmp_path: Path) -> None:
    toml = """
[verifier]
reward_path = "/logs/verifier/out/score.json"
details_path = "/logs/verifier/fields.json"
deterministic = true
"""
    task = load_task(write_task(tmp_path / "t", toml=toml))
    assert task.verifier.reward_path == "/logs/verifier/out/score.json"
    assert task.verifier.details_path == "/logs/verifier/fields.json"
    assert task.deterministic is True


def test_a_link_inside_the_task_is_followed(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", instruction=None, files={"docs/text.md": "Write /workspace/a.md"})
    (folder / "instruction.md").symlink_to("docs/text.md")
    assert load_task(folder).verifier.expected_output_path == "/workspace/a.md"


def test_a_loaded_task_survives_json(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "t", toml="[metadata]\nwhen = 2024-05-01T10:00:00Z\n"))
    assert Task.model_validate_json(task.model_dump_json()) == task
