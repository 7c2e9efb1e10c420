"""Options that name judges, and what they make: a panel, prices, and who asks."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

from adjudge.cli.shared import typed
from adjudge.errors import UsageError

E = TypeVar("E", bound=StrEnum)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adjudge.cli.shared.output import Out
    from adjudge.judges import Ask, Asker, Panel, PriceList, Purse, Request
    from adjudge.ledger import Ledger

ModelOption = Annotated[
    list[str] | None,
    typed.Option(
        "--model",
        metavar="PROVIDER:MODEL",
        help="A judge, such as openai:gpt-x; 'offline' answers by the rubric's patterns. Repeatable.",
    ),
]
SamplesOption = Annotated[int, typed.Option("--samples", min=1, max=50, help="Answers of each judge.")]
BaseUrlOption = Annotated[
    str | None,
    typed.Option("--base-url", metavar="URL", help="Where the models are, such as a local server."),
]
AnswerFormOption = Annotated[
    str,
    typed.Option(
        "--answer-form",
        metavar="WORD",
        help="How a judge is held to its form: native, tool, prompted, or auto by what it can do.",
    ),
]
PriceOption = Annotated[
    list[str] | None,
    typed.Option(
        "--price",
        metavar="MODEL=IN,OUT",
        help="US dollars per million tokens. Repeatable. [default: the list that pydantic-ai has]",
    ),
]
MaxCostOption = Annotated[
    float | None, typed.Option("--max-cost", min=0, metavar="USD", help="Stop before this is spent.")
]
TimeoutOption = Annotated[float, typed.Option("--timeout", min=0.1, help="Seconds for one call.")]
RateOption = Annotated[
    float | None, typed.Option("--rate", min=0.1, help="At most so many calls per minute.")
]
ReplayOption = Annotated[
    bool, typed.Option("--replay", help="Only from calls that the ledger has; no network.")
]

DryRunOption = Annotated[
    bool, typed.Option("--dry-run", help="Ask nobody: say how many calls and what they cost.")
]


def make_panel(
    models: list[str] | None,
    samples: int,
    *,
    temperature: float | None = None,
    on_injection: str = "flag",
    base_url: str | None = None,
    answer_form: str = "auto",
) -> Panel:
    """The judges that these options name. UsageError for what is none."""
    from adjudge.judges import OFFLINE, AnswerForm, OnInjection, Panel

    if not models:
        raise UsageError(
            "no judge is named",
            field="--model",
            allowed=f"PROVIDER:MODEL such as openai:gpt-x, or {OFFLINE}",
        )
    for name in models:
        if name != OFFLINE and ":" not in name:
            raise UsageError(
                "this is no judge", field="--model", found=name, allowed="PROVIDER:MODEL, or offline"
            )
    if len(set(models)) != len(models):
        raise UsageError("a judge is named twice", field="--model", found=models, remedy="Use --samples.")
    return Panel(
        tuple(models),
        samples,
        temperature,
        on_injection=_choice(OnInjection, on_injection, "--on-injection"),
        addresses=base_url or "",
        form=_choice(AnswerForm, answer_form, "--answer-form"),
    )


def _choice(kind: type[E], word: str, option: str) -> E:
    words = [one.value for one in kind]
    if word not in words:
        raise UsageError("no such choice", field=option, found=word, allowed=", ".join(words))
    return kind(word)


def make_prices(words: list[str] | None, panel: Panel, max_cost: float | None) -> PriceList:
    """Prices as given, or from a list. UsageError if money is bounded and one is not known."""
    from adjudge.judges import read_prices

    prices = read_prices(words or [], only_given=bool(panel.addresses))
    if max_cost is None:
        return prices
    unknown = [model for model in panel.models if not prices.knows(model)]
    if unknown:
        raise UsageError(
            "nobody knows what this judge costs, so --max-cost cannot hold",
            field="--model",
            found=unknown[0],
            remedy=f"Add --price {unknown[0]}=INPUT,OUTPUT in US dollars per million tokens.",
        )
    return prices


def make_asker(
    ways: ExitStack,
    book: Ledger,
    panel: Panel,
    prices: PriceList,
    purse: Purse,
    *,
    rate: float | None = None,
    replay: bool = False,
    timeout: float = 120.0,
) -> Asker:
    """Who asks these judges; `ways` closes the connections."""
    from adjudge.judges import OFFLINE, Asker, CallCache, Pace, ask_offline, connect

    asks: dict[str, Ask] = {OFFLINE: ask_offline}
    for name in panel.models:
        if name != OFFLINE and not replay:
            way = connect(name, prices, base_url=panel.addresses or None, timeout=timeout, form=panel.form)
            ways.callback(way.close)
            asks[name] = way
    return Asker(
        asks=asks,
        cache=CallCache(book),
        purse=purse,
        pace=Pace(rate),
        replay=replay,
        most_usd=lambda request: (prices.most(request) or 0.0) if purse.most is not None else 0.0,
    )


def write_estimate(
    book: Ledger, trials: int, requests: Iterable[Request], prices: PriceList, out: Out
) -> None:
    """Say how many of these calls are to be made, and what they cost. The same call twice is made once."""
    from adjudge.judges import CallCache

    cache = CallCache(book)
    asked: set[str] = set()
    calls = cached = tokens_in = tokens_out = 0
    usd: float | None = 0.0
    for request in requests:
        if request.key in asked:
            continue
        asked.add(request.key)
        if cache.find(request.key) is not None:
            cached += 1
            continue
        calls += 1
        more_in, more_out, cost = prices.expected(request)
        tokens_in, tokens_out = tokens_in + more_in, tokens_out + more_out
        usd = None if usd is None or cost is None else usd + cost
    found = {
        "trials": trials,
        "calls": calls,
        "cached": cached,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "usd": usd,
    }
    if out.for_programs:
        out.write_json(found)
        return
    cost_words = "at a price that nobody knows (--price)" if usd is None else f"about {usd:.4f} USD"
    out.write(
        f"{trials} trials: {calls} calls to make, {cached} already in the ledger\n"
        f"about {tokens_in:,} tokens in and {tokens_out:,} out, {cost_words}; malformed answers come on top\n"
    )
