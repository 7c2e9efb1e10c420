"""From what several judges said, in several samples, to one result per criterion, with dissent kept.

The settled place is the median. A criterion is settled only if at least half of those asked gave a verdict,
and a yes or no only if it is not split evenly: otherwise it abstains. Quotes count if they stand in the
output, word for word apart from blanks; the others are counted as invented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Any

from adjudge.judges.answer import Given
from adjudge.judges.judgement import CriterionResult, Quote, Vote
from adjudge.judges.rubric import JudgeDimension
from adjudge.judges.scale import ScaleKind, Verdict

_MOST_QUOTES = 10


def settle(
    dimension: JudgeDimension, votes: Sequence[Vote], quotes: Sequence[str], output: str
) -> CriterionResult:
    """The result of one criterion. No votes at all abstain."""
    given = [vote for vote in votes if vote.verdict is not None]
    found, invented = check_quotes(quotes, output)
    common: dict[str, Any] = {
        "id": dimension.id,
        "by": "judge",
        "weight": dimension.weight,
        "votes": list(votes),
        "quotes": found,
        "invented_quotes": invented,
    }
    if not given or 2 * len(given) < len(votes):
        whys = [vote.why or "the judge could not tell" for vote in votes if vote.verdict is None]
        why = whys[0] if whys else "nobody was asked"
        return CriterionResult(
            **common, abstained=f"{len(given)} of {len(votes)} gave a verdict: {why}", evidence=None
        )
    places = [_place(dimension, vote) for vote in given]
    middle = median(places)
    if dimension.scale.kind is ScaleKind.BINARY and middle == 0.5:
        return CriterionResult(**common, abstained=f"the {len(given)} verdicts are split evenly")
    nearest = min(given, key=lambda vote: abs(_place(dimension, vote) - middle))
    pairs = list(combinations(places, 2))
    verdict: Verdict | None = nearest.verdict if _place(dimension, nearest) == middle else None
    reason = nearest.reason + (f' "{found[0].text}"' if found else "")
    return CriterionResult(
        **common,
        score=middle,
        verdict=verdict,
        agreement=sum(a == b for a, b in pairs) / len(pairs) if pairs else None,
        spread=max(places) - min(places),
        dissent=sum(place != middle for place in places),
        evidence=reason,
    )


def vote_of(model: str, sample: int, given: Given) -> Vote:
    """What a judge gave, as a vote."""
    return Vote(
        model=model,
        sample=sample,
        verdict=given.verdict,
        reason=given.reason,
        why="the judge could not tell" if given.verdict is None else None,
    )


def check_quotes(quotes: Sequence[str], output: str) -> tuple[list[Quote], int]:
    """The quotes that stand in the output, with their places, each once; and how many do not."""
    found: dict[str, Quote] = {}
    invented = 0
    for quote in quotes:
        words = quote.split()
        if not words:
            continue
        start = output.find(quote)
        end = start + len(quote)
        if start < 0 and (hit := re.search(r"\s+".join(map(re.escape, words)), output)):
            start, end = hit.span()
        if start < 0:
            invented += 1
        elif len(found) < _MOST_QUOTES:
            text = output[start:end]
            found.setdefault(text, Quote(text=text, start=start, end=end))
    return list(found.values()), invented


def _place(dimension: JudgeDimension, vote: Vote) -> float:
    place = dimension.scale.place(vote.verdict)
    assert place is not None  # noqa: S101 - a verdict off its scale is malformed and never becomes a vote
    return place
