"""Structure scores: no trial is its own reference, noise is called noise at its rate, and a link is found."""

from __future__ import annotations

import random

import pytest

from adjudge.reports import html
from adjudge.traces import (
    KindSequence,
    StructureTest,
    TurnKind,
    edit_distance,
    link_to_reward,
    reference_sequence,
    score_structures,
    transition_counts,
)

E, V, D, X = TurnKind.EXECUTION, TurnKind.VERIFICATION, TurnKind.DELIBERATION, TurnKind.EXPLORATION


def test_transitions_by_hand() -> None:
    """D E E V: one each of D->E, E->E, E->V; rows and columns in the order E, V, D, X."""
    assert transition_counts([D, E, E, V]) == [1, 1, 0, 0, *[0] * 4, 1, 0, 0, 0, *[0] * 4]
    assert transition_counts([D]) == [0] * 16
    assert transition_counts([]) == [0] * 16


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("", "", 0),
        ("DEV", "DEV", 0),
        ("DEV", "DV", 1),
        ("DEV", "XEV", 1),
        ("", "DEV", 3),
        ("DEVD", "EVDX", 2),
    ],
)
def test_edit_distance_by_hand(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b) == edit_distance(b, a) == distance


def test_the_reference_is_the_one_in_the_middle() -> None:
    assert reference_sequence([(D, E, V), (D, E, V, V), (D, E, V, V, V)]) == (D, E, V, V)
    assert reference_sequence([]) is None


def test_references_come_from_other_tasks_only() -> None:
    trials = [
        KindSequence("own", "a", "x", 1.0, (X, X, X)),
        KindSequence("low", "b", "x", 0.0, (X, X, X)),
        KindSequence("good", "b", "x", 1.0, (D, E, V)),
    ]
    own, low, good = score_structures(trials)
    assert own.similarity == pytest.approx(0.0)  # its reference is (D, E, V) of task b alone
    assert low.similarity == pytest.approx(1.0)  # its reference is (X, X, X) of task a
    assert good.similarity == pytest.approx(0.0)
    assert good.distance == 1.0
    alone = score_structures([trials[0]])
    assert (alone[0].similarity, alone[0].distance) == (None, None)


def simulated(seed: int, *, link: float, tasks: int = 12, each: int = 8) -> list[KindSequence]:
    """Trials whose reward depends on whether they verify, as strongly as `link` says."""
    lot = random.Random(seed)  # noqa: S311 - a simulation
    trials = []
    for task in range(tasks):
        for number in range(each):
            careful = lot.random() < 0.5
            kinds = tuple(lot.choices([E, V, D, X], [3, 3, 2, 1] if careful else [3, 1, 1, 3], k=30))
            chance = 0.5 + (link / 2 if careful else -link / 2)
            trials.append(
                KindSequence(f"{task}-{number}", f"k{task}", "a", float(lot.random() < chance), kinds)
            )
    return trials


def test_noise_is_called_noise_at_its_rate() -> None:
    """200 ledgers without a link: p <= 0.1 in about 20; more than 33 or fewer than 8 is once in 500."""
    hits = sum(
        (link_to_reward(simulated(seed, link=0.0), permutations=39).p or 1.0) <= 0.1 for seed in range(200)
    )
    assert 8 <= hits <= 33


def test_a_link_that_is_there_is_found() -> None:
    found = [link_to_reward(simulated(seed, link=0.8), permutations=99) for seed in range(20)]
    assert sum((one.p or 1.0) <= 0.05 for one in found) >= 18
    assert all(one.value is not None and one.low is not None and one.low < one.value for one in found)


def test_the_same_trials_in_any_order_give_the_same_answer() -> None:
    trials = simulated(1, link=0.5)
    assert link_to_reward(trials, permutations=49) == link_to_reward(trials[::-1], permutations=49)


def test_what_cannot_be_told_says_why() -> None:
    found = link_to_reward([KindSequence("a", "t", "x", 1.0, (E, V))], permutations=19)
    assert (found.value, found.p) == (None, None)
    assert "no task has trials of different rewards" in str(found.reason)
    assert "cannot be told" in html.structure_sentence(found)
    assert link_to_reward([], permutations=19).value is None


def test_the_page_escapes_names() -> None:
    test = StructureTest(0.5, 0.1, 0.8, 0.01, 1, 1)
    page = html.render_structure([KindSequence("t", "k", "<script>x</script>", 1.0, (E, V, E))], test)
    assert "<script" not in page
    assert "goes with reward" in page
    assert page.count("<rect") == 3
