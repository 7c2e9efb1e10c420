"""One call of a judge, and its record: prompt, answer, tokens, price and time, kept once it is answered.

The key of a call covers everything that can change the answer: the judge, its settings, the prompt and which
sample it is. A call that the ledger has is never made again. So a re-run is free and identical, a replay
needs no network, and a kill costs at most the calls that were in flight.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.judges.prompt import PROMPT_VERSION, Prompt
from adjudge.ledger import NewAttachment

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

CALL_KIND = "judge call"


class Request(Struct, frozen=True):
    """What is asked of whom."""

    model: str
    """`provider:model`, or `offline`."""
    prompt: Prompt
    sample: int
    temperature: float | None = None
    max_tokens: int = 4_000
    identity: str = ""
    """What else makes this judge the one it is: the offline judge's rules, a server's address."""
    form: str = "auto"
    """How it is to be held to the form of its answer."""

    @property
    def key(self) -> str:
        """The same key is the same call."""
        facts = [
            PROMPT_VERSION,
            self.model,
            self.identity,
            self.temperature,
            self.max_tokens,
            self.sample,
            self.form,
            self.prompt.system,
            self.prompt.user,
        ]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode("ascii")).hexdigest()


class Reply(Struct, frozen=True):
    """What came back. `usd` is None if nobody knows the price."""

    text: str
    refused: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0
    usd: float | None = None
    form: str = ""
    """How it was held to its form: native, tool or prompted; '' for one that needs no holding."""


class CallFailure(Struct, frozen=True):
    """Nothing came back that could be an answer: a time-out, a full server, a broken connection."""

    why: str
    again: bool
    """May the same call succeed a moment later?"""
    after: float | None = None
    """Seconds that the server asks to wait."""


Ask = Callable[[Request], Reply | CallFailure]
"""A judge: it may take long, and never raises for what a server does."""


class CallCache:
    """The calls in a ledger, by key. May be shared by threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def find(self, key: str) -> Reply | None:
        """The reply to a call that was made before; None if it was not."""
        found = next(iter(self._ledger.attached(CALL_KIND, keys=[key])), None)
        if found is None:
            return None
        document = found.document
        return Reply(
            text=self._ledger.blob(found.blobs["answer"]).decode("utf-8", "surrogatepass"),
            refused=document["refused"],
            input_tokens=document["input_tokens"],
            output_tokens=document["output_tokens"],
            seconds=document["seconds"],
            usd=document["usd"],
            form=document.get("form", ""),
        )

    def keep(self, request: Request, reply: Reply) -> None:
        """Record a call. Another process may have been faster; then its record stays."""
        prompt = json.dumps({"system": request.prompt.system, "user": request.prompt.user}, ensure_ascii=True)
        self._ledger.attach(
            [
                NewAttachment(
                    CALL_KIND,
                    request.key,
                    {
                        "model": request.model,
                        "sample": request.sample,
                        "refused": reply.refused,
                        "input_tokens": reply.input_tokens,
                        "output_tokens": reply.output_tokens,
                        "seconds": reply.seconds,
                        "usd": reply.usd,
                        "form": reply.form,
                    },
                    blobs={
                        "prompt": prompt.encode("ascii"),
                        "answer": reply.text.encode("utf-8", "surrogatepass"),
                    },
                )
            ]
        )
