# ruff: noqa: E501 - files stand here as people write them
"""Which packages a task asks for, by its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.packages import named_packages
from support.task_folders import write_task


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (
            "uvx -p 3.13 -w pytest==8.4.1 -w pytest-json-ctrf==0.3.5 pytest /tests",
            ("pytest-json-ctrf==0.3.5", "pytest==8.4.1"),
        ),
        ("uvx pytest@8.4.1 /tests", ("pytest==8.4.1",)),
        ("uvx --from pytest py.test /tests", ("pytest",)),
        ("uv run --with pytest --with numpy==2.0.0 pytest /tests", ("numpy==2.0.0", "pytest")),
        ("uv pip install --system pandas", ("pandas",)),
        ("pip install -q pytest==8.4.1 'numpy>=1.26,<3'", ("numpy>=1.26,<3", "pytest==8.4.1")),
        ("python3 -m pip install scipy", ("scipy",)),
        ("pip install -r /tests/requirements.txt", ("pytest==8.0.0", "requests")),
        ("pip install git+https://example.com/x.git ./local", ()),
        ("apt-get install -y curl\npython3 /tests/check.py", ()),
    ],
)
def test_the_usual_lines(tmp_path: Path, script: str, found: tuple[str, ...]) -> None:
    files = {"tests/requirements.txt": "pytest==8.0.0  # runner\n\nrequests\n"}
    task = adjudge.load_task(write_task(tmp_path / "task", script=script, files=dict(files)))
    assert named_packages(task).requirements == found


@pytest.mark.parametrize(
    ("script", "files", "found"),
    [
        (
            "pip install -r /tests/req/dev.txt",
            {
                "tests/req/dev.txt": "-r base.txt\nnumpy\n",
                "tests/req/base.txt": "pytest==8.4.1 ; python_version>'3'\n",
            },
            ("numpy", "pytest==8.4.1"),
        ),
        ("pip install -r /tests/a.txt", {"tests/a.txt": "-r a.txt\nnumpy\n"}, ("numpy",)),
        (
            "cd /tests && uv run pytest -q",
            {
                "tests/pyproject.toml": '[project]\ndependencies = ["pytest==8.4.1", "numpy; os_name == \\"posix\\""]\n'
            },
            ("numpy", "pytest==8.4.1"),
        ),
        (
            "cd /tests && uv sync && uv run python3 check.py",
            {"tests/pyproject.toml": '[dependency-groups]\ndev = ["scipy", {include-group = "x"}]\n'},
            ("scipy",),
        ),
        ("uv run pytest", {"tests/pyproject.toml": "no TOML ["}, ("pytest",)),
        (
            "uv run --script /tests/grade.py",
            {
                "tests/grade.py": '# /// script\n# dependencies = [\n#   "pytest==8.4.1",\n# ]\n# ///\nimport pytest\n'
            },
            ("pytest==8.4.1",),
        ),
    ],
)
def test_what_stands_beside_the_script(
    tmp_path: Path, script: str, files: dict[str, str], found: tuple[str, ...]
) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script=script, files={**files}))
    assert named_packages(task).requirements == found


def test_a_task_declares_its_own(tmp_path: Path) -> None:
    toml = '[verifier]\npackages = ["pytest==8.4.1", "not a package!", 3]\n'
    named = named_packages(adjudge.load_task(write_task(tmp_path / "task", toml=toml)))
    assert (named.requirements, named.installs) == (("pytest==8.4.1",), False)


def test_what_the_reference_solution_installs(tmp_path: Path) -> None:
    """Its answer may import that, and its own `pip install` must find a stand-in."""
    solve = "set -e\npip install --no-cache-dir settings_of_ours==2.5\necho 1 > /app/x\n"
    files: dict[str, str | bytes] = {"solution/solve.sh": solve}
    named = named_packages(adjudge.load_task(write_task(tmp_path / "task", files=files)))
    assert (named.requirements, named.installs, named.needed) == (("settings_of_ours==2.5",), True, ())


def test_the_python_that_is_asked_for(tmp_path: Path) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script="uvx -p 3.13 pytest /tests"))
    assert named_packages(task).python == "3.13"
