"""Codes and names that are cut short, or go on: for whoever asks how one begins, in either direction.

`E11` stands for a whole family of which `E11.22` is one; a verifier that asks whether the right code begins
with the given one takes both. A digest may be cut by custom, and a path is no code.
"""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Leaf
from adjudge.audit.probes.code_values import Spoof
from adjudge.audit.probes.moments import other_moments

_CODE = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9]+(?:[._:-][A-Za-z0-9]+)*")
_DIGEST = re.compile(r"[0-9a-f]{7,}|[0-9A-F]{16,}")
_SEPARATED = re.compile(r"[._:-]")
_SHORTEST, _LONGEST = 4, 40
_FAMILY = 3
"""So many characters are a family of codes, in most that have no mark between their parts."""
_WORDS = 2
_GRANTED = re.compile(
    r"\b(?:begin|start)s? with\b|\bprefix|\babbreviat"
    r"|\bfirst (?:\w+ )?(?:characters?|letters?|digits?|level)\b"
    r"|\bmore specific\b[^.\n]{0,40}\b(?:fine|allowed|accepted|too|as well)\b"
    r"|\bcategor(?:y|ies) (?:is|are) enough\b",
    re.I,
)


def cut_spoofs(leaf: Leaf, instruction: str) -> list[Spoof]:
    """The beginnings of a code, the code with a digit more, and the first half of several words."""
    word = str(leaf.value)
    if leaf.kind != "text" or not _SHORTEST <= len(word) <= _LONGEST or _GRANTED.search(instruction):
        return []
    if len(word.split()) >= _WORDS and re.search(r"[A-Za-z]{3}", word):
        half = word[: len(word) // 2].rstrip()
        return [Spoof("cut-half", f"its first half, `{half}`,", half, Cause.WORD_INSIDE)] if half else []
    if not _CODE.fullmatch(word) or _DIGEST.fullmatch(word) or other_moments(word):
        return []
    parts = [match.start() for match in _SEPARATED.finditer(word)]
    cuts = dict.fromkeys([*parts[:1], *([] if parts else [_FAMILY]), len(word) - 1])
    beginnings = [word[:cut].rstrip("._:-") for cut in cuts if cut > 1]
    made = [
        Spoof(f"cut-{number + 1}", f"its beginning `{text}`", text, Cause.WORD_INSIDE)
        for number, text in enumerate(beginnings)
    ]
    return [*made, Spoof("cut-on", f"`{word}1`, the code and a digit,", f"{word}1", Cause.WORD_INSIDE)]
