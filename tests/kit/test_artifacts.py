"""What a verifier leaves behind: whole files, honest failures, and no secret references."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from adjudge.scoring import read_artifacts
from adjudge_kit import Verifier, near
from support.kit_verifier import VOLTAGE, read, verify


def test_a_typical_verifier(tmp_path: Path) -> None:
    """(1*1 + 0*2 + 1*1) / 4 = 0.5."""
    with Verifier(VOLTAGE, logs=tmp_path) as v:
        verify(v)
    assert read(tmp_path) == {
        "reward.json": {"reward": 0.5},
        "errors.json": [
            {
                "category": "percent against fraction",
                "description": "voltage_drop_pct: answer / reference = 100: percent given for fraction?",
                "source": "mechanical",
            }
        ],
        "details.json": {
            "voltage_drop_v": {
                "score": 1.0,
                "max_score": 1.0,
                "evidence": "3.05 V is within 2 % of 3.04 V",
                "weight": 1.0,
                "expected": 3.04,
                "tolerance": pytest.approx(0.0608),
                "actual": 3.05,
                "unit": "V",
            },
            "voltage_drop_pct": {
                "score": 0.0,
                "max_score": 1.0,
                "evidence": "1.32 for 0.0132: percent given for fraction? (off by 1.307, 9.9e+03 %; "
                "allowed: 0.000264); weight 2",
                "weight": 2,
                "expected": 0.0132,
                "tolerance": pytest.approx(0.000264),
                "actual": 1.32,
            },
            "compliance": {
                "score": 1.0,
                "max_score": 1.0,
                "evidence": 'correctly "Compliant"',
                "weight": 1.0,
                "expected": "compliant",
                "actual": "Compliant",
            },
        },
    }


def test_a_guess_that_other_wrong_numbers_speak_against_is_taken_back(tmp_path: Path) -> None:
    """A ratio of the square root of 3 beside another wrong current is a coincidence, beside the same not."""

    def tags(answer: dict[str, float], **options: Any) -> list[str]:
        with Verifier(answer, logs=tmp_path, **options) as v:
            v.number("line_current", 100.0, rel=0.01, unit="A")
            v.number("fault_current", 40.0, rel=0.01, unit="A")
        return [tag["category"] for tag in json.loads((tmp_path / "errors.json").read_text())]

    assert tags({"line_current": 173.2, "fault_current": 40.0}) == ["unit mismatch"]
    assert tags({"line_current": 173.2, "fault_current": 69.28}) == ["unit mismatch", "unit mismatch"]
    assert tags({"line_current": 173.2, "fault_current": 51.3}) == []
    with Verifier(
        {"drop_v": 8.102, "drop_pct": 3.523}, logs=tmp_path
    ) as v:  # what follows from it is no denial
        v.number("drop_v", 4.67758, rel=0.02, unit="V")
        v.number("drop_pct", 2.03373, rel=0.02, unit="%")
    assert [tag["category"] for tag in json.loads((tmp_path / "errors.json").read_text())] == [
        "unit mismatch"
    ]
    assert tags({"line_current": 173.2, "fault_current": 51.3}) == []
    details = json.loads((tmp_path / "details.json").read_text())
    assert details["line_current"]["evidence"] == "173.2 A, not 100 A (off by 73.2 A, 73.2 %; allowed: 1)"
    assert tags({"line_current": 173.2, "fault_current": 51.3}, reveal=False) == []
    details = json.loads((tmp_path / "details.json").read_text())
    assert details["line_current"]["evidence"] == "outside tolerance"
    assert tags({"line_current": 100_000.0, "fault_current": 51.3}) == ["unit mismatch"]  # mA: no coincidence


def test_adjudge_reads_it_without_a_complaint(tmp_path: Path) -> None:
    with Verifier(VOLTAGE, logs=tmp_path) as v:
        verify(v)
    result = read_artifacts(tmp_path, strict=True)
    assert result.reward == 0.5
    assert result.validity.errors == []
    assert [tag.category for tag in result.error_taxonomy or ()] == ["percent against fraction"]


@pytest.mark.parametrize(
    ("rollup", "threshold"),
    [("weighted_mean", 0.5), ("min", 0.5), ("geometric_mean", 0.5), ("all_pass", 0.2), ("threshold", 0.3)],
)
def test_no_rollup_looks_like_a_disagreement(tmp_path: Path, rollup: str, threshold: float) -> None:
    with Verifier({}, rollup=rollup, threshold=threshold, logs=tmp_path) as v:
        v.score("a", 0.9, weight=1)
        v.score("b", 0.25, weight=4)
    assert read_artifacts(tmp_path, strict=True).error_taxonomy is None


def test_every_check_by_name(tmp_path: Path) -> None:
    answer = {
        "n": 5,
        "r": "0.9",
        "b": True,
        "c": "yes",
        "t": "Hello  World",
        "m": ["x", "y"],
        "s": [1.0, 2.0],
        "rec": [{"id": 1, "v": 2.0}],
        "tab": "id,v\n1,2.0\n",
        "deep": {"list": [{"v": 7}]},
    }
    v = Verifier(answer, strings=True, logs=tmp_path)
    v.number("n", 5)
    v.between("r", 0.8, 1.0)
    v.boolean("b", True)
    v.choice("c", ["yes", "true"])
    v.text("t", "hello world", ignore_case=True, ignore_space=True)
    v.members("m", {"y", "x"})
    v.members("m2", ["X"], each=near(), at="s")
    v.sequence("s", (1.0, 2.0), rel=0.01)
    v.sequence("s2", [1.0, 2.0], each=near(rel=0.1), at="s")
    v.records("rec", [{"id": 1, "v": 2.01}], key="id", rel=0.01)
    v.table("tab", "id,v\n1,2.0\n", key=["id"])
    v.table("tab2", [{"id": 1, "v": 2.0}], key="id", fields={"v": near(strings=True)}, at="tab")
    v.number("deep.list.0.v", 7)
    v.number("deep", 7, at="deep.list[0].v", max_score=4, weight=3)
    v.check("own bool", lambda given: given["n"] == 5)
    v.check("own share", lambda given: (0.5, "half of it"), max_score=10)
    v.check("own number", lambda given: 0)
    v.check("own outcome", lambda given: near()(5, given["n"], "n"))
    v.score("mine", 3, max_score=4, evidence="three of four")
    v.not_applicable("wind", "an indoor structure")
    scores = {}
    with pytest.raises(SystemExit, match="m2: ValueError: the reference X is not a finite number"):
        v.finish()
    for name, entry in read(tmp_path)["details.json"].items():
        scores[name] = entry["score"]
    assert scores.pop("own share") == 5.0
    assert scores.pop("own number") == 0.0
    assert scores.pop("mine") == 3.0
    assert scores.pop("deep") == 4.0
    assert scores.pop("wind") is None
    assert scores.pop("m2") is None
    assert set(scores.values()) == {1.0}


def test_a_list_is_itself_the_collection(tmp_path: Path) -> None:
    with Verifier([{"id": "S1", "d": "560"}], logs=tmp_path) as v:
        v.table("ducts", [{"id": "S1", "d": 560}], key="id")
        v.records("again", [{"id": "S1", "d": 560}], key="id", fields={"d": near(strings=True)})
        v.members("nothing", [])
        v.sequence("nothing else", [], at="")
    details = read(tmp_path)["details.json"]
    assert [entry["score"] for entry in details.values()] == [1.0, 1.0, 0.0, 0.0]


def test_numbers_of_plain_text_need_no_permission(tmp_path: Path) -> None:
    with Verifier("Nq: 18.4\nNc = 30.1 (see table)", logs=tmp_path) as v:
        v.number("Nq", 18.4)
        v.number("Nc", 30.1)
        v.number("Ng", 22.4)
    entries = read(tmp_path)["details.json"]
    assert [entry["score"] for entry in entries.values()] == [1.0, 0.0, 0.0]
    assert entries["Ng"]["evidence"] == "missing: the answer is text"
    assert [tag["category"] for tag in read(tmp_path)["errors.json"]] == ["extra text", "missing field"]


def test_a_missing_field_says_what_is_there(tmp_path: Path) -> None:
    with Verifier({"Voltage": 3.04, "x": None}, logs=tmp_path) as v:
        v.number("voltage", 3.04)
        v.number("x", 3.04)
    entries = read(tmp_path)["details.json"]
    assert entries["voltage"]["evidence"] == "missing; the answer has: Voltage, x"
    assert entries["x"]["evidence"] == "null"
    with Verifier({}, logs=tmp_path) as v:
        v.number("voltage", 3.04)
    assert read(tmp_path)["details.json"]["voltage"]["evidence"] == "missing; the answer has: nothing"


def test_swapped_fields_are_one_mistake(tmp_path: Path) -> None:
    """Each alone would look like percent against fraction; together they are exchanged."""
    answer = {"drop": 0.0304, "share": 3.04, "top": "C40", "bottom": "C25", "left": 5.0, "right": -5.0}
    with Verifier(answer, logs=tmp_path) as v:
        v.number("drop", 3.04, rel=0.01)
        v.number("share", 0.0304, rel=0.01)
        v.text("top", "C25")
        v.text("bottom", "C40")
        v.number("left", -5.0)
        v.number("right", 5.0)
    assert [(tag["category"], tag["description"]) for tag in read(tmp_path)["errors.json"]] == [
        ("swapped fields", "drop and share exchanged?"),
        ("swapped fields", "top and bottom exchanged?"),
        ("sign", "left: 5 for -5: opposite sign?"),  # a flipped convention, not an exchange
        ("sign", "right: -5 for 5: opposite sign?"),
    ]


def test_a_hundred_records_in_millimetres_are_one_mistake(tmp_path: Path) -> None:
    reference = [{"id": i, "x_m": float(i + 1)} for i in range(100)]
    with Verifier([{"id": i, "x_m": 1000.0 * (i + 1)} for i in range(100)], logs=tmp_path) as v:
        v.records("nodes", reference, key="id", rel=0.01)
    assert len(read(tmp_path)["errors.json"]) == 3


def test_tags_of_the_tasks_own(tmp_path: Path) -> None:
    with Verifier({"n": 1}, logs=tmp_path) as v:
        v.number("n", 1)
        v.tag("wrong load case", "used LC2 \x1b[31m")
    assert read(tmp_path)["errors.json"] == [
        {"category": "wrong load case", "description": "used LC2 \\x1b[31m", "source": "mechanical"}
    ]


def test_references_can_be_kept_secret(tmp_path: Path) -> None:
    answer = {
        "a": 3040.0,
        "b": 3.05,
        "c": "x",
        "d": False,
        "e": [1],
        "f": [{"id": 1, "v": 9.0}],
        "g": 9,
        "h": [2],
    }
    with Verifier(answer, reveal=False, logs=tmp_path) as v:
        v.number("a", 3.0417, rel=0.01)
        v.number("b", 3.0417, rel=0.01)
        v.text("c", "SECRET")
        v.boolean("d", True)
        v.members("e", ["SECRET"])
        v.records("f", [{"id": 1, "v": 3.0417}], key="id")
        v.between("g", 3.0417, 4)
        v.sequence("h", [3.0417])
    written = "".join(path.read_text() for path in tmp_path.iterdir())
    for secret in ("3.04", "SECRET", '"expected"', '"tolerance"', "answer / reference"):
        assert secret not in written.replace("3040", "").replace("3.05", "")
    assert "mm given for m" in written


def test_the_environment_can_move_the_artifacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_LOGS", str(tmp_path / "made" / "for it"))
    with Verifier({"a": 1.0}) as v:
        v.number("a", 1.0)
    assert read(tmp_path / "made" / "for it")["reward.json"] == {"reward": 1.0}
    monkeypatch.delenv("ADJUDGE_LOGS")
    assert Verifier({}).logs == "/logs/verifier"


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming comes last; until then a reader finds nothing under the name."""
    seen = []
    replace = os.replace

    def watch(part: str, path: str) -> None:
        json.loads(Path(part).read_text())
        seen.append((Path(path).name, Path(path).exists()))
        replace(part, path)

    monkeypatch.setattr(os, "replace", watch)
    with Verifier({"a": 1.0}, logs=tmp_path) as v:
        v.number("a", 1.0)
    assert seen == [("details.json", False), ("errors.json", False), ("reward.json", False)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["details.json", "errors.json", "reward.json"]


def test_a_guess_is_taken_back_if_other_records_speak_against_it(tmp_path: Path) -> None:
    """Losses per metre of ducts: a tenth where the duct happens to be 10 m long, other shares elsewhere."""
    ducts = [{"id": f"S{n}", "loss_pa": 4.2 * length} for n, length in enumerate((37.0, 10.0, 22.0))]
    per_metre = [{"id": duct["id"], "loss_pa": 4.2} for duct in ducts]
    one_slip = [duct if duct["id"] != "S1" else {"id": "S1", "loss_pa": 4.2} for duct in ducts]

    def tags(answer: list[dict[str, object]]) -> list[str]:
        with Verifier({"ducts": answer}, logs=str(tmp_path)) as v:
            v.records("ducts", ducts, key="id", rel=0.005)
        return [tag["category"] for tag in json.loads((tmp_path / "errors.json").read_text())]

    assert tags(per_metre) == []
    assert tags(one_slip) == ["order of magnitude"]
