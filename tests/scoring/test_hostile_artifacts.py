"""Whatever a verifier leaves under these names: a valid result, at once, in bounded memory."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from adjudge.contracts import EvaluationResult
from adjudge.errors import ArtifactError
from adjudge.scoring import breakdown_rows, outcome_of, read_artifacts
from support.patience import HANG_SEC

NAMES = ["reward.json", "details.json", "errors.json", "reward.txt", "reward-details.json"]
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(folder: Path) -> EvaluationResult:
    """Read it and hold the result to its promises."""
    result = read_artifacts(folder)
    assert EvaluationResult.model_validate_json(result.model_dump_json()) == result
    assert result.validity.verifier_completed or result.reward == 0
    assert result.validity.verifier_completed or result.validity.errors
    assert all(len(error) < 2000 for error in result.validity.errors)
    assert read_artifacts(folder, output_parseable=False).reward == 0
    breakdown_rows(result.breakdown)
    outcome_of(result)
    with contextlib.suppress(ArtifactError):
        read_artifacts(folder, strict=True)
    return result


def written(files: dict[str, bytes]) -> EvaluationResult:
    with tempfile.TemporaryDirectory() as name:
        for file, data in files.items():
            Path(name, file).write_bytes(data)
        return check(Path(name))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([10**400, -(10**25), 1e308, "\ud800", "\x00", 0.5, 1]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["reward", "score", "max_score", "category", "source", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
PIECES = st.lists(
    st.sampled_from(
        [
            *(b"{", b"}", b"[", b"]", b'"reward"', b":", b",", b"1", b"0.5", b"-", b"e", b"9" * 500, b"NaN"),
            *(b"true", b"null", b'"', b"\\", b"\\ud800", b"\xff", b"\xef\xbb\xbf", b" ", b"\n", b"\x00"),
            *(b"Infinity", b"[" * 3000),
        ]
    ),
    max_size=12,
).map(b"".join)


@SETTINGS
@given(st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=60) | PIECES, max_size=4))
@example({"reward.json": b'{"reward": 1}', "details.json": b"[" * 200_000})
@example({"reward.json": b'{"reward": 1, "reward": 1}', "reward.txt": b"1"})
def test_arbitrary_bytes(files: dict[str, bytes]) -> None:
    written(files)


@SETTINGS
@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4))
def test_arbitrary_json(values: dict[str, Any]) -> None:
    written({name: json.dumps(value).encode() for name, value in values.items()})


def _link(path: Path) -> None:
    """To a perfectly good reward, which must not be followed."""
    (path.parent / "good").write_text('{"reward": 1.0}')
    path.symlink_to("good")


def _absolute_link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as endpoint:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket may not be long
        try:
            endpoint.bind(path.name)
        finally:
            os.chdir(here)


def _device(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("needs root to make a device")
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero: endless
    except PermissionError:
        pytest.skip("needs the right to make a device")


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 42)  # 4 TB, no disk


KINDS: dict[str, Callable[[Path], None]] = {
    "link": _link,
    "link out of the folder": _absolute_link,
    "link to itself": lambda path: path.symlink_to(path.name),
    "directory": Path.mkdir,
    "pipe": os.mkfifo,
    "socket": _socket,
    "device": _device,
    "sparse giant": _sparse,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_at_the_reward(tmp_path: Path, kind: str) -> None:
    """Neither opened nor followed nor waited for: no reward, and the message says what stood there."""
    KINDS[kind](tmp_path / "reward.json")
    result = check(tmp_path)
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert result.validity.errors[0].startswith("reward.json: ")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["details.json", "errors.json"])
def test_what_is_no_file_beside_a_good_reward(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "reward.json").write_text('{"reward": 0.5}')
    KINDS[kind](tmp_path / name)
    result = check(tmp_path)
    assert (result.reward, result.validity.verifier_completed, result.breakdown) == (0.5, True, None)
    assert name in result.validity.errors[0]


def test_a_missing_folder_is_a_missing_reward(tmp_path: Path) -> None:
    result = read_artifacts(tmp_path / "nothing")
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)


def test_a_file_for_a_folder_is_a_missing_reward(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = read_artifacts(tmp_path / "file")
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert "Not a directory" in result.validity.errors[0]
    with pytest.raises(ArtifactError, match="Not a directory"):
        read_artifacts(tmp_path / "file", strict=True)


def test_a_flood_of_files_does_not_hide_the_reward(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"a{number:04}").write_text("x")
    (tmp_path / "reward.json").write_text('{"reward": 0.5}')
    (tmp_path / "details.json").write_text('{"f": 0.5}')
    assert read_artifacts(tmp_path).breakdown == {"f": 0.5}


GREEDY = {
    "eight megabytes of empty lists": b"[" + b"[]," * 2_700_000 + b"[]]",
    "eight megabytes of small objects": b"[" + b'{"a":1},' * 1_000_000 + b"1]",
    "eight megabytes of numbers": b"[" + b"1," * 4_000_000 + b"1]",
    "eight megabytes of nesting": b"[" * 8_000_000,
    "a string of eight megabytes": b'{"a": "' + b"x" * 8_000_000 + b'"}',
    "many keys": b"{" + b",".join(b'"%d":1' % n for n in range(600_000)) + b"}",
    "as much as is accepted": b"[" + b'{"a":1},' * 190_000 + b"1]",
}


def test_memory_stays_bounded(tmp_path: Path) -> None:
    """No file costs more than 400 MB of address space above what the interpreter holds to begin with."""
    for place, data in enumerate(GREEDY.values()):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "reward.json").write_text('{"reward": 0.5}')
        (folder / "details.json").write_bytes(data)
        (folder / "errors.json").write_bytes(data[: 1 << 20])
    (tmp_path / "huge").mkdir()
    with (tmp_path / "huge" / "reward.json").open("wb") as file:
        file.truncate(1 << 40)
    script = textwrap.dedent(
        f"""
        import pathlib, resource
        from adjudge.scoring import read_artifacts
        read_artifacts({str(tmp_path)!r})
        used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20), resource.RLIM_INFINITY))
        for folder in sorted(pathlib.Path({str(tmp_path)!r}).iterdir()):
            result = read_artifacts(folder)
            assert result.reward == (0.0 if folder.name == "huge" else 0.5), result
        status = pathlib.Path("/proc/self/status").read_text()  # ru_maxrss begins with the parent's peak
        print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=HANG_SEC)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) * 1024 < 600 << 20
