"""What calls cost: by a price that was given, else by the list that pydantic-ai brings along, else unknown.

An unknown price is unknown, not zero. The list is that of the providers themselves: what a server of one's
own costs stands on no list. Before a call only an estimate can be had: a token is about four characters, and
an answer takes about 150 tokens per criterion. What a call can cost at most is known better: a token is one
byte at least, and an answer has a limit.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.judges.calls.call import Request
from adjudge.judges.calls.offline import OFFLINE

_CHARACTERS_PER_TOKEN = 4
_ANSWER_TOKENS = 150
_OVERHEAD = 2_000
"""Tokens that a provider may add to a prompt: roles, and the schema of the answer."""
_PARTS = 2


class Price(Struct, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / 1_000_000


class PriceList(Struct, frozen=True):
    """Prices by model, as given; others are looked up unless `only_given` says that no list has them."""

    given: Mapping[str, Price]
    only_given: bool = False

    def cost(self, model: str, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens cost; None if nobody knows. The offline judge costs nothing."""
        if model == OFFLINE:
            return 0.0
        price = self.given.get(model)
        if price is not None:
            return price.of(input_tokens, output_tokens)
        return None if self.only_given else _listed(model, input_tokens, output_tokens)

    def knows(self, model: str) -> bool:
        """Is there a price?"""
        return self.cost(model, 1, 1) is not None

    def expected(self, request: Request) -> tuple[int, int, float | None]:
        """About how many tokens a call takes in and gives out, and what it costs; None if unknown."""
        characters = len(request.prompt.system) + len(request.prompt.user)
        tokens_in = characters // _CHARACTERS_PER_TOKEN
        tokens_out = _ANSWER_TOKENS * len(request.prompt.dimensions)
        return tokens_in, tokens_out, self.cost(request.model, tokens_in, tokens_out)

    def most(self, request: Request) -> float | None:
        """What a call costs at the very most; None if unknown."""
        text = request.prompt.system + request.prompt.user
        size = len(text.encode("utf-8", "surrogatepass"))
        return self.cost(request.model, size + _OVERHEAD, request.max_tokens)


def _listed(model: str, input_tokens: int, output_tokens: int) -> float | None:
    """By the list that comes with `adjudge[judge]`; None without it, or if it lacks the model."""
    try:
        from genai_prices import Usage, calc_price
    except ModuleNotFoundError:
        return None
    provider, _, name = model.partition(":")
    try:
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        return float(calc_price(usage, name, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None


def read_prices(words: list[str], *, only_given: bool = False) -> PriceList:
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
    return PriceList(given, only_given)
