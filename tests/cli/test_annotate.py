"""`adjudge annotate`: one by one, and in files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.contracts import Judgment
from adjudge.ledger import open_ledger, read_selections
from support.command_line import run_adjudge
from support.patience import HANG_SEC
from support.trial_samples import annotation, trial

ID = trial(4).record.trial_id  # reward 0.4


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with open_ledger(path) as opened:
        opened.record([trial(4), trial(5)])
    return path


def test_a_judgment_is_recorded_beside_the_reward(ledger: Path) -> None:
    done = run_adjudge(
        "annotate", ID[:10], "--reviewer", "ada", "--judgment", "pass", "--category", "unit",
        "--category", "sign", "--notes", "looks right", "--discipline", "civil", "--ledger", ledger,
    )  # fmt: skip
    assert done.code == 0
    assert done.stdout == f"{ID}: pass by ada, beside reward 0.4; this DISAGREES with the reward\n"
    again = run_adjudge("annotate", "--reviewer", "ada", ID, "--judgment", "fail", "--ledger", ledger)
    assert "replaces their earlier annotation" in again.stdout
    assert "DISAGREES" not in again.stdout
    with open_ledger(ledger) as opened:
        record = opened.get(ID)
        assert record.evaluation.reward == 0.4
        assert [a.judgment for a in record.evaluation.annotations or []] == [Judgment.FAIL]
        first = opened.annotations(ID)[0].annotation
        assert (first.categories, first.notes, first.reviewer_discipline) == (
            ["unit", "sign"],
            "looks right",
            "civil",
        )


@pytest.mark.parametrize(
    "arguments",
    [
        [ID, "--reviewer", "ada", "--judgment", "maybe"],
        [ID, "--judgment", "pass"],
        [ID, "--reviewer", "", "--judgment", "pass"],
        ["nobody", "--reviewer", "ada", "--judgment", "pass"],
    ],
)
def test_wrong_usage(ledger: Path, arguments: list[str]) -> None:
    done = run_adjudge("annotate", *arguments, "--ledger", ledger)
    assert done.code == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_how_a_trial_was_chosen_is_recorded_beside_the_annotation(ledger: Path, tmp_path: Path) -> None:
    said = ("--reviewer", "ada", "--judgment", "pass")
    done = run_adjudge(
        "annotate", ID, *said, "--chosen", "random", "--probability", "0.5", "--json", "--ledger", ledger
    )
    assert json.loads(done.stdout)["selection"]["probability"] == 0.5
    file = tmp_path / "out.csv"
    run_adjudge("annotate", "export", file, "--ledger", ledger)
    assert file.read_text().splitlines()[1].endswith(",random,0.5")
    bare = tmp_path / "bare.csv"
    bare.write_text(
        f"trial_id,reviewer_id,timestamp,judgment\n{trial(5).record.trial_id},bob,2026-03-01T12:00:00Z,fail\n"
    )
    for given in (file, bare):
        options = ("--chosen", "low-reward", "--ledger", ledger)
        assert run_adjudge("annotate", "import", given, *options).code == 0
    with open_ledger(ledger) as opened:
        found = {
            trial_id: [(made.reviewer_id, made.method.value, made.probability) for made in made_all]
            for trial_id, made_all in read_selections(opened).items()
        }
    assert found == {ID: [("ada", "random", 0.5)], trial(5).record.trial_id: [("bob", "low-reward", None)]}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--chosen", "random"], "has a probability of being chosen"),
        (["--probability", "0.5"], "needs the way of choosing"),
        (["--chosen", "random", "--probability", "0"], "above 0, up to 1"),
        (["--chosen", "random", "--probability", "nan"], "'nan' is not a number"),
        (["--chosen", "unknown", "--probability", "0.5"], "no known probability"),
    ],
)
def test_a_choice_that_says_too_little_is_refused(ledger: Path, options: list[str], problem: str) -> None:
    done = run_adjudge("annotate", ID, "--reviewer", "a", "--judgment", "pass", *options, "--ledger", ledger)
    assert (done.code, problem in done.stderr) == (2, True), done.stderr
    with open_ledger(ledger) as opened:
        assert not opened.annotations(ID)


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_export_and_import_are_each_others_inverse(ledger: Path, tmp_path: Path, name: str) -> None:
    """Out of one ledger with its history, into another that has the same trials: the same annotations."""
    with open_ledger(ledger) as opened:
        opened.annotate(ID, annotation("ada", "pass", notes="first"))
        opened.annotate(ID, annotation("ada", "fail", categories=["a;b"], notes="zwei\nZeilen"))
        opened.annotate(trial(5).record.trial_id, annotation("bob", "defer"))
        expected = opened.annotations(ID)
    file = tmp_path / name
    assert (
        run_adjudge("annotate", "export", file, "--history", "--ledger", ledger).stdout
        == f"3 annotations written to {file}\n"
    )
    other = tmp_path / "other.db"
    with open_ledger(other) as opened:
        opened.record([trial(4), trial(5)])
    assert (
        run_adjudge("annotate", "import", file, "--ledger", other).stdout
        == "3 added, 0 already there, 0 bad\n"
    )
    with open_ledger(other) as opened:
        assert opened.annotations(ID) == expected
    current = run_adjudge("annotate", "export", "--ledger", ledger)
    assert len(current.stdout.splitlines()) == 2
    fed = run_adjudge("annotate", "import", "-", "--ledger", other, stdin=current.stdout)
    assert fed.stdout == "0 added, 2 already there, 0 bad\n"


def test_importing_the_same_history_again_adds_nothing(ledger: Path, tmp_path: Path) -> None:
    with open_ledger(ledger) as opened:
        opened.annotate(ID, annotation("ada", "pass"))
        opened.annotate(ID, annotation("ada", "fail"))
    file = tmp_path / "all.jsonl"
    run_adjudge("annotate", "export", file, "--history", "--ledger", ledger)
    done = run_adjudge("annotate", "import", file, "--ledger", ledger)
    assert done.stdout == "0 added, 2 already there, 0 bad\n"


def test_a_bad_row_is_named_and_the_rest_goes_in(ledger: Path, tmp_path: Path) -> None:
    when = "2026-03-01T12:00:00Z"
    good = f'{{"trial_id": "{ID}", "reviewer_id": "ada", "timestamp": "{when}", "judgment": "pass"}}'
    file = tmp_path / "some.jsonl"
    file.write_text("\n".join([good, "nonsense", good.replace(ID, "nobody"), good.replace("ada", "bob")]))
    done = run_adjudge("annotate", "import", file, "--ledger", ledger)
    assert (done.code, done.stdout) == (1, "2 added, 0 already there, 2 bad\n")
    first, second = done.stderr.splitlines()
    assert first.startswith(f"{file}, line 2: not JSON")
    assert second == f"{file}, line 3: no trial has the id 'nobody'"


ROW = '{"trial_id": "%s", "reviewer_id": "ada", "timestamp": "2026-03-01T12:00:00Z", "judgment": "pass"}'


@pytest.mark.parametrize(
    ("name", "rows", "complaint"),
    [
        ("a.jsonl", [ROW % ID, (ROW % ID).replace("ada", "Zoë")], "not UTF-8: byte"),
        (
            "a.csv",
            ["trial_id,reviewer_id,timestamp,judgment", f"{ID},Zoë,2026-03-01T12:00:00Z,pass"],
            "not UTF-8",
        ),
        (
            "a.jsonl",
            [ROW % ID, (ROW % ID)[:-1] + ', "judgment": "fail"}'],
            "the key 'judgment' stands twice",
        ),
    ],
)
def test_no_row_is_taken_for_another_than_it_is(
    ledger: Path, tmp_path: Path, name: str, rows: list[str], complaint: str
) -> None:
    """A word in another encoding is not stored with its letters lost; of two judgments none is picked."""
    (tmp_path / name).write_bytes("\n".join(rows).encode("latin-1"))
    done = run_adjudge("annotate", "import", tmp_path / name, "--ledger", ledger)
    assert done.code == 1
    assert done.stdout.endswith(" 1 bad\n")
    assert f"line 2: {complaint}" in done.stderr


def test_the_standard_input_is_utf8_whatever_the_locale_is(ledger: Path) -> None:
    row = (ROW % ID).replace("ada", "Zoë")
    command = [sys.executable, "-m", "adjudge", "annotate", "import", "-", "--ledger", str(ledger)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(command, input=row.encode(), env=environment, capture_output=True, timeout=HANG_SEC)
    assert (done.returncode, done.stdout) == (0, b"1 added, 0 already there, 0 bad\n")
    done = subprocess.run(
        command, input=row.encode("latin-1"), env=environment, capture_output=True, timeout=HANG_SEC
    )
    assert (done.returncode, done.stdout) == (1, b"0 added, 0 already there, 1 bad\n")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_may_begin_with_a_byte_order_mark(ledger: Path, tmp_path: Path, name: str) -> None:
    rows = {
        "a.jsonl": ROW % ID,
        "a.csv": f"trial_id,reviewer_id,timestamp,judgment\n{ID},a,2026-03-01T12:00:00Z,pass",
    }
    (tmp_path / name).write_text(rows[name], encoding="utf-8-sig")
    done = run_adjudge("annotate", "import", tmp_path / name, "--ledger", ledger)
    assert done.stdout == "1 added, 0 already there, 0 bad\n"


def test_a_file_that_cannot_be_read_is_named(ledger: Path, tmp_path: Path) -> None:
    done = run_adjudge("annotate", "import", tmp_path / "absent.csv", "--ledger", ledger)
    assert done.code == 2
    assert "absent.csv: cannot be read: No such file" in done.stderr
    done = run_adjudge("annotate", "export", tmp_path, "--ledger", ledger)
    assert done.code == 2
    assert "the ending of this name says nothing about the format" in done.stderr


def test_an_export_goes_into_a_file_that_says_what_it_is_whole_or_not_at_all(
    ledger: Path, tmp_path: Path
) -> None:
    done = run_adjudge("annotate", "export", tmp_path / "x.pdf", "--ledger", ledger)
    assert done.code == 2
    assert "allowed: .jsonl or .csv" in done.stderr
    (tmp_path / "folder.csv").mkdir()
    done = run_adjudge("annotate", "export", tmp_path / "folder.csv", "--ledger", ledger)
    assert done.code == 2
    assert "this is a folder, not a file to write" in done.stderr
    assert not list(tmp_path.glob("*.pdf")) + list(tmp_path.glob(".*"))
