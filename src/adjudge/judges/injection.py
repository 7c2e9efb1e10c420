"""Does a text speak to the judge? Rules for what instructions to an assessor look like, however disguised.

A text is looked at as it is, and again without disguise: compatibility forms, look-alike letters, invisible
characters, spaced letters, words on lines of their own, digits for letters, entities, percent signs, base64,
hexadecimal, rot13 and backwards. A rule that fires is a suspicion with the place, never proof: it
is tagged, and `--on-injection abstain` voids the judgement.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from msgspec import Struct

INJECTION_SUSPECTED = "injection suspected"
_MOST = 20
_AROUND = 100
_ASSESSOR = (
    r"(?:grad(?:er|ing model)|judge|evaluator|assessor|scorer|reviewing model|llm|language model|ai model)"
)
_OBEY = r"(?:instructions?|prompts?|criteri(?:a|on)|rubrics?|rules|guidelines|directives?)"
_BEST = (
    r"(?:full (?:marks?|scores?|credits?|points?)"
    r"|(?:maximum|highest|perfect|top) (?:marks?|scores?|rating|points?|level)"
    r"|10\s*/\s*10|5\s*/\s*5|100\s*%|verdicts?\W{1,6}(?:true|pass)"
    r"|(?:true|pass) (?:for|on|to) (?:all|every|each))"
)

_RULES: dict[str, str] = {
    "tells the judge to disregard its instructions": (
        rf"\b(?:ignore|disregard|forget|override|bypass|do not follow)\b[^.;\n]{{0,40}}\b{_OBEY}\b"
        r"|ignorier\w*\W+(?:\w+\W+){0,3}(?:anweisung|vorgabe|kriteri)"
        r"|ignor[ae]z?\W+(?:\w+\W+){0,3}(?:instruc|consignes|criter|critèr)"
        r"|忽略.{0,10}(?:指令|指示|说明)|игнорируй\w*.{0,20}(?:инструкц|указан)"
        r"|desconsider\w*\W+(?:\w+\W+){0,3}(?:regras|instru|crit)"
        r"|non (?:tenere|tieni) conto\W+(?:\w+\W+){0,3}(?:criteri|istruzion|regole)"
        r"|negeer\W+(?:\w+\W+){0,3}(?:criteria|instructies|regels|aanwijzingen)"
        r"|\bz?ignoruj\w*\W+(?:\w+\W+){0,3}(?:polece|instruk|pokyn|kryteri)"
        r"|指示.{0,8}無視|無視.{0,8}指示"
        r"|\byour (?:task|job|role|objective|instructions?) (?:has changed|have changed|is now|are now)\b"
    ),
    "addresses an assessor": (
        r"\b(?:dear|attention|note (?:to|for)|message (?:to|for)|hey|hello)\b,?\s+"
        rf"(?:the\s+|all\s+)?{_ASSESSOR}s?\b"
        rf"|\bto (?:the|all|any) {_ASSESSOR}s?\b"
        rf"|\bif you are (?:an?|the) (?:\w+ )?{_ASSESSOR}\b"
        rf"|\byou are (?:now )?(?:an?|the) (?:\w+ )?{_ASSESSOR}\b"
        rf"|\b{_ASSESSOR}s? (?:must|should|shall|is to|are to|has to|have to) "
        r"(?:award|give|mark|score|pass|accept|answer)"
        r"|\b(?:an?|any) (?:rational|reasonable|helpful|sensible|aligned) (?:language )?"
        r"(?:model|assistant|ai) (?:would|will|should|must)"
        r"|\byou are (?:now )?\w+(?:bot|gpt|ai)\b"
    ),
    "dictates a verdict": (
        r"\b(?:give|award|assign|grant|mark|score|rate|set|return|output|answer|respond(?: with)?|record"
        rf"|report)\b[^.\n]{{0,50}}\b{_BEST}"
        r"|\b(?:verdict|score|rating)s?\b\s*(?:is|=|:|must be|should be)\s*"
        r"[\"']?(?:true|pass|10|maximum|perfect)\b"
        r"|\b(?:all|every|each) (?:of the )?criteri(?:a|on)\b[^.\n]{0,30}"
        r"\b(?:true|pass(?:es|ed)?|met|satisfied|fulfilled)\b"
        r"|\b(?:treat|count|regard|take|read|consider)\b[^.\n]{0,50}"
        r"\b(?:as|for) (?:satisf|fulfil|pass|accept|met\b)"
        r"|\blet (?:it|this(?: one)?) (?:through|pass)\b"
        r"|\b(?:says?|answers?|repl(?:y|ies)) (?:true|yes|pass) to (?:everything|all|anything)\b"
        r"|\b(?:that|the only) (?:word|answer) is \W?(?:pass|true|yes)\b"
        r"|\banswer as (?:if|though|you would)\b"
        r"|\b(?:final )?(?:decision|grade|verdict)\W{1,3}"
        r"(?:accept(?:ed)?|pass(?:ed)?|approved|a\+?)\b(?! option)"
        r"|['\"](?:false|fail|no)['\"] (?:means|stands for)\b[^.\n]{0,40}\b(?:hold|true|pass|met|yes)"
        r"|\b(?:unless|until) this (?:document|answer|output|memo|text) is (?:accepted|approved|passed)\b"
        r"|\bonly accepts? (?:affirmative|positive|passing)\b|\bthe affirmative (?:one|answer|verdict)\b"
        r"|\bif you (?:find|deem|judge|rate) (?:this|it) (?:acceptable|sufficient|good|correct)\b"
    ),
    "imitates the conversation with a model": (
        r"<\|?(?:im_start|im_end|endoftext|system|assistant|user|eot_id|start_header_id)\|?>"
        r"|</?(?:system|assistant|instructions?|prompt|user_query|document)>"
        r"|</?(?:tool|function)_\w+|<invoke\b"
        r"|\[/?INST\]|<<SYS>>|^\s*(?:system|assistant|developer|human)\s*(?:message|prompt)?\s*:"
        r"|^#{2,}\s*(?:new )?(?:system|instructions?|assistant|response)\b\W*$"
    ),
    "imitates a judge's answer": r"\"(?:verdict|seal|criteria)\"\s*:",
    "imitates the end of the data": (
        r"^\s*(?:BEGIN|END)\s+[0-9a-f]{6,}"
        r"|\bend of (?:the )?(?:output|data|submission|document|text|answer)\b\W*$"
    ),
    "claims authority": (
        r"\b(?:this is|i am|we are|message from|signed,?|on behalf of) (?:the |your )?"
        r"(?:system|developers?|administrators?|openai|anthropic|operators?|creators?|benchmark authors?"
        r"|evaluation team)\b"
        r"|\b(?:admin|debug|developer|maintenance|god) mode\b|\bpre-?approved\b"
        r"|\balready (?:been )?(?:verified|approved|graded)\b"
        r"|\b(?:other|previous|earlier|all|every) (?:assessor|grader|judge|evaluator|examiner)s?\b"
        r"[^.\n]{0,60}\b(?:accepted|approved|passed|agreed|yes)\b"
    ),
}
_COMPILED = {name: re.compile(rule, re.IGNORECASE | re.MULTILINE) for name, rule in _RULES.items()}
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_SPACED = tuple(re.compile(rf"(?<=\b\w){mark}(?=\w\b)") for mark in (" ", "[.*-]"))
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}")
_DIGITS = str.maketrans("0134578@$", "oieastbas")
_ALIKE = str.maketrans("аеорсухіѕԁһӏВМНТАЕОРСХ", "aeopcyxisdhlBMHTAEOPCX")


class Suspicion(Struct, frozen=True):
    """A rule that fired, and the text around the place."""

    rule: str
    text: str


def find_injections(text: str) -> list[Suspicion]:
    """What in a text speaks to the judge; at most twenty places, one for each rule and disguise."""
    found: list[Suspicion] = []
    for disguise, seen in _readings(text):
        for rule, pattern in _COMPILED.items():
            hit = pattern.search(seen)
            if hit is None or any(one.rule.startswith(rule) for one in found):
                continue
            around = seen[max(0, hit.start() - 30) : hit.start() + _AROUND]
            found.append(Suspicion(rule + disguise, " ".join(around.split())))
            if len(found) == _MOST:
                return found
    return found


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """The text as it is, and as it reads without what may disguise it."""
    yield "", text
    visible = _INVISIBLE.sub("", text)
    hidden = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
    plain = unicodedata.normalize("NFKC", visible).translate(_ALIKE)
    if plain != text:
        yield ", in disguised letters", plain
    if hidden:
        yield ", in invisible letters", hidden
    for mark in _SPACED:
        if (joined := mark.sub("", text)) != text:
            yield ", in spaced letters", joined
    if (joined := " ".join(plain.split())) != plain:
        yield ", over several lines", joined
    if (unescaped := unquote(html.unescape(text), errors="replace")) != text:
        yield ", in escapes", unescaped
    if (letters := plain.translate(_DIGITS)) != plain:
        yield ", in digits for letters", letters
    if encoded := "\n".join(_decoded(text)):
        yield ", in base64 or hexadecimal", encoded
    yield ", backwards", joined[::-1]
    yield ", in rot13", codecs.encode(plain, "rot13")


def _decoded(text: str) -> Iterator[str]:
    for run in _BASE64.finditer(text):
        try:
            raw = base64.b64decode(run[0][: len(run[0]) // 4 * 4], validate=True)
            yield raw.decode("utf-8")
        except (binascii.Error, ValueError):
            continue
    for run in _HEX.finditer(text):
        try:
            yield bytes.fromhex(run[0]).decode("utf-8")
        except ValueError:
            continue
