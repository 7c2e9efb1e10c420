"""Turn kinds by a judge, in batches: for the turns that the mechanical classifier cannot tell.

Each turn of a batch is a criterion with four labels, so everything that holds for judges holds here: strict
answers, seal and fence, several models and samples, the cache. The kind with most votes wins, its share is
the confidence, and a tie abstains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from adjudge.judges.calls.asking import Asker
from adjudge.judges.calls.call import Request
from adjudge.judges.material import Material, turn_text
from adjudge.judges.pipeline import HeardVotes, Panel, ask_group, group_requests
from adjudge.judges.rubric import JudgeDimension
from adjudge.judges.scale import Level, Scale, ScaleKind
from adjudge.traces import Turn, TurnClassification, TurnKind

BATCH = 12
_MEANING = {
    TurnKind.EXECUTION: "acting: tool calls, code, structured output",
    TurnKind.VERIFICATION: "checking results, looking back",
    TurnKind.DELIBERATION: "committed reasoning, step by step",
    TurnKind.EXPLORATION: "alternatives, hypotheses, open questions",
}
_SCALE = Scale(
    kind=ScaleKind.ORDINAL,
    levels=[
        Level(label=kind.value, score=float(number), description=_MEANING[kind])
        for number, kind in enumerate(TurnKind)
    ],
)


def turn_requests(turns: Sequence[Turn], panel: Panel) -> list[Request]:
    """The calls that classifying these turns begins with, for an estimate; repeated ones come on top."""
    return [
        request
        for batch in _batches(turns)
        for request in group_requests(_questions(batch), _material(batch), panel)
    ]


def classify_by_judge(turns: Sequence[Turn], panel: Panel, asker: Asker) -> list[TurnClassification]:
    """The kinds of these turns; those that the judges cannot settle are left out. NotAsked as for judging."""
    found = []
    for batch in _batches(turns):
        heard = HeardVotes()
        ask_group(_questions(batch), _material(batch), panel, asker, heard)
        for turn in batch:
            votes = heard.votes.get(f"turn_{turn.index}", [])
            counts = Counter(vote.verdict for vote in votes if vote.verdict is not None).most_common(2)
            if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
                continue
            kind, times = counts[0]
            reason = next(vote.reason for vote in votes if vote.verdict == kind)
            found.append(
                TurnClassification(
                    turn_index=turn.index,
                    bond_type=TurnKind(str(kind)),
                    confidence=times / len(votes),
                    rationale=reason[:500],
                )
            )
    return found


def _batches(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    return (turns[start : start + BATCH] for start in range(0, len(turns), BATCH))


def _questions(batch: Sequence[Turn]) -> list[JudgeDimension]:
    return [
        JudgeDimension(
            id=f"turn_{turn.index}",
            criterion=f"Which kind is turn {turn.index}?",
            scale=_SCALE,
            see=["trace"],
        )
        for turn in batch
    ]


def _material(batch: Sequence[Turn]) -> list[Material]:
    return [Material("trace", "\n".join(f"[turn {turn.index}]\n{turn_text(turn)}" for turn in batch))]
