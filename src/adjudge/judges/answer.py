"""Read a judge's answer strictly: one JSON object, the seal, each criterion once, reason before verdict.

What is not exactly that is `Malformed` with a sentence that the judge is told; it is asked again, and in the
end it abstains. Nothing is repaired: a text that says "false" is neither false nor true.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from adjudge.contracts import BadJson, parse_json
from adjudge.errors import show
from adjudge.judges.prompt import Prompt
from adjudge.judges.scale import Verdict

LONGEST_ANSWER = 200_000
_KEYS = ("id", "reason", "quotes", "verdict")
_MOST_QUOTES = 20
_LONGEST_QUOTE = 1_000
_LONGEST_REASON = 8_000


class Given(Struct, frozen=True):
    """One criterion's verdict; None: this judge cannot tell."""

    id: str
    reason: str
    quotes: tuple[str, ...]
    verdict: Verdict | None


class JudgeAnswer(Struct, frozen=True):
    """A whole answer."""

    given: tuple[Given, ...]
    leaked: bool
    """Did it repeat the canary?"""


class Malformed(Struct, frozen=True):
    """An answer that is none, and why."""

    why: str


def parse_answer(text: str, prompt: Prompt) -> JudgeAnswer | Malformed:
    """The answer to a prompt. An empty one, or one that is too long, is malformed like any other."""
    if len(text) > LONGEST_ANSWER:
        return Malformed(f"it is longer than {LONGEST_ANSWER:,} characters.")
    try:
        value = parse_json(text.strip())
        if not isinstance(value, dict) or set(value) != {"seal", "criteria"}:
            raise _NotAsAsked('it must be an object with "seal" and "criteria" and nothing else.')
        if value["seal"] != prompt.seal:
            raise _NotAsAsked("its seal is not the one you were given.")
        if not isinstance(value["criteria"], list):
            raise _NotAsAsked('"criteria" must be a list.')
        given = tuple(_one(entry, prompt) for entry in value["criteria"])
    except BadJson as error:
        return Malformed(f"it is no plain JSON object ({error}).")
    except _NotAsAsked as error:
        return Malformed(str(error))
    wanted = sorted(d.id for d in prompt.dimensions)
    if sorted(one.id for one in given) != wanted:
        found = ", ".join(show(one.id) for one in given) or "none"
        return Malformed(f"each of the ids {', '.join(wanted)} must stand once; found {found}.")
    leaked = any(prompt.canary in text for one in given for text in (one.reason, *one.quotes))
    return JudgeAnswer(given, leaked)


class _NotAsAsked(ValueError):  # noqa: N818 - a signal inside this module
    """The answer breaks a rule; `str()` is the sentence for the judge."""


def _one(entry: Any, prompt: Prompt) -> Given:
    if not isinstance(entry, dict) or tuple(entry) != _KEYS:
        raise _NotAsAsked(f"each criterion needs the keys {', '.join(_KEYS)} in this order.")
    name, reason, quotes, verdict = (entry[key] for key in _KEYS)
    dimension = next((d for d in prompt.dimensions if d.id == name), None)
    if dimension is None:
        raise _NotAsAsked(f"there is no criterion {show(name)}.")
    if not isinstance(reason, str) or not reason.strip() or len(reason) > _LONGEST_REASON:
        raise _NotAsAsked(f"{name}: the reason must be a text, and not empty.")
    if (
        not isinstance(quotes, list)
        or len(quotes) > _MOST_QUOTES
        or not all(isinstance(quote, str) and len(quote) <= _LONGEST_QUOTE for quote in quotes)
    ):
        raise _NotAsAsked(f"{name}: quotes must be a list of short texts.")
    if verdict is not None and dimension.scale.place(verdict) is None:
        raise _NotAsAsked(f"{name}: the verdict {show(verdict)} is not {dimension.scale.describe()}.")
    return Given(name, reason, tuple(quotes), verdict)
