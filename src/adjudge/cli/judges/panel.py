"""What the commands that ask models have in common: which judges, where they are, and what may be spent.

`takes_calls` gives a command the options of calls to any model, `takes_judges` those of a panel of judges;
the command only sees the finished values.
"""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from adjudge.cli.shared import typed
from adjudge.errors import UsageError

E = TypeVar("E", bound=StrEnum)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adjudge.cli.shared.output import Out
    from adjudge.judges import AnswerForm, Ask, Asker, Panel, PriceList, Purse, Request
    from adjudge.ledger import Ledger

_CALLS = {
    "base_url": typed.Added(
        str,
        typed.Option("--base-url", metavar="URL", help="Where the models are, such as a local server."),
        None,
    ),
    "price": typed.Added(
        list[str],
        typed.Option(
            "--price",
            metavar="MODEL=IN,OUT",
            help="US dollars per million tokens. Repeatable. [default: the list that pydantic-ai has]",
        ),
        None,
    ),
    "max_cost": typed.Added(
        float, typed.Option("--max-cost", min=0, metavar="USD", help="Stop before this is spent."), None
    ),
    "timeout": typed.Added(float, typed.Option("--timeout", min=0.1, help="Seconds for one call."), 120.0),
    "rate": typed.Added(
        float, typed.Option("--rate", min=0.1, help="At most so many calls per minute."), None
    ),
    "replay": typed.Added(
        bool, typed.Option("--replay", help="Only from calls that the ledger has; no network."), False
    ),
}
_JUDGES = {
    "models": typed.Added(
        list[str],
        typed.Option(
            "--model",
            metavar="PROVIDER:MODEL",
            help="A judge, such as openai:gpt-x; 'offline' answers by given patterns. Repeatable.",
        ),
        None,
    ),
    "samples": typed.Added(int, typed.Option("--samples", min=1, max=50, help="Answers of each judge."), 1),
    "answer_form": typed.Added(
        str,
        typed.Option(
            "--answer-form",
            metavar="WORD",
            help="How a judge is held to its form: native, tool, prompted, or auto by what it can do.",
        ),
        "auto",
    ),
    "dry_run": typed.Added(
        bool, typed.Option("--dry-run", help="Ask nobody: say how many calls and what they cost."), False
    ),
}


class CallChoice(NamedTuple):
    """Where models are, how they are called, and what may be spent."""

    base_url: str | None
    price: list[str] | None
    max_cost: float | None
    timeout: float
    rate: float | None
    replay: bool

    def purse(self) -> Purse:
        """Empty, and as large as was allowed."""
        from adjudge.judges import Purse

        return Purse(most=self.max_cost)

    def prices(self, models: Sequence[str]) -> PriceList:
        """Prices as given, or from a list. UsageError if money is bounded and one is not known."""
        from adjudge.judges import read_prices

        prices = read_prices(self.price or [], only_given=self.base_url is not None)
        unknown = [model for model in models if not prices.knows(model)]
        if self.max_cost is not None and unknown:
            raise UsageError(
                "nobody knows what this model costs, so --max-cost cannot hold",
                field="--model",
                found=unknown[0],
                remedy=f"Add --price {unknown[0]}=INPUT,OUTPUT in US dollars per million tokens.",
            )
        return prices

    def asker(
        self,
        ways: ExitStack,
        book: Ledger,
        models: Sequence[str],
        form: AnswerForm,
        prices: PriceList,
        purse: Purse,
    ) -> Asker:
        """Who asks these models; `ways` closes the connections."""
        from adjudge.judges import OFFLINE, Asker, CallCache, Pace, ask_offline, connect

        asks: dict[str, Ask] = {OFFLINE: ask_offline}
        for name in models:
            if name != OFFLINE and not self.replay:
                way = connect(name, prices, base_url=self.base_url, timeout=self.timeout, form=form)
                ways.callback(way.close)
                asks[name] = way
        return Asker(
            asks=asks,
            cache=CallCache(book),
            purse=purse,
            pace=Pace(self.rate),
            replay=self.replay,
            most_usd=lambda request: (prices.most(request) or 0.0) if purse.most is not None else 0.0,
        )


class JudgeChoice(NamedTuple):
    """Which judges are asked, how often, and how they are to answer."""

    models: list[str] | None
    samples: int
    answer_form: str
    dry_run: bool

    def panel(
        self, calls: CallChoice, *, temperature: float | None = None, on_injection: str = "flag"
    ) -> Panel:
        """The judges that the options name. UsageError for what is none."""
        from adjudge.judges import OFFLINE, AnswerForm, OnInjection, Panel

        if not self.models:
            raise UsageError(
                "no judge is named",
                field="--model",
                allowed=f"PROVIDER:MODEL such as openai:gpt-x, or {OFFLINE}",
            )
        for name in self.models:
            if name != OFFLINE and ":" not in name:
                raise UsageError(
                    "this is no judge", field="--model", found=name, allowed="PROVIDER:MODEL, or offline"
                )
        if len(set(self.models)) != len(self.models):
            raise UsageError(
                "a judge is named twice", field="--model", found=self.models, remedy="Use --samples."
            )
        return Panel(
            tuple(self.models),
            self.samples,
            temperature,
            on_injection=_choice(OnInjection, on_injection, "--on-injection"),
            addresses=calls.base_url or "",
            form=_choice(AnswerForm, self.answer_form, "--answer-form"),
        )


def takes_calls(command: typed.Function) -> typed.Function:
    """Give a command the options of calls to models; `calls` receives a `CallChoice`."""
    return typed.add_options(command, lambda: _CALLS, "calls", lambda values: CallChoice(**values))


def takes_judges(command: typed.Function) -> typed.Function:
    """Give a command the options of a panel, too; `judges` receives a `JudgeChoice`."""
    return typed.add_options(
        takes_calls(command), lambda: _JUDGES, "judges", lambda values: JudgeChoice(**values)
    )


def _choice(kind: type[E], word: str, option: str) -> E:
    words = [one.value for one in kind]
    if word not in words:
        raise UsageError("no such choice", field=option, found=word, allowed=", ".join(words))
    return kind(word)


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
