"""What calls cost: by a price that was given, else by the list that pydantic-ai brings along, else unknown.

An unknown price is unknown, not zero. Before a call only an estimate can be had: a token is about four
characters, and an answer takes about 150 tokens per criterion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.errors import UsageError
from adjudge.judges.call import Request
from adjudge.judges.offline import OFFLINE

_CHARACTERS_PER_TOKEN = 4
_ANSWER_TOKENS = 150
_PARTS = 2


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / 1_000_000


@dataclass(frozen=True)
class PriceList:
    """Prices by model, as given; others are looked up."""

    given: Mapping[str, Price]

    def find(self, model: str) -> Price | None:
        """The price of a model; None if nobody knows it. The offline judge costs nothing."""
        if model == OFFLINE:
            return Price(0.0, 0.0)
        return self.given.get(model)

    def expected(self, request: Request) -> tuple[int, int, float | None]:
        """About how many tokens a call takes in and gives out, and what it costs; None if unknown."""
        characters = len(request.prompt.system) + len(request.prompt.user)
        tokens_in = characters // _CHARACTERS_PER_TOKEN
        tokens_out = _ANSWER_TOKENS * len(request.prompt.dimensions)
        price = self.find(request.model)
        return tokens_in, tokens_out, None if price is None else price.of(tokens_in, tokens_out)


def read_prices(words: list[str]) -> PriceList:
    """From `MODEL=INPUT,OUTPUT` in US dollars per million tokens. UsageError for what is no price."""
    given = {}
    for word in words:
        model, _, numbers = word.rpartition("=")
        parts = numbers.split(",")
        try:
            values = [float(part) for part in parts]
        except ValueError:
            values = []
        if not model or len(values) != _PARTS or not all(0 <= value < 1e9 for value in values):
            raise UsageError(
                "this is no price",
                field="--price",
                found=word,
                allowed="MODEL=INPUT,OUTPUT in US dollars per million tokens, such as openai:gpt-x=1.5,6",
            )
        given[model] = Price(*values)
    return PriceList(given)
