"""Verifiers with packages, offline: a small index of our own stands for the user's.

The packages are wheels made here, with the names and programs that benchmarks use; pip fetches them through
`PIP_FIND_LINKS`, as it would from an index.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import adjudge
from adjudge.audit import Section, audit_task
from adjudge.contracts import EvaluationResult, Outcome
from adjudge.errors import MachineryError, UsageError
from adjudge.gates import read_output
from adjudge.packages import Provisioned, named_packages, packages_home, prepare, prepare_packages, provide
from adjudge.packages.prepare import prepare_most
from adjudge.packages.wheels import write_starters
from adjudge.preflight import VerifierPlace, choose_place
from adjudge.reports import html
from adjudge.sandbox import SandboxJob, choose_sandbox
from adjudge.scoring import outcome_of, score_output
from evidence.gallery import BY_STATUS, TEST_PY, UVX
from support.task_folders import write_task
from support.wheel_index import make_wheel, write_index

PREAMBLE = UVX.replace("pytest-json-ctrf==0.3.5", "pytest-json-ctrf")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cache that the sandbox's user can read and that nobody else's packages are in."""
    with tempfile.TemporaryDirectory(prefix="adjudge-test-cache-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        yield


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    wheels = write_index(tmp_path / "index")
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return wheels


GRADE_PY = """\
# /// script
# dependencies = ["pytest==8.4.1"]
# ///
import subprocess, sys
sys.exit(subprocess.call(["pytest", "/tests/test_outputs.py"]))
"""


def scored(
    folder: Path, sandbox: Provisioned, script: str, files: dict[str, str], answer: str
) -> EvaluationResult:
    task = adjudge.load_task(write_task(folder / "task", script=script, files=dict(files)))
    (folder / "answer.json").write_text(answer)
    return score_output(task, read_output(task, folder / "answer.json"), sandbox).result


@pytest.mark.parametrize(
    "script",
    [
        PREAMBLE,
        "set -e\ncurl -LsSf https://astral.sh/uv/install.sh | sh\n"
        "source $HOME/.local/bin/env\nset +e\nuvx pytest /tests/test_outputs.py",
        "uv run --with pytest==8.4.1 pytest /tests/test_outputs.py",
        "pip install -q pytest==8.4.1 && python3 -m pytest /tests/test_outputs.py",
        "python3 -m pip install pytest && pytest /tests/test_outputs.py",
        "python -m pytest /tests/test_outputs.py; false || [ $? -ne 9 ]; uvx pytest /tests/test_outputs.py",
        "pip install -r /tests/dev.txt && python3 -m pytest /tests/test_outputs.py",
        "uv run --script /tests/grade.py",
    ],
)
def test_the_usual_preamble_works_offline(tmp_path: Path, script: str) -> None:
    files = {
        "tests/test_outputs.py": TEST_PY,
        "tests/dev.txt": "-r base.txt\n",
        "tests/base.txt": "pytest==8.4.1\n",
        "tests/grade.py": GRADE_PY,
    }
    task = adjudge.load_task(write_task(tmp_path / "task", script=script, files=dict(files)))
    sandbox = provide(choose_sandbox(), named_packages(task).requirements, stand_ins=True)
    right = scored(tmp_path, sandbox, script + BY_STATUS, files, '{"flow": 4.2}')
    wrong = scored(tmp_path, sandbox, script + BY_STATUS, files, '{"flow": 7}')
    assert (right.reward, outcome_of(right)) == (1.0, Outcome.SCORED)
    assert (wrong.reward, outcome_of(wrong)) == (0.0, Outcome.WRONG)


def test_a_stand_in_passes_on_what_it_does_not_serve(tmp_path: Path) -> None:
    """To the machine's own program, if there is one; never to itself, again and again."""
    tmp_path.chmod(0o755)
    sandbox = provide(choose_sandbox(), ("pytest",), stand_ins=True)
    outcome = sandbox.run(
        SandboxJob(command=("curl", "--version"), tests=tmp_path, files={}, workdir="/workspace")
    )
    assert outcome.exit_code in (0, 127), outcome


def test_a_library_is_shown_and_the_record_says_so(tmp_path: Path) -> None:
    sandbox = provide(choose_sandbox(), ("numpy_of_ours==2.0",))
    files = {"tests/check.py": "import numpy_of_ours as np\nassert np.mean([1, 3]) == 2\n"}
    task = adjudge.load_task(
        write_task(tmp_path / "task", script="python3 /tests/check.py" + BY_STATUS, files=dict(files))
    )
    (tmp_path / "answer.json").write_text("{}")
    found = score_output(task, read_output(task, tmp_path / "answer.json"), sandbox)
    assert found.result.reward == 1.0
    assert found.run.backend.startswith("bubblewrap with packages ")
    assert "numpy_of_ours-2.0" in found.run.backend


@pytest.mark.parametrize("prepared", [True, False], ids=["--prepare", "--packages"])
def test_a_certificate_names_every_package_with_its_version(tmp_path: Path, prepared: bool) -> None:
    """Those that others need, too; and its digest, which a signature covers, says so."""
    script = "pip install pytest==8.4.1 && python3 -m pytest /tests/test_outputs.py" + BY_STATUS
    task = adjudge.load_task(
        write_task(tmp_path / "task", script=script, files={"tests/test_outputs.py": TEST_PY})
    )
    place = VerifierPlace(prepare=prepared, packages=() if prepared else ("pytest==8.4.1",))
    sandbox, problems = choose_place(place, [task])
    assert problems == []
    certificate = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate
    assert certificate.packages == ["pluggy-of-ours==1.0", "pytest==8.4.1"]
    assert certificate.sandbox == "bubblewrap"
    assert certificate.digest != certificate.model_copy(update={"packages": []}).digest
    assert "pluggy-of-ours==1.0, pytest==8.4.1" in html.render_certificates([certificate])


def test_stand_ins_serve_nothing_else(tmp_path: Path) -> None:
    sandbox = provide(choose_sandbox(), ("pytest==8.4.1",), stand_ins=True)
    script = (
        "pip install requests; a=$?; uvx ruff check; b=$?; pip install pytest==7.0; c=$?\n"
        "echo $a $b $c > /logs/verifier/codes.txt; echo 0 > /logs/verifier/reward.txt"
    )
    task = adjudge.load_task(write_task(tmp_path / "task", script=script))
    (tmp_path / "answer.json").write_text("{}")
    found = score_output(task, read_output(task, tmp_path / "answer.json"), sandbox)
    assert found.artifacts["codes.txt"] == b"1 1 1\n"
    assert "it was not prepared" in found.run.stderr


def test_the_same_request_gets_the_same_set_without_an_index(index: Path) -> None:
    first = prepare_packages(("pytest==8.4.1",), "3.11")
    shutil.rmtree(index)
    assert prepare_packages(("pytest==8.4.1",), "3.11") == first
    assert first.folder.is_relative_to(packages_home())


def test_a_set_that_another_process_has_put_there_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in use already: a verifier that runs while an equal one takes its place would see neither."""

    def slowly(made: Path) -> None:
        monkeypatch.setattr(prepare, "write_starters", write_starters)
        prepare_packages(("pytest==8.4.1",), "3.11").folder.joinpath("site", "theirs").touch()
        write_starters(made)

    monkeypatch.setattr(prepare, "write_starters", slowly)
    assert (prepare_packages(("pytest==8.4.1",), "3.11").folder / "site" / "theirs").is_file()


def test_what_cannot_be_had_is_told_in_pips_words() -> None:
    with pytest.raises(MachineryError, match="of_nobody"):
        prepare_packages(("package_of_nobody",), "3.11")
    with pytest.raises(UsageError, match="not a package"):
        prepare_packages(("--index-url=x",), "3.11")


def test_a_package_that_no_index_has_costs_only_itself(tmp_path: Path) -> None:
    """An image lists what the agent works with; the verifier runs without the one that has no wheel."""
    dockerfile = "FROM python:3.12\nRUN pip install numpy_of_ours package_of_nobody==2.5.0\n"
    files: dict[str, str | bytes] = {
        "tests/test_outputs.py": TEST_PY,
        "environment/Dockerfile": dockerfile,
    }
    task = adjudge.load_task(write_task(tmp_path / "task", script=f"{PREAMBLE}{BY_STATUS}", files=files))
    sandbox, told = choose_place(VerifierPlace(prepare=True), [task])
    assert "package_of_nobody==2.5.0" in told[0]
    assert "the other packages are there" in told[0]
    (tmp_path / "answer.json").write_text('{"flow": 4.2}')
    found = score_output(task, read_output(task, tmp_path / "answer.json"), sandbox)
    assert (found.result.reward, outcome_of(found.result)) == (1.0, Outcome.SCORED)


def test_a_package_that_asks_for_a_missing_one_costs_only_itself(index: Path) -> None:
    make_wheel(index, "needs_nobody", "1.0", {"needs_nobody.py": ""}, needs="package_of_nobody==5.0")
    wanted = ("needs_nobody==1.0", "numpy_of_ours", "pytest==8.4.1")
    found, left_out = prepare_most(wanted, "3.11", ())
    assert found.requirements == ("numpy_of_ours", "pytest==8.4.1")
    assert left_out == ("needs_nobody==1.0",)


def test_packages_that_do_not_go_together_leave_what_the_scripts_install(index: Path) -> None:
    make_wheel(index, "old_numpy", "1.0", {"old_numpy.py": ""}, needs="numpy_of_ours<2")
    wanted = ("old_numpy", "numpy_of_ours==2.0", "pytest==8.4.1")
    found, left_out = prepare_most(wanted, "3.11", ("pytest==8.4.1",))
    assert "pytest==8.4.1" in found.requirements
    assert "old_numpy" in left_out
