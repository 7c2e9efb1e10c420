"""Inputs that the image brings: which readers of them are remarked on, and which are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from adjudge.audit.reading import Remark
from audit.reading.sources import remarks_on

_SUM = 'score = float(answer["sum"] == sum(json.loads(line)["n"] for line in rows))'
READS = f'with open("/workspace/in/rows.jsonl") as file:\n    rows = list(file)\n{_SUM}'
BY_NAME = (
    'import pathlib\nROWS = pathlib.Path("/workspace/in/rows.jsonl")\n'
    f"def load(path):\n    return path.read_text().splitlines()\nrows = load(ROWS)\n{_SUM}"
)
FOLDER = (
    'import pathlib\nfolder = pathlib.Path("/workspace/in/")\n'
    f"rows = [line for path in folder.iterdir() for line in path.open()]\n{_SUM}"
)
FLAWED = {
    "opened": (READS, ""),
    "by-a-name": (BY_NAME, "Sum up the products that lie there."),
    "a-folder": (FOLDER, "The rows are stored below `/workspace/in/`."),
}
SOUND = {
    "a-copy-of-its-own": (READS.replace("/workspace/in", "/tests"), ""),
    "guarded": (
        'digest = hashlib.sha256(open("/workspace/in/rows.jsonl", "rb").read()).hexdigest()\n'
        f'assert digest == REF["digest"]\n{READS}',
        "",
    ),
    "to-be-changed": (READS, "Correct the numbers in `/workspace/in/rows.jsonl` in place."),
    "a-folder-to-be-tidied": (FOLDER, "Old rows lie below `/workspace/in/`. Remove all outdated files."),
    "only-asked-for": (
        'assert os.path.exists("/workspace/in/rows.jsonl")\nscore = float(answer["sum"] == REF["sum"])',
        "",
    ),
    "read-and-left": (
        'text = open("/workspace/in/rows.jsonl").read()\nscore = float(answer["sum"] == REF["sum"])',
        "",
    ),
}


def _remarks(folder: Path, code: str, said: str, place: str = "/workspace/in/rows.jsonl") -> list[Remark]:
    environment = folder / "environment"
    (environment / "data").mkdir(parents=True)
    (environment / "data" / "rows.jsonl").write_text('{"n": 1}\n')
    (environment / "Dockerfile").write_text(
        f"FROM debian\nWORKDIR /workspace\nCOPY data/rows.jsonl {place}\n"
    )
    return remarks_on(folder, code, said)


@pytest.mark.parametrize("name", FLAWED)
def test_an_input_that_the_agent_may_rewrite_is_remarked_on(name: str, tmp_path: Path) -> None:
    found = _remarks(tmp_path, *FLAWED[name])
    assert [remark.cause for remark in found] == [Cause.SIDE_FILE]


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_remarked_on_beside_it(name: str, tmp_path: Path) -> None:
    found = _remarks(tmp_path, *SOUND[name])
    assert Cause.SIDE_FILE not in {remark.cause for remark in found}, found


def test_an_input_that_lies_elsewhere_is_remarked_on(tmp_path: Path) -> None:
    """By its whole path or from the working directory; not if it is only read where it is there."""
    relative = READS.replace("/workspace/in/rows", "build/in/rows")
    for number, code in enumerate((READS, relative)):
        [found] = _remarks(tmp_path / str(number), code, "", "/data/rows.jsonl")
        assert found.cause is Cause.ELSEWHERE
        assert found.title.endswith("the image has that file at /data/rows.jsonl: what reads it cannot pass")
    asks = f'if os.path.exists("/workspace/in/rows.jsonl"):\n    {READS.replace(chr(10), chr(10) + "    ")}'
    assert Cause.ELSEWHERE not in {r.cause for r in _remarks(tmp_path / "asks", asks, "", "/data/rows.jsonl")}
    assert Cause.ELSEWHERE not in {r.cause for r in _remarks(tmp_path / "there", READS, "")}
