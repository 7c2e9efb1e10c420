"""What can be had of a Dockerfile without building it, and the reason for every refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.integrations.harbor.recipe import CopyStep, RunStep, find_rootfs, read_recipe


def write(folder: Path, text: str) -> Path:
    environment = folder / "environment"
    environment.mkdir()
    (environment / "Dockerfile").write_text(text)
    (environment / "data.csv").write_text("1\n")
    return environment


def test_no_environment_folder_is_a_plain_base(tmp_path: Path) -> None:
    recipe = read_recipe(tmp_path / "none")
    assert (recipe.workdir, recipe.steps, recipe.problems) == ("/workspace", [], [])


def test_variables_and_here_documents_are_read_as_for_verifiers(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        "FROM debian:12\nARG TOP=/srv\nENV DIR=$TOP/in\nWORKDIR ${DIR}\nCOPY data.csv ${DIR}/x.csv\n"
        "RUN cat > /a <<EOF\nWORKDIR /elsewhere\nEOF\n",
    )
    recipe = read_recipe(folder)
    assert (recipe.workdir, recipe.env) == ("/srv/in", {"DIR": "/srv/in"})
    assert CopyStep("data.csv", "/srv/in/x.csv") in recipe.steps
    assert [problem.partition(";")[0] for problem in recipe.problems] == [
        "environment/Dockerfile:6: RUN: cannot be run without an image"
    ]


def test_what_places_files_is_followed_in_order(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        '# a comment\nFROM python:3.12-slim\nWORKDIR /app\nWORKDIR src\nENV A=1 B="two words"\nENV C three\n'
        "COPY data.csv ./\nCOPY data.csv /in/x.csv\nRUN mkdir -p /out && \\\n    touch /out/a\n"
        'USER bob:staff\nCMD ["bash"]\n',
    )
    recipe = read_recipe(folder)
    assert recipe.problems == []
    assert (recipe.workdir, recipe.user) == ("/app/src", "bob")
    assert recipe.env == {"A": "1", "B": "two words", "C": "three"}
    assert recipe.steps == [
        RunStep("mkdir -p /app", "/"),
        RunStep("mkdir -p /app/src", "/"),
        CopyStep("data.csv", "/app/src/data.csv"),
        CopyStep("data.csv", "/in/x.csv"),
        RunStep("mkdir -p /out && touch /out/a", "/app/src"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("RUN apt-get install -y gcc", "Dockerfile:2: RUN: cannot be run without an image"),
        ("RUN mkdir a; curl example.com", "cannot be run"),
        ("RUN touch $(curl example.com)", "cannot be run"),
        ("COPY ../secret /x", "only plain paths"),
        ("COPY *.csv /x/", "only plain paths"),
        ("ADD https://example.com/x /x", "only plain paths"),
        ("COPY --from=build /a /b", "not served"),
        ("COPY ${X} /b", "a variable that nobody set"),
        ("VOLUME /data", "not served"),
    ],
)
def test_what_is_refused_and_why(tmp_path: Path, line: str, reason: str) -> None:
    (problem,) = read_recipe(write(tmp_path, f"FROM debian:12\n{line}\n")).problems
    assert reason in problem


@pytest.mark.parametrize(
    "image", ["node:22", "python:3.12-alpine", "ghcr.io/acme/debian:1", "nvidia/cuda:12"]
)
def test_other_bases_need_a_root_filesystem(tmp_path: Path, image: str) -> None:
    folder = write(tmp_path, f"FROM {image}\nRUN make\nWORKDIR /x\n")
    problems = read_recipe(folder).problems
    assert "not a plain base" in problems[0]
    assert "--ek rootfs=FOLDER" in problems[0]
    served = read_recipe(folder, rootfs=tmp_path)
    assert (served.problems, served.workdir, served.steps) == ([], "/x", [])


def test_a_root_filesystem_is_found_by_the_tasks_name(tmp_path: Path) -> None:
    (tmp_path / "one" / "usr").mkdir(parents=True)
    assert find_rootfs(tmp_path / "one", "task") == tmp_path / "one"
    assert find_rootfs(tmp_path, "one") == tmp_path / "one"
    assert find_rootfs(tmp_path, "two") is None
    assert find_rootfs(None, "one") is None
