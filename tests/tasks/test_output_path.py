"""Where the output is expected: declared, or the last /workspace path in the instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import Origin
from adjudge.errors import TaskError
from adjudge.tasks import load_task
from adjudge.tasks.output_path import infer_output_paths
from support.task_folders import write_task


@pytest.mark.parametrize(
    ("instruction", "path"),
    [
        ("Write your complete solution to `/workspace/output.md`.", "/workspace/output.md"),
        ("Write to /workspace/output.md.", "/workspace/output.md"),
        ("Write to /workspace/output.md, then stop.", "/workspace/output.md"),
        ("Write to **/workspace/output.md**!", "/workspace/output.md"),
        ("Write to **`/workspace/output.md`**.", "/workspace/output.md"),
        ("Write to _/workspace/output.md_.", "/workspace/output.md"),
        ('Write to "/workspace/output.md".', "/workspace/output.md"),
        ("Write to “/workspace/output.md”…", "/workspace/output.md"),
        ("Write to ('/workspace/output.md')", "/workspace/output.md"),
        ("Write to </workspace/output.md>;", "/workspace/output.md"),
        ("See [the file](/workspace/output.md).", "/workspace/output.md"),
        ("Path:/workspace/output.md: JSON", "/workspace/output.md"),
        ("python3 /workspace/calc.py --out=/workspace/a-b_c.v2.json", "/workspace/a-b_c.v2.json"),
        ("echo x >/workspace/out.txt\r\n", "/workspace/out.txt"),
        ("Write to /workspace/results/final/answer", "/workspace/results/final/answer"),
        ("Write /workspace/answer_", "/workspace/answer_"),
        (
            "Write to `/workspace/lens.toml`.\nAccuracies are listed in `/app/limits.json`.",
            "/workspace/lens.toml",
        ),
        ("Tool: `/workspace/calc.py`. Answer: `/workspace/output.md`.", "/workspace/output.md"),
        ("Answer: `/workspace/output.md`. Sources are in `/workspace/sources/`.", "/workspace/output.md"),
        ("Answer: /workspace/output.md. One file each: /workspace/room_{id}.json", "/workspace/output.md"),
        ("Write `/app/volume.json`. It is called as `measure /path/to/scan.tvol`.", "/app/volume.json"),
        ("Write /app/a.json. For instance: `run /some/file.csv`, `run /your/path/x.csv`", "/app/a.json"),
        (
            "Answer: /workspace/output.md. Not: /workspace/*.csv or /workspace/<name>.md",
            "/workspace/output.md",
        ),
        ("Answer: /workspace/output.md, not ../workspace/x.md or ~/workspace/y.md", "/workspace/output.md"),
        ("Answer: /workspace/output.md, not /workspace/../etc/passwd", "/workspace/output.md"),
        ("Answer: /workspace/output.md; see https://example.org/workspace/page", "/workspace/output.md"),
        ("Answer: /workspace/\u00fcbung.md", "/workspace/\u00fcbung.md"),
        ("**Write your answer to /workspace/output.md**", "/workspace/output.md"),
        ("*Write your answer to /workspace/output.md*", "/workspace/output.md"),
        ("**Write your answer to /workspace/answer**.", "/workspace/answer"),
        ("Is it in /workspace/output.md?", "/workspace/output.md"),
        ("Is it in /workspace/answer?", "/workspace/answer"),
        ("<code>/workspace/output.md</code> or <b>/workspace/answer</b>", "/workspace/answer"),
        ("/workspace/output.md<br>", "/workspace/output.md"),
        ("/workspace/output.md[1], /workspace/output.md^2", "/workspace/output.md"),
        ("[output](file:///workspace/output.md)", "/workspace/output.md"),
        ("Write /workspace/output.md—then stop.", "/workspace/output.md"),
        ("请将结果写入 /workspace/output.md。", "/workspace/output.md"),
        ("写入（/workspace/answer），然后", "/workspace/answer"),
        ("/workspace/output.mdに書く", "/workspace/output.md"),
        ("Answer: /workspace/a.md. Not: /workspace/b.v{n}.csv or /workspace/c.*", "/workspace/a.md"),
        ("Answer: /workspace/a.md. Not: /workspace/run.<n>.csv or /workspace/b?.csv", "/workspace/a.md"),
        ("Work in /workspace/ or /workspace.", None),
        ("No path at all.", None),
        ("", None),
    ],
)
def test_the_last_workspace_path_without_its_punctuation(instruction: str, path: str | None) -> None:
    assert infer_output_paths(instruction, (), tuple)[:1] == ([] if path is None else [path])


LISTED = """
The input data is at `/app/data.csv`. A reference file is at `/app/true.json` (for validation only).

1. Load the data from `/app/data.csv`.
2. Save all outputs to `/app/results/`.

## Output files

Produce these files in `/app/results/`:

- `fit.json`: a JSON with the keys `v` and `a`, as in `other.json`
- **`table.csv`**: one row per player

## Notes

- `scratch.txt` may be left.
"""


def test_files_that_are_listed_below_a_folder_are_the_answer() -> None:
    """Also if the verifier reads a file that is given, too."""
    read = ("/app/true.json", "/app/data.csv")
    found = infer_output_paths(LISTED, (), lambda: read)
    assert found == ["/app/results/fit.json", "/app/results/table.csv"]


def test_a_file_to_write_beats_those_that_are_listed_below_a_folder() -> None:
    instruction = LISTED + "Write the final number to `/app/answer.json`.\n"
    assert infer_output_paths(instruction, (), lambda: ("/app/answer.json",)) == ["/app/answer.json"]


def test_a_drawing_gives_way_to_a_file_with_values() -> None:
    instruction = "Write the graph to `/app/graph.json` and a drawing of it to `/app/graph.dot`."
    read = ("/app/graph.json", "/app/graph.dot")
    assert infer_output_paths(instruction, (), lambda: read) == ["/app/graph.json", "/app/graph.dot"]
    assert infer_output_paths("Draw it in `/app/graph.dot`.", (), lambda: read) == ["/app/graph.dot"]


@pytest.mark.parametrize(
    ("toml", "path"),
    [
        ('[verifier]\noutput_path = "/app/result.json"', "/app/result.json"),
        ('[output]\npath = "/app/result.json"', "/app/result.json"),
        ('[verifier]\noutput_path = "/a/b"\n[output]\npath = "/a/b"', "/a/b"),
        ('[output]\npath = "//app/./deep//x.json"', "/app/deep/x.json"),
        ('[output]\npath = "/logs/artifacts/x.json"', "/logs/artifacts/x.json"),
    ],
)
def test_a_declaration_beats_the_instruction(tmp_path: Path, toml: str, path: str) -> None:
    assert load_task(write_task(tmp_path / "t", toml=toml)).verifier.expected_output_path == path


def test_two_declarations_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    toml = '[verifier]\noutput_path = "/app/a.json"\n[output]\npath = "/app/b.json"\n'
    with pytest.raises(TaskError) as caught:
        load_task(write_task(tmp_path / "t", toml=toml))
    message = str(caught.value)
    assert "task.toml: [verifier] output_path, [output] path: two declarations contradict" in message
    assert "'/app/a.json'" in message
    assert "'/app/b.json'" in message
    assert message.endswith("Keep one of them.")


def test_a_task_that_names_no_file_has_its_working_folder_as_the_answer(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "t", instruction="Answer well."))
    assert task.verifier.expected_output_path == "/app"
    assert (task.output.is_folder, task.output.path_origin) == (True, Origin.INFERRED)


@pytest.mark.parametrize(
    "path",
    [
        "answer.json",
        "./answer.json",
        "/answer.json",
        "/workspace",
        "/tests/",
        "/",
        "/workspace/../etc/passwd",
        "/tests/answer.json",
        "/logs/verifier/reward.json",
        "/usr/lib/x",
        "/proc/self/mem",
        "/dev/shm/x",
        "/opt/adjudge/bin/python3",
        "/etc/ld.so.preload",
        "~/x.json",
        "/workspace/" + "a" * 256,
        "/workspace/" + "a/" * 2500 + "x.json",
        "/work\\u0000space/x",
        "/work\\nspace/x",
        "  ",
    ],
)
def test_a_declared_path_must_be_a_file_in_a_folder_of_its_own(tmp_path: Path, path: str) -> None:
    with pytest.raises(TaskError, match=r"task\.toml: \[output\] path: .*found .*; allowed: "):
        load_task(write_task(tmp_path / "t", toml=f'[output]\npath = "{path}"\n'))


@pytest.mark.parametrize(
    "path", ["/tmp/reward.json", "reward.json", "/logs/verifier/../x", "/logs/verifier/"]
)
def test_artifacts_are_only_read_from_the_verifiers_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(TaskError, match=r"\[verifier\] reward_path: .*allowed: a path below /logs/verifier/"):
        load_task(write_task(tmp_path / "t", toml=f'[verifier]\nreward_path = "{path}"\n'))
