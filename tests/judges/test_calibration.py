"""A judge is held against people: known rates come back, estimates cover, and nothing uncalibrated pays."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.judges import (
    JudgeRubric,
    Scale,
    ScaleKind,
    UnlabelledScore,
    VerdictPair,
    calibrate_criterion,
    calibrated_criteria,
    chances,
    count_looks,
    draw,
    drift,
    record_calibration,
)
from adjudge.ledger import open_ledger, read_selections
from support.command_line import run_adjudge
from support.judge_cases import DEPTH, WHY, judged_ledger, rubric_file
from support.trial_samples import annotation

ONLY_WHY = JudgeRubric(name="why", dimensions=[WHY])


def simulated(
    seed: int, n: int, *, rate: float, sensitivity: float, specificity: float, chance: float | None = 0.1
) -> list[VerdictPair]:
    """Trials whose truth is known, and a judge with known rates."""
    lot = random.Random(seed)  # noqa: S311 - a simulation
    pairs = []
    for number in range(n):
        truth = lot.random() < rate
        said = lot.random() < (sensitivity if truth else 1 - specificity)
        pairs.append(
            VerdictPair(f"t{number}", f"task-{number % 20}", f"a{number % 2}", number, said, truth, chance)
        )
    return pairs


def places(pairs: list[VerdictPair]) -> list[UnlabelledScore]:
    return [UnlabelledScore(pair.task, float(bool(pair.judge))) for pair in pairs]


def inside(value: float, shown: dict[str, Any]) -> bool:
    return bool(shown["interval"]["low"] <= value <= shown["interval"]["high"])


def test_calibration_recovers_the_rates_of_a_simulated_judge() -> None:
    pairs = simulated(1, 2000, rate=0.6, sensitivity=0.9, specificity=0.8)
    found = calibrate_criterion(WHY, pairs, [], draws=199)
    assert inside(0.9, found["sensitivity"])
    assert inside(0.8, found["specificity"])
    assert found["calibrated"]
    # kappa of these rates: po = .6*.9 + .4*.8 = .86, judge passes .62, pe = .6*.62 + .4*.38 = .524
    assert found["agreement"]["kappa"]["value"] == pytest.approx((0.86 - 0.524) / (1 - 0.524), abs=0.04)
    assert sum(count for _, _, count in found["confusion"]) == 2000


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_estimates_cover_the_truth_at_their_rate(rate: float) -> None:
    """300 calibrations of 95 % intervals: a rate of 0.95 gives fewer than 273 hits once in two thousand."""
    corrected = powered = 0
    for seed in range(300):
        pairs = simulated(seed, 80, rate=rate, sensitivity=0.85, specificity=0.8, chance=80 / 480)
        others = simulated(10_000 + seed, 400, rate=rate, sensitivity=0.85, specificity=0.8)
        shown = estimates(pairs, places(others))
        corrected += inside(rate, shown["corrected"])
        powered += inside(rate, shown["prediction_powered"])
    assert 273 <= corrected <= 300
    assert 273 <= powered <= 300


def estimates(pairs: list[VerdictPair], others: list[UnlabelledScore]) -> dict[str, Any]:
    """Only the estimates: resampling for the agreement 600 times would take minutes."""
    from adjudge.judges.trust.calibration import _estimates

    return _estimates(WHY, pairs, others)


def test_both_together_narrow_what_labels_alone_say() -> None:
    pairs = simulated(3, 80, rate=0.5, sensitivity=0.95, specificity=0.95, chance=80 / 2080)
    others = places(simulated(4, 2000, rate=0.5, sensitivity=0.95, specificity=0.95))
    with_judge = estimates(pairs, others)["prediction_powered"]["interval"]
    alone = estimates(pairs, others)["reviewed"]["interval"]
    assert with_judge["high"] - with_judge["low"] < 0.6 * (alone["high"] - alone["low"])


def test_reviews_that_nobody_knows_the_choice_of_give_no_estimate() -> None:
    picked = simulated(1, 100, rate=0.5, sensitivity=0.9, specificity=0.9, chance=None)
    assert estimates(picked, [UnlabelledScore("k", 1.0)] * 10) == {
        "none": "nobody recorded with which probability the labelled trials were chosen"
    }
    few = simulated(2, 50, rate=0.5, sensitivity=0.9, specificity=0.9, chance=0.5)
    assert (
        "stand, by their probabilities, for 100 of 1,050 trials"
        in estimates(few, places(picked) * 10)["none"]
    )


def test_a_label_that_somebody_picked_counts_as_a_score_alone() -> None:
    drawn = simulated(2, 100, rate=0.5, sensitivity=0.9, specificity=0.9, chance=0.5)
    picked = simulated(1, 100, rate=0.5, sensitivity=0.9, specificity=0.9, chance=None)
    assert estimates([*drawn, *picked], []) == estimates(drawn, places(picked))


def test_doubtful_trials_drawn_more_often_still_cover_the_truth() -> None:
    """As `--suggest` draws: the judge errs on doubtful trials alone, which are drawn three times as often."""
    hits = {"prediction_powered": 0, "corrected": 0, "reviewed": 0}
    for seed in range(200):
        lot = random.Random(seed)  # noqa: S311 - a simulation
        pairs, others = [], []
        for number in range(600):
            doubtful = lot.random() < 0.3
            truth = lot.random() < (0.5 if doubtful else 0.7)
            said = truth if not doubtful or lot.random() < 0.7 else not truth
            chance, task = (0.3 if doubtful else 0.1), f"task-{number}"
            if lot.random() < chance:
                pairs.append(VerdictPair(f"t{number}", task, "a", number, said, truth, chance))
            else:
                others.append(UnlabelledScore(task, float(said)))
        shown = estimates(pairs, others)
        for name in hits:
            hits[name] += inside(0.3 * 0.5 + 0.7 * 0.7, shown[name])
    assert all(180 <= found <= 200 for found in hits.values()), hits


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        (
            simulated(1, 29, rate=0.5, sensitivity=1.0, specificity=1.0),
            "29 trials with both verdicts, and 30",
        ),
        (simulated(1, 200, rate=0.5, sensitivity=0.6, specificity=0.6), "below 0.6"),
        (simulated(1, 200, rate=0.9, sensitivity=1.0, specificity=0.0), "the same rating"),
        ([], "0 trials with both verdicts"),
    ],
    ids=["too few", "too weak", "always yes", "none"],
)
def test_a_judge_that_has_not_earned_it_is_not_calibrated(pairs: list[VerdictPair], why: str) -> None:
    found = calibrate_criterion(WHY, pairs, [], draws=199)
    assert not found["calibrated"]
    assert why in found["why_not"]


def test_ordered_levels_and_numbers_are_held_against_people_too() -> None:
    lot = random.Random(5)  # noqa: S311 - a simulation
    labels = ["absent", "partial", "full"]
    levels = [VerdictPair(f"t{n}", "k", "a", n, labels[k := lot.randrange(3)], labels[k]) for n in range(60)]
    found = calibrate_criterion(DEPTH, levels, [], draws=99)
    assert found["calibrated"]
    assert "linear weights" in found["agreement"]["kappa"]["method"]
    numeric = DEPTH.model_copy(update={"scale": Scale(kind=ScaleKind.NUMERIC, low=0.0, high=10.0)})
    numbers = [VerdictPair(f"t{n}", "k", "a", n, float(n % 11), float(n % 11)) for n in range(60)]
    assert calibrate_criterion(numeric, numbers, [], draws=99)["calibrated"]


def test_a_judge_that_likes_length_or_an_agent_shows_it() -> None:
    pairs = [VerdictPair(f"t{n}", "k", f"a{n % 2}", n, n >= 50 or n % 2 == 1, n % 2 == 1) for n in range(100)]
    lenient = calibrate_criterion(WHY, pairs, [], draws=99)["leniency"]
    assert lenient["longer"]["value"] == 0.5
    assert lenient["shorter"]["value"] == 0.0
    assert lenient["by_agent"]["a0"]["value"] == 0.5
    assert lenient["by_agent"]["a1"]["value"] == 0.0
    assert lenient["by_agent"]["a0"]["interval"]["low"] > 0


def test_many_looks_at_the_same_trials_cost_level(tmp_path: Path) -> None:
    """Whoever tries judge after judge on the same labels would find one that agrees by luck."""
    pairs = simulated(1, 60, rate=0.5, sensitivity=0.95, specificity=0.9)
    ids = [pair.trial_id for pair in pairs]
    with open_ledger(tmp_path / "a.db") as book:
        first = calibrate_criterion(WHY, pairs, [], draws=999)
        assert (first["looks"], first["level"], count_looks(book, "why", "why", "j", ids)) == (1, 0.95, 1)
        record_calibration(book, "j", "why", first)
        assert count_looks(book, "why", "why", "j", ids) == 1, "the same again is no new look"
        assert count_looks(book, "why", "why", "another judge", ids) == 2
        assert count_looks(book, "why", "why", "j", ids[:50]) == 2, "and neither is stopping when it fits"
        assert count_looks(book, "why", "why", "another judge", ["fresh"]) == 1
        assert count_looks(book, "another", "why", "j", ids) == 1
    tenth = calibrate_criterion(WHY, pairs, [], draws=999, looks=10)
    assert tenth["level"] == pytest.approx(1 - 0.1 / 110)
    assert tenth["lower_end"] < first["lower_end"]


def test_a_judge_that_only_guesses_is_not_found_by_trying_many() -> None:
    """Forty judges that agree with people at a kappa of 0.6, not above: one in twenty families may pass."""
    passed = 0
    for family in range(20):
        for number in range(40):
            pairs = simulated(1000 * family + number, 60, rate=0.5, sensitivity=0.8, specificity=0.8)
            low = wald_lower_end(pairs, 1 - 0.1 / ((number + 1) * (number + 2)))
            if low >= 0.6:
                passed += 1
                break
    assert passed <= 4


def wald_lower_end(pairs: list[VerdictPair], level: float) -> float:
    """Kappa's lower end by its large-sample error: what the command does by resampling, for 800 draws."""
    from statistics import NormalDist

    n = len(pairs)
    agree = sum(pair.judge == pair.people for pair in pairs) / n
    judge, people = sum(bool(p.judge) for p in pairs) / n, sum(bool(p.people) for p in pairs) / n
    chance = judge * people + (1 - judge) * (1 - people)
    error = (agree * (1 - agree) / n) ** 0.5 / (1 - chance)
    return (agree - chance) / (1 - chance) - NormalDist().inv_cdf(0.5 + level / 2) * float(error)


def test_drift_since_the_last_calibration(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as book:
        good = calibrate_criterion(
            WHY, simulated(1, 300, rate=0.5, sensitivity=0.95, specificity=0.95), [], draws=199
        )
        assert drift(book, "j", good) is None
        record_calibration(book, "j", "why", good)
        assert calibrated_criteria(book) == {("j", "why")}
        worse = calibrate_criterion(
            WHY, simulated(2, 300, rate=0.5, sensitivity=0.7, specificity=0.7), [], draws=199
        )
        assert drift(book, "j", worse)["changed"] is True  # type: ignore[index]
        assert drift(book, "j", good)["changed"] is False  # type: ignore[index]
        record_calibration(book, "j", "why", worse)
        assert calibrated_criteria(book) == frozenset()


def test_suggested_trials_are_drawn_with_recorded_probabilities(tmp_path: Path) -> None:
    book, truth = judged_ledger(tmp_path / "a.db", 40, ONLY_WHY)
    rubric = tmp_path / "judge.toml"
    rubric.write_text(
        'name = "why"\n[[dimensions]]\nid = "why"\nweight = 2\n'
        f"criterion = {json.dumps(WHY.criterion)}\notherwise = false\n"
        'patterns = [{match = "because .*", verdict = true, reason = "a reason is given"}]\n'
    )
    done = run_adjudge(
        "calibrate", "--rubric", rubric, "--suggest", 10, "--json", "--ledger", tmp_path / "a.db"
    )
    drawn = json.loads(done.stdout)
    assert 3 <= len(drawn) <= 18
    recorded = read_selections(book)
    assert {row["trial_id"]: row["probability"] for row in drawn} == {
        i: made[0].probability for i, made in recorded.items()
    }
    assert set(recorded) <= set(truth)
    for trial_id in recorded:
        book.annotate(trial_id, annotation("ada", "pass" if truth[trial_id] else "fail"))
    again = run_adjudge(
        "calibrate", "--rubric", rubric, "--from-annotations", "why", "--json", "--ledger", tmp_path / "a.db"
    )
    [found] = json.loads(again.stdout)
    assert (found["items"], found["calibrated"]) == (len(drawn), False)
    assert found["estimates"]["prediction_powered"]["value"] is not None


def test_rounds_of_suggestions_are_one_sample(tmp_path: Path) -> None:
    """What was drawn stays drawn; the second round raises every probability to that of both together."""
    judged_ledger(tmp_path / "a.db", 60, ONLY_WHY)
    rubric = rubric_file(tmp_path / "judge.toml")
    rounds = []
    for _ in range(2):
        done = run_adjudge(
            "calibrate", "--rubric", rubric, "--suggest", 12, "--json", "--ledger", tmp_path / "a.db"
        )
        rounds.append({row["trial_id"]: row["probability"] for row in json.loads(done.stdout)})
    first, second = rounds
    assert set(first) < set(second)
    assert all(chance == pytest.approx(12 / 60) for chance in first.values())
    assert all(chance == pytest.approx((len(first) + 12) / 60) for chance in second.values())


def test_chances_add_up_and_doubt_draws_more() -> None:
    made = chances({"sure": 0.05, "unsure": 0.45, "third": 0.05, "fourth": 0.2}, 2)
    assert sum(made.values()) == pytest.approx(2)
    assert made["unsure"] == pytest.approx(3 * made["sure"]) or made["unsure"] == 1.0
    assert chances({"a": 0.5, "b": 0.5}, 5) == {"a": 1.0, "b": 1.0}
    counts = [len(draw({f"t{n}": 0.3 for n in range(100)}, seed)) for seed in range(50)]
    assert 27 <= sum(counts) / 50 <= 33
    assert draw({"a": 0.5}, 1) == draw({"a": 0.5}, 1)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"trial_id": "t", "criterion": "other", "verdict": true, "reviewer": "a"}', "no such criterion"),
        ('{"trial_id": "t", "criterion": "why", "verdict": "yes", "reviewer": "a"}', "no verdict of this"),
        ('{"trial_id": "t", "criterion": "why", "verdict": true}', "this field is missing"),
        ("{", "labels.jsonl:1"),
    ],
)
def test_a_bad_label_is_named_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    from adjudge.judges import read_labels

    path = tmp_path / "labels.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UsageError, match=r"labels\.jsonl:1") as refused:
        read_labels(path, ONLY_WHY)
    assert why in str(refused.value)
