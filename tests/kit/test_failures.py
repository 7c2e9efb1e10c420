"""What a verifier leaves behind when the answer cannot be read, or when it fails itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import adjudge_kit
from adjudge.contracts import EvaluationResult
from adjudge.scoring import Outcome, outcome_of, read_artifacts
from adjudge_kit import Verifier
from support.kit_verifier import VOLTAGE, read, verify

# -- the agent's failures


@pytest.mark.parametrize(
    ("content", "category", "evidence"),
    [
        ("I could not solve it.", "parsing error", "no answer: no JSON in the text"),
        ('{"voltage_drop_v": 3.0', "parsing error", "no answer: not JSON"),
        (None, "output missing", "no answer: there is no file"),
    ],
)
def test_an_output_that_cannot_be_read_is_a_zero_with_its_reason(
    tmp_path: Path, content: str | None, category: str, evidence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    output, logs = tmp_path / "output.md", tmp_path / "logs"
    if content is not None:
        output.write_text(content)
    with Verifier.from_file(output, logs=logs) as v:
        verify(v)
        v.check("own", lambda given: given["x"] > 1)
        v.score("bonus", 1.0)
        v.not_applicable("wind", "indoors")
    found = read(logs)
    assert found["reward.json"] == {"reward": 0.0}
    assert {entry["score"] for entry in found["details.json"].values()} == {0.0}
    assert all(entry["evidence"].startswith(evidence) for entry in found["details.json"].values())
    assert [tag["category"] for tag in found["errors.json"]] == [category]
    assert capfd.readouterr().err == ""


# -- the verifier's own failures


def crashed(tmp_path: Path) -> EvaluationResult:
    """adjudge's view of the artifacts of a verifier that failed: nobody's wrong answer."""
    result = read_artifacts(tmp_path)
    assert result.reward == 0.0
    assert not result.validity.verifier_completed
    assert outcome_of(result) is Outcome.MACHINERY_FAILED
    return result


def test_a_crash_keeps_its_siblings_and_is_no_zero(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    v = Verifier(VOLTAGE, logs=tmp_path)
    v.number("voltage_drop_v", 3.04, rel=0.02)
    v.check("power", lambda given: given["power"] / 0)
    v.choice("compliance", "compliant")
    with pytest.raises(SystemExit) as stop:
        v.finish()
    assert str(stop.value) == (
        "adjudge_kit: no reward, because the verifier failed: power: KeyError: 'power'"
    )
    found = read(tmp_path)
    assert set(found) == {"details.json", "errors.json"}
    assert found["details.json"]["voltage_drop_v"]["score"] == 1.0
    assert found["details.json"]["compliance"]["score"] == 1.0
    assert found["details.json"]["power"] == {
        "score": None,
        "max_score": 1.0,
        "evidence": "check crashed: KeyError: 'power'",
        "weight": 1.0,
    }
    assert found["errors.json"] == [
        {"category": "verifier failure", "description": "power: KeyError: 'power'", "source": "mechanical"}
    ]
    assert "Traceback" in capfd.readouterr().err
    assert crashed(tmp_path).breakdown == found["details.json"]


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda v: v.number("x", 1.0, rell=0.1), "unexpected keyword argument 'rell'"),
        (lambda v: v.number("x", 0.0, rel=0.1), "give abs= as well"),
        (lambda v: v.number("x", 1.0, weight=-1), "weight is -1, max_score 1.0"),
        (lambda v: v.number("x", 1.0, max_score=0), "max_score 0; allowed"),
        (lambda v: v.number("a", 1.0), "another check has this name"),
        (lambda v: v.score("x", float("nan")), "a check returned nan"),
        (lambda v: v.check("x", lambda answer: "yes"), "a check returned 'yes'"),
        (lambda v: v.choice("x", "maybe", among=["yes", "no"]), "not among the choices"),
    ],
)
def test_an_authors_mistake_is_a_failure_of_that_check_alone(
    tmp_path: Path, mistake: Any, message: str
) -> None:
    v = Verifier({"a": 1.0, "x": 0.5, "z": 0.5}, logs=tmp_path)
    v.number("a", 1.0)
    mistake(v)
    v.number("z", 0.5, max_score=2)
    with pytest.raises(SystemExit, match=message):
        v.finish()
    details = read(tmp_path)["details.json"]
    assert (details["a"]["score"], details["z"]["score"]) == (1.0, 2.0)
    crashed(tmp_path)


def test_a_crash_between_the_checks(tmp_path: Path) -> None:
    def verifier() -> None:
        with Verifier({"a": 1.0}, logs=tmp_path) as v:
            v.number("a", 1.0)
            v.number("b", 1 / 0)

    with pytest.raises(SystemExit, match="between the checks: ZeroDivisionError"):
        verifier()
    assert read(tmp_path)["details.json"]["a"]["score"] == 1.0
    crashed(tmp_path)


@pytest.mark.parametrize("options", [{"rollup": "median"}, {"rollup": "min", "weight": 0.0}])
def test_a_reward_that_cannot_be_worked_out(tmp_path: Path, options: dict[str, Any]) -> None:
    v = Verifier({"a": 1.0}, logs=tmp_path)
    v.number("a", 1.0, weight=options.get("weight", 1.0))
    with pytest.raises(SystemExit, match="reward: ValueError"):
        v.finish(rollup=options["rollup"])
    crashed(tmp_path)


def test_leaving_by_force_writes_nothing(tmp_path: Path) -> None:
    def verifier() -> None:
        with Verifier({"a": 1.0}, logs=tmp_path) as v:
            v.number("a", 1.0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verifier()
    assert read(tmp_path) == {}


def test_finishing_twice_in_a_block_writes_once(tmp_path: Path) -> None:
    with Verifier({"a": 0.4}, logs=tmp_path) as v:
        v.number("a", 1.0, abs=0.5, fade=2)
        assert v.finish("threshold", 0.7) == 1.0
    assert read(tmp_path)["details.json"]["a"]["threshold"] == 0.7
    assert read(tmp_path)["reward.json"] == {"reward": 1.0}


def test_a_planted_reward_does_not_survive(tmp_path: Path) -> None:
    """Even where the verifier dies before it can write its own."""
    target = tmp_path / "elsewhere"
    target.write_text("keep")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "reward.json").write_text('{"reward": 1.0}')
    (tmp_path / "logs" / "reward.txt").write_text("1.0")
    (tmp_path / "logs" / "details.json").symlink_to(target)
    Verifier({}, logs=tmp_path / "logs")
    assert list((tmp_path / "logs").iterdir()) == []
    assert target.read_text() == "keep"


def test_as_a_script_the_exit_code_tells(tmp_path: Path) -> None:
    """The verifier of the docstring, run as `python3 verify.py` beside the kit."""
    script = tmp_path / "verify.py"
    script.write_text(
        "from adjudge_kit import Verifier\n"
        f"with Verifier.from_file({str(tmp_path / 'output.md')!r}, logs={str(tmp_path / 'logs')!r}) as v:\n"
        "    v.number('a', 1.0)\n"
        "    v.check('b', lambda answer: answer['b'] / answer['a'])\n"
    )
    (tmp_path / "adjudge_kit.py").write_bytes(Path(adjudge_kit.__file__).read_bytes())
    (tmp_path / "output.md").write_text('```json\n{"a": 1.0, "b": 0.5}\n```')
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert read(tmp_path / "logs")["reward.json"] == {"reward": 0.75}
    (tmp_path / "output.md").write_text('```json\n{"a": 0.0, "b": 0.5}\n```')
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith(
        "adjudge_kit: no reward, because the verifier failed: b: ZeroDivisionError: float division by zero\n"
    )
    crashed(tmp_path / "logs")
