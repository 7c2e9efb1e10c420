"""Answer a request with an Idempotency-Key once, however many servers share the ledger.

The key is claimed on the ledger's desk, in one step that no other server takes at the same time, before
anything is scored; who asks meanwhile is told that it is under way. A claim lasts half a minute and is
renewed as long as its server lives, so a server that was killed blocks no key for long. The answer takes the
claim's place for a day. A request that came to nothing gives its claim back, and may be sent again at once.

A server that was held up for longer than its claim lasts may find that another has the key by then: the
answer that is written first is the answer of both.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from adjudge.errors import AdjudgeError, UsageError
from adjudge.ledger import Desk, DeskDrawer

KEPT_SEC = 86_400.0
CLAIM_SEC = 30.0
_ANSWERS, _PIECES = "idempotency", "idempotency-piece"
_PIECE_CHARS = 1 << 16
"""Of an answer in one value of the desk, which writes up to twelve bytes for each."""


class UnderWay(UsageError):  # noqa: N818 - names a state, and is read as one
    """The same request is being answered."""

    status = 409
    retry_after = 1


class SentKey(Struct, frozen=True):
    """A key with the request that it came with, and the claim of whoever answers it."""

    key: str
    sender: str
    request: str
    claim: str

    @property
    def place(self) -> str:
        """Where it lies on the desk: senders do not share keys."""
        return f"{self.sender}/{self.key}"

    def kept(self, drawer: DeskDrawer) -> str | None:
        """The answer that was given; None if there is none. Raises if the key stands for something else."""
        found = drawer.get(_ANSWERS, self.place)
        if found is None:
            return None
        if found["request"] != self.request:
            raise UsageError("this key belongs to another request", field="Idempotency-Key", found=self.key)
        if "claim" not in found:
            pieces = (drawer.get(_PIECES, f"{self.place}/{n}") for n in range(found["pieces"]))
            return "".join(piece["text"] for piece in pieces if piece is not None)
        if found["claim"] != self.claim:
            raise UnderWay("a request with this key is under way", field="Idempotency-Key", found=self.key)
        return None

    def take(self, drawer: DeskDrawer) -> str | None:
        """Claim the key, or claim it for longer; the answer if there is one already."""
        kept = self.kept(drawer)
        if kept is None:
            claimed = {"request": self.request, "claim": self.claim}
            drawer.put(_ANSWERS, self.place, claimed, lasts=CLAIM_SEC)
        return kept

    def keep(self, drawer: DeskDrawer, answer: str) -> str:
        """Keep an answer, unless another server was first: then theirs is the answer."""
        with suppress(UnderWay):  # theirs is not there yet, and they will find ours
            kept = self.kept(drawer)
            if kept is not None:
                return kept
        pieces = [answer[at : at + _PIECE_CHARS] for at in range(0, len(answer), _PIECE_CHARS)]
        for number, piece in enumerate(pieces):
            drawer.put(_PIECES, f"{self.place}/{number}", {"text": piece}, lasts=KEPT_SEC)
        value = {"request": self.request, "pieces": len(pieces)}
        drawer.put(_ANSWERS, self.place, value, lasts=KEPT_SEC)
        return answer

    def give_back(self, drawer: DeskDrawer) -> None:
        """Let whoever sends it again begin anew, unless it is another server's by now, or answered."""
        found = drawer.get(_ANSWERS, self.place)
        if found is not None and found.get("claim") == self.claim:
            drawer.remove(_ANSWERS, self.place)


async def answer_once(
    desk: Desk,
    sender: str,
    key: str,
    request: bytes,
    *,
    check: Callable[[], None],
    make: Callable[[], Awaitable[Any]],
) -> str:
    """The answer to the request with this key, as JSON. `check` may raise before anything is claimed."""
    sent = SentKey(key, sender, hashlib.sha256(request).hexdigest(), secrets.token_hex(8))

    def begin() -> str | None:
        with desk.looking() as drawer:
            kept = sent.kept(drawer)
        if kept is None:
            check()
            kept = desk.together(sent.take)
        return kept

    kept = await asyncio.to_thread(begin)
    if kept is not None:
        return kept
    renewing = asyncio.create_task(_renew(desk, sent))
    try:
        answer = json.dumps(await make(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return await asyncio.to_thread(desk.together, lambda drawer: sent.keep(drawer, answer))
    except BaseException:
        # shielded: a server that is ending cancels this, and the key would stay claimed
        await asyncio.shield(asyncio.to_thread(desk.together, sent.give_back))
        raise
    finally:
        renewing.cancel()


async def _renew(desk: Desk, sent: SentKey) -> None:
    """Claim the key for longer, again and again, until cancelled or until it is another server's."""
    while True:
        await asyncio.sleep(CLAIM_SEC / 3)
        with suppress(AdjudgeError):
            await asyncio.to_thread(desk.together, sent.take)
