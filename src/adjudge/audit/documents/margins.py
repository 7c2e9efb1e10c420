"""How far off a value may be, as the words of a task grant it: any value, or the field that they name.

"within 2 %", "± 0.5", "off by more than 0.0002 is of no use", "half a millimetre off is fine", "0.1 % or
0.001, whichever is more". What a task says of its inputs (the accuracy of a sensor), or of what is to be done
with them (flag what differs by more than 0.05), grants nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from adjudge.audit.documents.allowances import unwrapped

SENTENCE = re.compile(r"(?<=[.;!?)])\s+(?=[A-Z`\"(\d±|]|\w)")
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#]|\d+[.)]) ?)")
_WORDS = {
    "a": 1.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "ten": 10.0,
    "half": 0.5,
    "half a": 0.5,
    "half an": 0.5,
    "a tenth of a": 0.1,
    "a hundredth of a": 0.01,
    "a quarter of a": 0.25,
    "a third of a": 1 / 3,
}
_NUMERAL = r"10\^-\d+|\d+(?:[.,]\d+)?(?:\s?[x×]\s?10\^?-\d+)?(?:e-?\d+)?"
_COUNT = "|".join(sorted((rf"{word}\b" for word in _WORDS), key=len, reverse=True))
_UNIT = r"[a-zA-Z°µμ€$£][\w°²³/€]{0,14}|%|‰"
_LEAD = (
    r"within(?: a (?:tolerance|margin) of)?(?: ±| about)?|±|\+/-|\+-|plus or minus"
    r"|(?:tolerances?|margins?|slack)(?: here| allowed| granted)?(?: of| is| are|:|=)*"
    r"(?: up to)?(?: ±| \+/-)?"
    r"|accurate to|off by(?: (?:no |at )?(?:more than|up to|most|less than|under))?"
    r"|(?:differ|deviate|stray|vary)s? (?:[\w ]{0,24}? )?by"
    r" (?:(?:no |at )?(?:more than|most)|up to|less than)?"
    r"|(?:deviations?|differences?|errors?)(?: (?:of|is|are|be|must|stays?|to|the reference))*"
    r" (?:up to|at most|below|under|less than|no more than|of|<=?|≤)"
    r"|(?P<relative>\br(?:el(?:ative)?)?_?tol(?:erance)?)`?\s?(?:=|:|of|is)?"
    r"|\b(?:a(?:bs(?:olute)?)?_?tol(?:erance)?)`?\s?(?:=|:|of|is)?"
    r"|(?:\|[^|\n<>≤]{1,40}[-−–][^|\n<>≤]{1,40}\||\babs\([^()\n]{1,60}\))(?P<by>\s?/\s?[^<>≤\n]{1,30}?)?\s?(?:<=?|≤)"
    r"|(?:(?:absolute|relative) )?(?:accuracy)(?: of| to| is|:|=)+(?: ±)?"
    r"|(?:at most|no more than|up to|less than)(?= [^.;]{0,20}\b(?:off|away|either way|deviation|error)\b)"
)
_AMOUNT = re.compile(
    rf"(?P<lead>{_LEAD})\s*(?:(?P<number>{_NUMERAL})|(?P<word>{_COUNT}))\s?-?\s?(?P<unit>{_UNIT})?", re.I
)
_BEHIND = re.compile(
    rf"(?:(?P<number>{_NUMERAL})|(?P<word>\b(?:{_COUNT})))\s?(?P<unit>{_UNIT})?"
    r" (?:off|either way|up or down|more or less|of slack|in either direction|to either side"
    r"|(?:(?:relative|absolute) )?(?:tolerance|deviation|leeway|slack))\b",
    re.I,
)
_ALSO = re.compile(rf"\b(?:or|and)\s+(?:within )?(?P<number>{_NUMERAL})\s?(?P<word>(?!))?(?P<unit>{_UNIT})?")
"""The other of two: "0.1 % or 0.001 kN"."""
_FIRST = re.compile(
    rf"(?P<number>{_NUMERAL})(?P<word>(?!))?\s?(?P<unit>%|percent|per cent|‰|ppm)\s(?=or\b|and\b)", re.I
)
_MORE = re.compile(
    r"\bwhich(?:ever)? (?:of (?:them|the two) )?is (?:the )?(?:more|larger|greater|wider)", re.I
)
_RELATIVE = re.compile(
    r"\brelative (?:error|tolerance|deviation|difference)\b|\bof the (?:\w+ )?(?:value|reference)\b", re.I
)
_CREDIT = r"(?<!\ba )(?<!\ban )(?<!\bof )credit(?! (?:of|notes?|limits?|cards?|lines?|balances?)\b)"
"""Of an answer, not of a customer."""
_JUDGED = re.compile(
    rf"\b(?:right|correct|accepted?|{_CREDIT}|graded?|grading|scor(?:ed?|ing)|full marks?|check(?:ed|er)"
    r"|compared|verif\w+|reference|of no use|(?:is|are) fine|will do|enough|good enough|tolerat\w+"
    r"|does no harm|do(?:es)? not matter|useless|counts? as|passes|answers?"
    r"|may (?:differ|deviate|vary|be)|grader|(?:rel|abs)_tol|[ar]tol|penali[sz]ed"
    r"|(?:is|are) (?:required|ignored|forgiven|needed)"
    r"|(?:must|should|has to|have to|needs? to) (?:match|agree)"
    r"|of (?:the|its) (?:exact|true|expected) (?:value|number|figure|result|one)s?"
    r"|(?:values?|numbers?|figures?|results?|it|they) counts? (?:if|when|only))\b",
    re.I,
)
"""What speaks of answers."""
_HEAD = re.compile(r"[:|,(]| within\b| - | – ")
_TOLERANCE = re.compile(
    r"\btolerances?\b|±|\bwithin\b|\baccurate to\b"
    r"|\bplus or minus\b|\+/-|\boff\b",
    re.I,
)
_WORK = re.compile(
    r"\b(?:if|flag\w*|when|where|whose|classif\w*|alarm|outliers?|dedup\w*|duplicates?|merge[sd]?|reconcil\w*"
    r"|match(?:es|ed|ing)?|pairs?|paired|join\w*|snap\w*|cluster\w*|converge\w*|iterat\w*|residual|sensors?"
    r"|instruments?|gauges?|meters?|resistors?|manufactur\w*|rated|nominal|uncertaint\w+|confidence|interval"
    r"|drift\w*|readings?|calibrat\w*|specification|fits?|neighbou?rs?|alert\w*|until|constraint|limits?)\b",
    re.I,
)
"""What an agent is to do, or is told of its inputs: there a margin is part of the task."""
_OF_VALUES = re.compile(
    r"^\W*tolerances?\b|\b(?:values?|numbers?|results?|figures|amounts|answers|quantities)\b", re.I
)
_GENERIC = re.compile(
    r"\b(?:values?|numbers?|figures|results?|answers?|quantit(?:y|ies)|entr(?:y|ies)|everything|anything"
    r"|all of (?:them|these|it)|each of (?:them|these)|amounts)\b",
    re.I,
)
_PLAIN_WORDS = re.compile(
    r"correct|right|to|be|must|is|are|an?|the|of|and|or|up|accepted|with|at|in|checked|compared|graded|scored"
    r"|credit|for|tolerances?|deviations?|errors?|relative|absolute|allowed|differences?|by|off|it|this|that|if"
    r"|counts|as|within|margin|we|they|plus|minus|about|only|full|gets|marks?|points?|half|rounding|grader"
    r"|when|allows?|tolerates?|accepts?|must|should|match|agree|need|needs|required|accuracy|precision|abs|rel|tol|atol"
    r"|rtol|given|answer|submitted|expected|yours|ours|not|no|check|checks?"
)
_ANSWERS = re.compile(
    rf"\b(?:right|correct|accepted|{_CREDIT}|graded|scored|full marks?|of no use|reference|useless|compared"
    r"|(?:values?|numbers?|figures?|results?) (?:must|should|have to|need to) (?:match|agree)"
    r"|(?:values?|numbers?|figures?|results?|it|they) counts? (?:if|when|only))\b",
    re.I,
)
_OF_REFERENCE = re.compile(
    r" (?:the|its|our|that of|ours)? ?(?:(?:true|right|exact|correct|expected|actual|given|known|analyst's)\b"
    r"|reference\b|ours?\b)",
    re.I,
)
"""What stands behind "within 1 of": an amount, and no share of anything."""
_OF_NUMBER = re.compile(r"\s*of (?:the )?\d", re.I)
"""Behind "within 2 %": then it is a condition that the values themselves must meet."""
_TO_THE = re.compile(
    r"\b(?:right|correct|exact|agree|match|accurate)\b[^.;]{0,30}\bto the "
    r"(?P<unit>cent|penny|gram|second|minute|millimet(?:re|er)|met(?:re|er))\b",
    re.I,
)
_PERCENT = {"%": 1e-2, "percent": 1e-2, "per": 1e-2, "pct": 1e-2, "‰": 1e-3, "ppm": 1e-6}
_OF_WHAT = re.compile(
    r"\s*of\s+(?!no\b)(?:(?:the|its|an?|our|that|each|their|every)\s+)*(?P<noun>[\w`-]+(?: [\w`-]+)?)", re.I
)
_OF_RIGHT_VALUES = re.compile(
    r"\b(?:values?|references?|right|correct|true|exact|expected|actual|results?|answers?|numbers?|ours|mine|one"
    r"|ones|it|them|these|those|this|that|solution|key|amount|figures?|truth|computed|calculated|theoretical"
    r"|official|known|published|target)\b",
    re.I,
)
"""What an answer is compared with; "10 days of the invoice", "2 % of the full scale" are of other things."""
_NOT_OF_VALUES = re.compile(
    r"(?:percentage|digit|figure|decimal|place|sigma|σ|x|times|rows?|items?|lines?|words?|characters?|of|standard|attempts?)s?",
    re.I,
)
_LOGARITHMIC = re.compile(r"db[a-z]?|decibels?|nepers?|octaves?|decades?|semitones?|orders?", re.I)
"""Units of a ratio: a share that depends on the side."""
_SIZES = {
    **{name: ("length", size) for name, size in (("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("km", 1e3))},
    **dict.fromkeys(("millimetre", "millimeter"), ("length", 0.001)),
    **dict.fromkeys(("centimetre", "centimeter"), ("length", 0.01)),
    **dict.fromkeys(("metre", "meter"), ("length", 1.0)),
    **dict.fromkeys(("kilometre", "kilometer"), ("length", 1000.0)),
    **{name: ("mass", size) for name, size in (("mg", 1e-6), ("g", 1e-3), ("kg", 1.0), ("t", 1e3))},
    **dict.fromkeys(("gram", "gramme"), ("mass", 0.001)),
    **dict.fromkeys(("kilo", "kilogram"), ("mass", 1.0)),
    **dict.fromkeys(("min", "minute"), ("time", 60.0)),
    **dict.fromkeys(("s", "sec", "second"), ("time", 1.0)),
    **dict.fromkeys(("h", "hour"), ("time", 3600.0)),
    "ms": ("time", 1e-3),
    **dict.fromkeys(("cent", "penny"), ("money", 0.01)),
    **dict.fromkeys(("eur", "euro", "usd", "dollar", "gbp", "chf", "€", "$", "£"), ("money", 1.0)),
    **{name: ("force", size) for name, size in (("n", 1.0), ("kn", 1e3), ("mn", 1e6))},
    **{name: ("pressure", size) for name, size in (("pa", 1.0), ("kpa", 1e3), ("mpa", 1e6), ("bar", 1e5))},
    **{name: ("power", size) for name, size in (("w", 1.0), ("kw", 1e3), ("mw", 1e6))},
    **{name: ("volume", size) for name, size in (("ml", 1e-3), ("l", 1.0), ("m3", 1e3))},
    **dict.fromkeys(("k", "c", "degc", "°c", "kelvin", "degree"), ("temperature", 1.0)),
}


class Margin(Struct, frozen=True):
    """What one sentence grants: shares of the value, amounts, and whether the larger of them counts."""

    shares: tuple[float, ...] = ()
    amounts: tuple[float, ...] = ()
    larger: bool = False

    def widest(self, number: float) -> float:
        return max(self._of(number))

    def narrowest(self, number: float) -> float:
        return max(self._of(number)) if self.larger else min(self._of(number))

    def _of(self, number: float) -> list[float]:
        return [*(share * abs(number) for share in self.shares), *self.amounts]


def granted_margins(instruction: str, key: str, keys: list[str]) -> list[Margin]:
    """What a task grants the field of a name: in words that name it, else in those that name none.

    `keys` are the names of all fields. Of a name of one or two letters only one in quotes counts. What a
    sentence says of a noun that is none of them ("a force is right if") counts if it can mean no other field.
    """
    own, common = [], []
    instruction = unwrapped(instruction)
    only = len(keys) == 1 or not any(re.search(r"[a-z]{3}", name, re.I) for name in keys)
    for block, head in headed_blocks(instruction, keys):
        for said in SENTENCE.split(block):
            for part in _parts(said, keys) if _grants(said, _told_fields(said, keys) or head) else []:
                margin = _margin(part, said, key, keys, instruction)
                named = _told_fields(part, keys) or head
                if margin is not None and key in named:
                    own.append(margin)
                elif margin is not None and not named and (only or _of_any_value(part)):
                    common.append(margin)
    return own or common


def headed_blocks(instruction: str, keys: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The paragraphs, points and rows of a text, each with the fields that its beginning names."""
    for block in _BLOCK.split(instruction):
        yield block, named_fields(_HEAD.split(block.lstrip(" \t-*+|#")[:60])[0], keys, first=True)


def _told_fields(said: str, keys: list[str]) -> list[str]:
    """The fields that a sentence names otherwise than as the unit of an amount: "within 10 days"."""
    return named_fields(_BEHIND.sub(" ", _AMOUNT.sub(" ", said)), keys)


def _parts(said: str, keys: list[str]) -> list[str]:
    """A sentence that grants several fields something else each, taken apart between the fields."""
    if not named_fields(said, keys) or _MORE.search(said):
        return [said]
    parts = re.split(r"[,;]\s+(?:and\s+)?|\s+and\s+", said)
    whole = [part for part in parts if next(amounts_in(part), None) is not None]
    return whole if len(whole) > 1 else [said]


def _grants(said: str, named: list[str]) -> bool:
    if _WORK.search(said):
        return _ANSWERS.search(said) is not None
    about = named or _OF_VALUES.search(said)
    return _JUDGED.search(said) is not None or (bool(about) and _TOLERANCE.search(said) is not None)


def named_fields(said: str, keys: list[str], *, first: bool = False) -> list[str]:
    """The fields that a sentence names; with `first`, those at the beginning of a paragraph."""
    found = []
    for key in keys:
        quoted = re.search(rf"[`\"'*]{re.escape(key)}[`\"'*]", said)
        words = r"[\s_-]+".join(map(re.escape, re.split(r"[_\s-]+", key)))
        plain = (
            len(key) > 2
            and not first
            and (re.search(rf"(?<![\w-]){words}(?![\w-])", said, re.I) or _in_other_forms(key, said))
        )
        bare = first and re.fullmatch(words, said.strip("`*\"' |"), re.I)
        if quoted or plain or bare:
            found.append(key)
    return found


def _in_other_forms(key: str, said: str) -> bool:
    """Are all words of a name there, but for its units: "velocities" for `velocity_m_s`?"""
    told = [word for word in re.split(r"[_\s()\[\]-]+", key.lower()) if word and size_of(word) is None]
    stems = [word[: max(4, len(word) - 2)] for word in told if len(word) > 1]
    return bool(stems) and all(
        len(stem) > 3 and re.search(rf"\b{re.escape(stem)}[a-z]{{0,4}}\b", said, re.I) for stem in stems
    )


def _of_any_value(part: str) -> bool:
    """Does it speak of values as such, or of nothing before it says how far off, and so of every value?"""
    first = next(amounts_in(part), None)
    before = re.findall(r"[a-z]{2,}", part[: first.start()].lower()) if first is not None else []
    return _GENERIC.search(part) is not None or all(_PLAIN_WORDS.fullmatch(word) for word in before)


def _of_something_else(behind: str, keys: list[str]) -> bool:
    """Is it a share or an amount "of" what is neither a right value nor one of the fields?"""
    what = _OF_WHAT.match(behind)
    return (
        what is not None
        and not _OF_RIGHT_VALUES.search(what["noun"])
        and not named_fields(what["noun"], keys)
    )


def _of_no_value(unit: str, behind: str, key: str, keys: list[str]) -> bool:
    """Is it an amount of something else than a value: a share of a full scale, decibels of a plain number?"""
    if _LOGARITHMIC.fullmatch(unit) and not re.search(rf"(?:^|[^a-z]){unit[:2]}", key, re.I):
        return True
    return _OF_NUMBER.match(behind) is not None or _of_something_else(behind, keys)


def _margin(part: str, said: str, key: str, keys: list[str], instruction: str) -> Margin | None:
    shares: list[float] = []
    amounts: list[float] = []
    relative = _RELATIVE.search(said) is not None
    for match in amounts_in(part):
        unit = (match["unit"] or "").lower()
        amount = amount_of(match["number"], match["word"])
        if amount is None or amount <= 0 or _of_no_value(unit, part[match.end() :], key, keys):
            continue
        groups = match.groupdict()
        shares_of = groups.get("relative") or groups.get("by") or relative
        if unit == "of" and match["number"] and _OF_REFERENCE.match(part, match.end()):
            unit, shares_of = "", None
        if unit in _PERCENT:
            shares.append(amount * _PERCENT[unit])
        elif _NOT_OF_VALUES.fullmatch(unit) and not (unit == "of" and relative):
            continue
        elif shares_of and match["number"] and amount < 1 and not size_of(unit):
            shares.append(amount)
        elif match["word"] and not size_of(unit):
            continue
        else:
            size = _in_its_unit(unit, key, instruction)
            if size is None:
                return None
            amounts.append(amount * size)
    if not shares and not amounts and (fixed := _to_the_unit(part, key, instruction)) is not None:
        amounts.append(fixed)
    if not shares and not amounts:
        return None
    larger = _MORE.search(said) is not None
    return Margin(tuple(dict.fromkeys(shares)), tuple(dict.fromkeys(amounts)), larger)


def _to_the_unit(part: str, key: str, instruction: str) -> float | None:
    """The unit to which a value must be right: "agree to the cent"."""
    unit = _TO_THE.search(part)
    return None if unit is None else _in_its_unit(unit["unit"].lower(), key, instruction)


def amounts_in(said: str) -> Iterator[re.Match[str]]:
    """Every amount that a sentence grants, as a match with its number or word, and its unit."""
    for match in _AMOUNT.finditer(said) if _AMOUNT.search(said) else _FIRST.finditer(said):
        yield match
        other = _ALSO.match(said, match.end() + (said[match.end() : match.end() + 1] in (" ", ",")))
        if other is not None:
            yield other
    yield from _BEHIND.finditer(said)


def amount_of(number: str | None, word: str | None) -> float | None:
    """The number that such a match has."""
    if word:
        return _WORDS[" ".join(word.lower().split())]
    text = re.sub(r"\s?[x×]\s?10\^?", "e", (number or "").lower()).replace(",", ".")
    text = re.sub(r"^10\^", "1e", text)
    try:
        return float(text)
    except ValueError:
        return None


def size_of(unit: str) -> tuple[str, float] | None:
    """What a unit measures, and how large it is."""
    return _SIZES.get(unit) or _SIZES.get(unit.removesuffix("s"))


def _in_its_unit(unit: str, key: str, instruction: str) -> float | None:
    """The size of a unit in that of the field; None if the field's is of another kind.

    The field's unit is the end of its name (`gap_mm`). Without one it is taken to be the unit that is told,
    but for words such as "half a millimetre", which must stand beside "in" somewhere.
    """
    told = size_of(unit)
    ends = [size_of(part) for part in re.split(r"[_\s(\[\])]+", key.lower()) if part]
    own = ends[-1] if len(ends) > 1 and not (len(ends) > 2 and ends[-2]) else None  # `m_s` is none of these
    if told is None:
        return 1.0
    if own is not None:
        return told[1] / own[1] if own[0] == told[0] else None
    if told[0] == "money":
        return told[1]
    spelled = len(unit.removesuffix("s")) > 2
    return 1.0 if not spelled or re.search(rf"\bin {re.escape(unit)}s?\b", instruction, re.I) else None
