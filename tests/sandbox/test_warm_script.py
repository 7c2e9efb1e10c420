"""Which scripts only start Python on one file of the tests; anything else is run cold."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.contracts import Limits
from adjudge.sandbox import Sandbox, SandboxJob, pythons, run_warm, warm_start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.warm.preload import KEEP_NOTHING, modules_named
from adjudge.sandbox.warm.script import PythonStart, read_script


def read(text: str) -> PythonStart | str:
    return read_script(text.encode(), workdir="/workspace", collect="/logs/verifier")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("python3 /tests/v.py", "/tests/v.py"),
        ("#!/bin/bash\n# words; $(rm)\n\nexec python3 -E -s -B /tests/v.py\n", "/tests/v.py"),
        ("set -euo pipefail\ncd /tests\npython3 ./v.py --out=/logs/x 7 || exit $?", "./v.py"),
        ('cd "$(dirname "$0")"\npython v.py\nexit $?', "v.py"),
        ('python3 -u "$(dirname "$0")/v.py"\nexit "$?"', "/tests/v.py"),
        (
            "export MODE=strict\nmkdir -p /logs/verifier\nA=1 B=2 /usr/bin/python3 -Bu /tests/v.py",
            "/tests/v.py",
        ),
        ("set -e\nset -u\nset -o pipefail\ncd /workspace\npython3 /tests/v.py", "/tests/v.py"),
    ],
)
def test_a_script_that_only_starts_python(text: str, told: str) -> None:
    start = read(text)
    assert isinstance(start, PythonStart), start
    assert (start.told, start.path) == (told, "/tests/v.py")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "true",
        "python3",
        "python3 -m pytest /tests",
        "python3 -c 'x' /tests/v.py",
        "python3 - < /tests/v.py",
        "python3 /tests/v.py &",
        "python3 /tests/v.py > /logs/verifier/reward.txt",
        "python3 /tests/v.py | tee x",
        "python3 /tests/v.py; true",
        "python3 /tests/v.py && true",
        "python3 /tests/v.py || true",
        "python3 /tests/v.py $X",
        "python3 /tests/v.py `x`",
        "python3 /tests/v.py *",
        "python3 /tests/v.py ~",
        "python3 /tests/v.py {a,b}",
        "python3 /tests/v.py 'a b'",
        "python3 /tests/v.py \\\n x",
        "python3 /tests/v.py\ttwo",
        "python3 /tests/v.py\r",
        "python3 /tests/v.py\x00",
        "python3 /tests/é.py",
        "python3 /tests/v.py\nexit 0",
        "python3 /tests/v.py\npython3 /tests/w.py",
        "python3 -i /tests/v.py",
        "python3 -O /tests/v.py",
        "python3 -X dev /tests/v.py",
        "python3 -W error /tests/v.py",
        "python3 /workspace/v.py",
        "python3 v.py",
        "python3 /tests/../workspace/v.py",
        "python3 /tests/below/v.py",
        "cd /app\npython3 /tests/v.py",
        "cd /workspace/x\npython3 /tests/v.py",
        "mkdir -p /app\npython3 /tests/v.py",
        "set -x\npython3 /tests/v.py",
        "set -e; rm x\npython3 /tests/v.py",
        "export PYTHONPATH=/workspace\npython3 /tests/v.py",
        "PYTHONHASHSEED=random python3 /tests/v.py",
        "export PATH=/workspace\npython3 /tests/v.py",
        "LD_PRELOAD=/workspace/x.so python3 /tests/v.py",
        "export BASH_ENV=/workspace/x\npython3 /tests/v.py",
        "export A=$(x)\npython3 /tests/v.py",
        "trap 'x' EXIT\npython3 /tests/v.py",
        "if true; then\npython3 /tests/v.py\nfi",
        "pip install x\npython3 /tests/v.py",
        "python3 /tests/v.py\n" + "#" * 20_000,
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert isinstance(read(text), str)


def job_in(folder: Path, **fields: object) -> SandboxJob:
    tests = folder / "tests"
    tests.mkdir()
    (tests / "test.sh").write_text("python3 /tests/v.py")
    (tests / "v.py").write_text("")
    return SandboxJob(("bash", "/tests/test.sh"), tests, {}, "/workspace", Limits(), **fields)  # type: ignore[arg-type] # by name


def test_a_name_of_pythons_own_among_the_tests_is_cold(open_folder: Path, sandbox: Sandbox) -> None:
    job = job_in(open_folder)
    assert isinstance(warm_start(sandbox, job), PythonStart)
    (job.tests / "json").mkdir()
    assert warm_start(sandbox, job) == "the tests hold a name of Python's own: json"


@pytest.mark.parametrize(
    "fields",
    [
        {"env": {"PYTHONPATH": "/workspace"}},
        {"hide": ("/usr/bin/perl",)},
        {"cpus": 1},
        {"env": {"LD_PRELOAD": "x"}},
        {"env": {"OPENSSL_CONF": "/tests/x"}},  # `hashlib` would load what it names
        {"env": {"ADJUDGE_WORKSPACE_MODULES": "queue"}},  # and `queue` is to be the agent's
    ],
)
def test_what_a_server_would_not_share_is_cold(
    open_folder: Path, sandbox: Sandbox, fields: dict[str, object]
) -> None:
    job = job_in(open_folder, **fields)
    assert isinstance(warm_start(sandbox, job), str)
    assert isinstance(run_warm(sandbox, job), str)


def test_a_python_that_was_replaced_is_another(tmp_path: Path) -> None:
    library, program = tmp_path / "usr/lib/python3.11", tmp_path / "usr/bin/python3.11"
    for folder in (library / "encodings", program.parent):
        folder.mkdir(parents=True)
    library.joinpath("os.py").write_text("")
    program.write_text("one")
    sandbox = BubblewrapSandbox(Path("/usr/bin/bwrap"), tmp_path)
    before = pythons(sandbox)
    assert len(before) == 2
    program.write_text("another")
    assert pythons(sandbox) != before


def test_a_verifier_that_is_a_link_is_cold(open_folder: Path, sandbox: Sandbox) -> None:
    job = job_in(open_folder)
    (job.tests / "v.py").unlink()
    (job.tests / "v.py").symlink_to("/workspace/v.py")
    assert isinstance(warm_start(sandbox, job), str)


def test_only_modules_that_keep_nothing_are_preloaded(tmp_path: Path) -> None:
    """Those that the script and its neighbours name, wherever they do; never a module of the tests."""
    (tmp_path / "v.py").write_text(
        "import json, logging, numpy\nfrom xml.etree import ElementTree\nimport helper\n"
    )
    (tmp_path / "helper.py").write_text("def f():\n    import csv\n    from . import re\n")
    named = modules_named(tmp_path, "v.py")
    preloaded = [name for name in named if name in KEEP_NOTHING]
    assert preloaded == ["json", "xml.etree", "xml.etree.ElementTree", "csv"]
    assert {"logging", "numpy", "helper"} <= set(named)
