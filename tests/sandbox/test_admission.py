"""Which files of an agent are placed: values in, values out, no sandbox needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import SandboxError
from adjudge.gates import OutputFile
from adjudge.sandbox.files.admission import Admission, admit

WORKSPACE = "/workspace"


def admitted(
    *paths: str, links: dict[str, str] | None = None, workdir: str = WORKSPACE, tests: Path = Path("/nowhere")
) -> Admission:
    files = {path: OutputFile(b"x") for path in paths}
    files |= {path: OutputFile(b"", 0o777, target) for path, target in (links or {}).items()}
    return admit(files, workdir=workdir, collect="/logs/verifier", tests=tests)


@pytest.mark.parametrize(
    ("workdir", "path"),
    [
        ("/logs", "/logs/verifier/reward.json"),
        ("/logs", "/logs/verifier"),
        ("/", "/tests/expected.json"),
        ("/", "/run/verifier/.local/lib/python3.11/site-packages/usercustomize.py"),
        ("/", "/etc/passwd"),
        ("/opt", "/opt/adjudge/bin/python3"),
    ],
)
def test_nothing_is_placed_in_the_verifiers_own_folders(workdir: str, path: str) -> None:
    answer = f"{workdir.rstrip('/')}/answer.json"
    admission = admitted(answer, path, workdir=workdir)
    assert list(admission.files) == [answer]
    assert list(admission.left_out) == [path]


@pytest.mark.parametrize(
    "path", ["/tests/a.json", "/usr/x", "/run/verifier/x", "/proc/x", "/logs/verifier/a", "/dev/shm/x"]
)
def test_a_file_outside_the_workspace_is_left_out_there_too(path: str) -> None:
    """An output folder may stand for the whole root: then every path in it is the agent's choice."""
    admission = admitted(path, "/app/out.json", workdir="/app")
    assert list(admission.files) == ["/app/out.json"]
    assert "where only the verifier and the system have files" in admission.left_out[path]


@pytest.mark.parametrize("path", ["/logs", "/tmp", "/var", "/var/tmp", "/work", "/work/space"])
def test_nothing_stands_where_the_verifier_needs_a_folder(path: str) -> None:
    """Neither a file nor a link: else the agent could keep its verifier from being run at all."""
    for links in ({}, {path: "/app"}):
        paths = [] if links else [path]
        admission = admitted(*paths, "/app/out.json", links=links, workdir="/work/space")
        assert list(admission.files) == ["/app/out.json"]
        assert admission.left_out == {path: "stands where the verifier needs a folder"}


ABOVE = (
    *("/package.json", "/conftest.py", "/Gemfile", "/node_modules/chai/index.js", "/__mocks__/fs.js"),
    *("/.git/config", "/.cargo/config.toml"),
)


def test_nothing_is_placed_above_the_tests_where_programs_look_that_are_run_there() -> None:
    beside = ("/workspace/answer.json", "/workspace/node_modules/x.js", "/srv/x", "/home/x/.git/config")
    assert set(admitted(*ABOVE, *beside).left_out) == set(ABOVE)
    files = {path: OutputFile(b"") for path in ABOVE}
    folders: dict[str, Any] = {"workdir": "/workspace", "collect": "/logs/verifier", "tests": Path("/none")}
    assert set(admit(files, **folders, brought={"/package.json"}).files) == {"/package.json"}


@pytest.mark.parametrize("workdir", ["/tests", "/tests/deep", "/usr", "/run", "/run/verifier"])
def test_a_workspace_there_is_refused(workdir: str) -> None:
    with pytest.raises(SandboxError, match="where only the verifier and the system have files"):
        admitted(workdir=workdir)


@pytest.mark.parametrize(
    "target",
    [
        "/tests/expected.json",
        "/tests",
        "../tests/expected.json",
        "./../tests",
        "/",
        "..",
        "/logs/verifier/reward.json",
        "/logs",
        "/run/verifier/x",
        "/proc/self/root/tests/expected.json",
        "/proc/1/environ",
        "/dev/fd/3",
        "/tmp/later",
        "/var",
        "/usr/../tests/expected.json",
        "/bin/../../tests/expected.json",
        "inner/../../tests/expected.json",
        "through/expected.json",
        "sideways/../tests",
        "loop",
    ],
)
def test_a_link_out_of_what_the_agent_could_reach_is_left_out(target: str) -> None:
    links = {"/workspace/link": target, "/workspace/through": "/tests", "/workspace/sideways": "/usr"}
    links["/workspace/loop"] = "loop"
    admission = admitted("/workspace/answer.json", "/workspace/inner/file", links=links)
    assert "/workspace/link" in admission.left_out
    assert "/workspace/answer.json" in admission.files


@pytest.mark.parametrize(
    "target",
    [
        "answer.json",
        "./inner/file",
        "inner/../answer.json",
        "/workspace/answer.json",
        "/workspace/inner",
        "../workspace/answer.json",
        "around/answer.json",
        "not/there/yet",
    ],
)
def test_a_link_to_the_agents_own_stays(target: str) -> None:
    links = {"/workspace/link": target, "/workspace/around": "/workspace"}
    admission = admitted("/workspace/answer.json", "/workspace/inner/file", links=links)
    assert admission.left_out == {}


@pytest.mark.parametrize(
    ("name", "target", "stays"),
    [
        ("python3", "/usr/bin/python3", True),
        ("python", "/usr/bin/python3.11", True),
        ("venv/bin/python", "/opt/python/bin/python3.12", True),
        ("node_modules/.bin/tsc", "/usr/lib/node_modules/typescript/bin/tsc", True),
        ("libz.so", "/usr/lib/x86_64-linux-gnu/libz.so.1.3", True),
        ("zoneinfo", "/usr/share/zoneinfo", True),
        ("result.log", "/usr/bin/python3", False),
        ("result.log", "/usr/lib/python3.11/unittest/case.py", False),
        ("result", "/usr/lib/python3.11/unittest/result.py", False),
        ("check.py", "/usr/lib/python3.11/this.py", False),
        ("out", "/usr/share", False),
    ],
)
def test_a_link_to_the_system_stays_if_it_bears_the_name_of_what_is_there(
    name: str, target: str, stays: bool
) -> None:
    """What the verifier writes to it fails, and what it then reads is a text that the agent chose."""
    admission = admitted("/workspace/answer.json", links={f"/workspace/{name}": target})
    assert (admission.left_out == {}) == stays


def test_a_file_in_the_root_does_not_make_the_root_the_agents() -> None:
    """Every link would lead to where the agent may look."""
    admission = admitted("/x", "/workspace/answer.json", links={"/workspace/result.log": "/etc/passwd"})
    assert set(admission.left_out) == {"/x", "/workspace/result.log"}
    assert admission.folders == ("/workspace",)


def test_links_within_a_workspace_that_others_share_stay() -> None:
    admission = admitted(
        "/tmp/a/x.json", links={"/tmp/a/y": "x.json", "/tmp/a/z": "/tmp/b"}, workdir="/tmp/a"
    )
    assert list(admission.left_out) == ["/tmp/a/z"]


def test_modules_that_bear_a_known_name_are_named(tmp_path: Path) -> None:
    """By file, package, compiled or as a library; inside a package a name is another's business."""
    (tmp_path / "checks.py").touch()
    (tmp_path / "data").mkdir()
    shadows = [
        "json.py",
        "checks.py",
        "email/__init__.py",
        "re.cpython-311-x86_64-linux-gnu.so",
        "sub/ast.pyc",
    ]
    shadows += ["sitecustomize.py", "usercustomize.py", "pytest.py", "numpy.py", "adjudge_kit.py"]
    others = ["solution.py", "test.py", "json.txt", "html/index.html", "pkg/__init__.py", "pkg/json.py"]
    admission = admitted(*(f"{WORKSPACE}/{name}" for name in shadows + others), tests=tmp_path)
    assert list(admission.shadowing) == sorted(f"{WORKSPACE}/{name}" for name in shadows)
    assert admission.left_out == {}
