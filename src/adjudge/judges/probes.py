"""Does a judge's verdict move when nothing that matters has changed? Four probes of bias.

`position` asks the criteria in reverse order, `verbosity` adds words that say nothing, `style` writes the
same in another layout, `wording` says the same in other words: contractions, spellings and plain synonyms of
words that carry no fact. Numbers, units, names, code and quoted text stay as they are. A verdict that moves
was not about the output. Probes are calls like any other: kept, never paid twice, and never a judgement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import TrialRecord
from adjudge.judges.calls.asking import Asker
from adjudge.judges.judgement import JudgeRecord
from adjudge.judges.pipeline import Panel, judge_trial
from adjudge.judges.rubric import JudgeRubric

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_PADDING = (
    "This document was prepared with care. It is organised in sections, each of which follows from the one "
    "before. All statements were read through once more before it was finished. "
)


class ProbeCount(Struct, frozen=True):
    """How often one probe moved the verdict on one criterion."""

    probe: str
    criterion: str
    compared: int
    moved: int
    up: int
    """Of `moved`: towards a higher score."""


def pad(text: str) -> str:
    """The same with a third more words that say nothing."""
    times = max(1, len(text) // (3 * len(_PADDING)))
    return f"{text.rstrip()}\n\n{(_PADDING * times).strip()}\n"


def restyle(text: str) -> str:
    """The same words in another layout: other bullets, other emphasis, single blank lines."""
    text = re.sub(r"^(\s*)[-*+] ", r"\1• ", text, flags=re.MULTILINE)
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    return re.sub(r"\n{2,}", "\n\n", text).strip() + "\n"


_OTHER_WORDS = {
    "because": "since",
    "therefore": "so",
    "thus": "hence",
    "however": "but",
    "although": "though",
    "also": "too",
    "shows": "demonstrates",
    "show": "demonstrate",
    "chose": "selected",
    "choose": "select",
    "chosen": "selected",
    "use": "employ",
    "used": "employed",
    "uses": "employs",
    "needs": "requires",
    "need": "require",
    "exceeds": "is above",
    "about": "approximately",
    "get": "obtain",
    "gives": "yields",
    "give": "yield",
    "begin": "start",
    "begins": "starts",
    "enough": "sufficient",
    "do not": "don't",
    "does not": "doesn't",
    "is not": "isn't",
    "cannot": "can't",
    "we": "I",
    "our": "my",
}
_WORDS = re.compile(rf"(?<![\w`'\"])({'|'.join(_OTHER_WORDS)})(?![\w`'\"])", re.IGNORECASE)
_CODE = re.compile(r"(```.*?```|`[^`\n]*`|\"[^\"\n]*\")", re.DOTALL)


def reword(text: str) -> str:
    """The same in other words. Text without any of these words stays as it is, and shows nothing."""
    parts = _CODE.split(text)
    return "".join(part if at % 2 else _WORDS.sub(_other_word, part) for at, part in enumerate(parts))


def _other_word(found: re.Match[str]) -> str:
    word = _OTHER_WORDS[found[0].lower()]
    return word[0].upper() + word[1:] if found[0][0].isupper() else word


PROBES: Mapping[str, Callable[[str], str]] = {
    "position": str,
    "verbosity": pad,
    "style": restyle,
    "wording": reword,
}


def probe_trial(
    ledger: Ledger,
    record: TrialRecord,
    rubric: JudgeRubric,
    panel: Panel,
    asker: Asker,
    *,
    instruction: str | None = None,
) -> dict[str, list[tuple[str, float, float]]]:
    """For each probe the criteria that were settled both times: (id, place before, place after)."""
    plain = judge_trial(ledger, record, rubric, panel, asker, instruction=instruction)
    found = {}
    for name, change in PROBES.items():
        changed = judge_trial(
            ledger,
            record,
            rubric,
            panel,
            asker,
            instruction=instruction,
            change=change,
            first_sample=1 if name == "position" else 0,
        )
        found[name] = _compared(plain, changed)
    return found


def count_moves(found: list[dict[str, list[tuple[str, float, float]]]]) -> list[ProbeCount]:
    """Over many trials: how often each probe moved each criterion's verdict."""
    counts: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one in found:
        for probe, pairs in one.items():
            for criterion, before, after in pairs:
                counts.setdefault((probe, criterion), []).append((before, after))
    return [
        ProbeCount(
            probe,
            criterion,
            compared=len(pairs),
            moved=sum(a != b for a, b in pairs),
            up=sum(b > a for a, b in pairs),
        )
        for (probe, criterion), pairs in counts.items()
    ]


def _compared(before: JudgeRecord, after: JudgeRecord) -> list[tuple[str, float, float]]:
    later = {one.id: one.score for one in after.dimensions}
    return [
        (one.id, one.score, again)
        for one in before.dimensions
        if one.by == "judge" and one.score is not None and (again := later[one.id]) is not None
    ]
