"""Values that are not right and look for a reader who takes them for right. Pure: values in, values out.

Each spoof has the cause that it would show. The right value often stands in it, among wrong ones, never first
or last: whoever takes the first or the last is no fool, whoever takes any is. Values that are code are in
`code_values`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import (
    Leaf,
    Path,
    key_again,
    leaves,
    name_paths,
    raw_number,
    replaced,
    write_number,
)
from adjudge.audit.probes.code_values import Spoof
from adjudge.audit.probes.moments import other_moment, other_moments
from adjudge.contracts import Severity

_TAG = re.compile(r"[A-Za-z]{1,4}[-_.]?\d{1,5}[a-z]?")
"""A name such as P-101: with another digit it is another thing."""
_MOST_OPTIONS = 4
_PATTERNS = {"glob": "*", "regex": ".*", "like": "%"}
_CASE_MATTERS = re.compile(
    r"(?<!not )\bcase[- ]sensitive\b|\bcase matters\b|\bcase counts\b|\bcapital letters\b"
    r"|\bcapitali[sz](?:e|ation)\b|\b(?:the )?case of (?:the )?letters\b",
    re.I,
)
OTHER_NAME = "other-name"
_IN_FOLDER = re.compile(r"(/[^\s]*/)([^\s/]{3,})")
_SENTENCE = 4
"""From so many words on, a text says something that can be untrue."""
_LONG = "7" * 400
"""A whole number that no decimal number can hold, in any language's double precision."""
_ABOUT_ITSELF = re.compile(
    r"(?:^|_)(?:self|own|score|reward|grade|confidence|passed|success|correct|verified|tests?)(?:_|$)", re.I
)
_TOTAL = re.compile(r"total|count|max|out_of|possible", re.I)
_PREFIXED = re.compile(r"([mM])(W|V|A|VA|var|Wh|J|N|Nm|Pa|Hz|Ω|ohm|m|g|t|F|H|S|bar|L)")
"""Units in which the case of the prefix is a factor of a thousand million: milli and mega."""
_WITH_PREFIX = re.compile(r"(\d[ \t]?)([mM])(W|V|A|VA|var|Wh|J|N|Pa|Hz|Ω|ohm|F|H)(?![\w])")
_WITH_UNIT = re.compile(r"(\d[ \t]?)([kMGmµ]?)(N|W|V|A|VA|var|Wh|J|Nm|Pa|Hz|Ω|ohm|F|H|m|g|bar|L)(?![\w°µ])")
_OTHERS = str.maketrans("9zq", "8yx")
_NEXT_PREFIX = {"µ": "m", "m": "", "": "k", "k": "M", "M": "G", "G": "T"}


def field_spoofs(
    leaf: Leaf, options: str | None, shown: Sequence[float] = (), taken: Collection[str] = ()
) -> list[Spoof]:
    """What one field is replaced by while all others stay right; `shown` are numbers of the instruction."""
    if leaf.kind == "number":
        return [*_number_spoofs(leaf), *_shown_numbers(leaf, shown)]
    if leaf.kind == "truth":
        return _truth_spoofs(leaf)
    return _text_spoofs(str(leaf.value), options, taken)


def wrong_numbers(leaf: Leaf) -> tuple[float | int, float | int, float | int, float | int]:
    """Four numbers that are wrong beyond any tolerance, of the kind of the right one."""
    n = leaf.number
    if n == 0:
        return 17, 431, -23, 977
    whole = isinstance(n, int)
    made = [n * 7 + 13, n * 0.31 - 5, n * 23 + 41, -n * 3 - 1]
    first, second, third, fourth = (round(x) if whole else float(f"{x:.6g}") for x in made)
    return first, second, third, fourth


def _number_spoofs(leaf: Leaf) -> list[Spoof]:
    a, b, c, d = wrong_numbers(leaf)
    right = write_number(leaf.number)
    words = f"{write_number(a)} or {write_number(b)} or {right} or {write_number(c)} or {write_number(d)}"
    found = [
        Spoof("list", "a list with the right number in it", [a, b, leaf.number, c, d], Cause.HEDGED),
        Spoof("several", "several numbers in words, the right one among them", words, Cause.HEDGED),
        Spoof("nan-text", 'the text "nan"', "nan", Cause.NOT_A_NUMBER),
        Spoof("inf-text", 'the text "inf"', "inf", Cause.NOT_A_NUMBER),
        Spoof("denied", "a text that denies it", f"not {right}, but far off", Cause.WORD_INSIDE),
        Spoof("longer", "a text that begins with it and goes on", f"{right}7e9", Cause.WORD_INSIDE),
        Spoof("null", "null", None, Cause.EMPTY),
        Spoof("empty-text", "an empty text", "", Cause.EMPTY),
    ]
    if leaf.rest is not None and leaf.rest.strip():
        found.append(Spoof("unit", "the same number in another unit", f"{right} furlongs", Cause.SCALE))
        if match := _PREFIXED.fullmatch(leaf.rest.strip()):
            other = f"{right} {match[1].swapcase()}{match[2]}"
            found.append(Spoof("prefix", f"{other}, another unit", other, Cause.SCALE))
    digits = re.sub(r"e.*", "", right).lstrip("-")
    if 2 < len(digits) < 15 and "." in digits:  # 9 would be whole turns: 9000 degrees are 25
        found.append(
            Spoof("digits", "a number with its digits inside", float(f"7{digits}7"), Cause.WORD_INSIDE)
        )
    if leaf.number not in (0, 1):
        found.append(Spoof("true", "true", True, Cause.TRUTHY))
    return found


def exponent_spoofs(leaf: Leaf) -> list[Spoof]:
    """The right digits with an exponent behind them, for whoever reads digits and stops there."""
    right = write_number(leaf.number) if leaf.kind == "number" else "0"
    if leaf.rest is not None or "e" in right.lower() or not float(right):
        return []
    written = f"{right}e5"
    what = f"{written}, its digits and an exponent,"
    return [Spoof("exponent", what, raw_number(written), Cause.SCALE, Severity.LOW)]


def expression_spoofs(leaf: Leaf) -> list[Spoof]:
    """A sum that gives the right number and holds it nowhere, for whoever lets Python or a shell count."""
    if leaf.kind != "number":
        return []
    off = 3 * abs(leaf.number) + 7
    written = f"({write_number(leaf.number - off)}+{write_number(off)})"
    return [Spoof("expression", "an expression that gives it", written, Cause.CODE)]


def path_spoofs(leaf: Leaf, files: Sequence[str]) -> list[Spoof]:
    """Files of the verifier's own in place of a path: whoever opens what an answer names opens these."""
    if leaf.kind != "text" or not _IN_FOLDER.fullmatch(str(leaf.value)):
        return []
    return [
        Spoof(f"own-file-{number + 1}", f"the verifier's own /tests/{name}", f"/tests/{name}", Cause.LINK)
        for number, name in enumerate(files)
    ]


def pattern_spoofs(leaf: Leaf) -> list[Spoof]:
    """Patterns that match anything, for whoever compares the reference with the answer, not the reverse."""
    return [
        Spoof(name, f"the pattern {pattern}", pattern, Cause.PATTERN) for name, pattern in _PATTERNS.items()
    ]


def case_spoofs(leaf: Leaf, instruction: str) -> list[Spoof]:
    """The other case, if the task says that case matters: `Bxc3` and `bxc3` are two moves of chess."""
    other = str(leaf.value).swapcase()
    if leaf.kind != "text" or other == leaf.value or not _CASE_MATTERS.search(instruction):
        return []
    return [Spoof("case", f"{other}, in the other case,", other, Cause.CLAMPED)]


def _shown_numbers(leaf: Leaf, shown: Sequence[float]) -> list[Spoof]:
    """Numbers that the instruction gives, far from the right one: who copies them has worked out nothing."""
    far = [n for n in shown if abs(n - leaf.number) > 0.5 * max(abs(n), abs(leaf.number))]
    return [
        Spoof(
            f"shown-{number + 1}", f"{n:g}, which the instruction gives", leaf.with_number(n), Cause.ANY_VALUE
        )
        for number, n in enumerate(far[:2])
    ]


def self_reports(value: Any, *, perfect: bool = False) -> list[tuple[Path, Any]]:
    """Fields in which an answer speaks of itself, and a claim for each: of success, else of failure.

    A field whose right value is the claim itself is left out: that it counts would prove nothing.
    """
    made: list[tuple[Path, Any]] = []
    for leaf in leaves(value):
        names = [str(step) for step in leaf.path if isinstance(step, str)]
        if not any(_ABOUT_ITSELF.search(name) for name in names):
            continue
        counted = leaf.kind == "number" and isinstance(leaf.number, int)
        best: Any = leaf.with_number(7 if counted else 1.0)
        best = {"truth": True, "text": "pass"}.get(leaf.kind, best)
        worst: Any = {"truth": False, "text": "fail"}.get(leaf.kind, leaf.with_number(0))
        if _TOTAL.search(names[-1]):
            worst = best
        if best != leaf.value:
            made.append((leaf.path, best if perfect else worst))
    return made


def bag_of_words(text: str) -> str:
    """All words of a text in alphabetical order: nothing is said, and every keyword is there."""
    return " ".join(sorted(set(text.split()), key=str.lower)) + "\n"


def denied(text: str) -> str:
    """Every sentence with the words before it that make it false."""
    sentences = [part.strip() for part in re.split(r"(?<=[.;!?])\s+|\n+", text) if part.strip(" #*-\t")]
    return "".join(f"It is not true that {one[:1].lower()}{one[1:]}\n" for one in sentences)


def _truth_spoofs(leaf: Leaf) -> list[Spoof]:
    other = "false" if leaf.value else "true"
    return [
        Spoof("opposite-text", f'the text "{other}"', other, Cause.TRUTHY),
        Spoof("both", "a list of true and false", [not leaf.value, leaf.value, not leaf.value], Cause.HEDGED),
        Spoof("wordy", "a text that says neither", "to be discussed", Cause.TRUTHY),
    ]


def _text_spoofs(word: str, options: str | None, taken: Collection[str]) -> list[Spoof]:
    found = [
        Spoof("nothing", "an empty text", "", Cause.EMPTY),
        Spoof("list", "a list with the right text in it", ["zzz", word, "yyy"], Cause.HEDGED),
        Spoof("sql", "a quote that changes a query", "zzz' OR '1'='1", Cause.CODE, Severity.HIGH),
    ]
    found += [
        Spoof(part, f"another {part}", other, Cause.SWAPPED if part == "day-month" else Cause.CLAMPED)
        for part, other in other_moments(word, taken).items()
    ]
    if " " not in word and (_TAG.fullmatch(word) or (re.search(r"[A-Za-z].*\d", word) and len(word) > 7)):
        other = re.sub(r"\d", lambda m: str((int(m[0]) + 4) % 10), word, count=1)
        found.append(Spoof("digit", "another digit in it", other, Cause.CLAMPED))
    if re.search(r"[A-Za-z]{2}", word):
        denied = f"It was said to be {word}, which is wrong; the opposite holds."
        found.append(Spoof("denied", "a sentence that denies it", denied, Cause.WORD_INSIDE))
        found.append(
            Spoof("twice", "said, denied and said again", f"{word}; not {word}; {word}", Cause.HEDGED)
        )
    if len(word.split()) >= _SENTENCE:
        untrue = f"It is not true that {word[:1].lower()}{word[1:]}"
        found.append(Spoof("untrue", "a sentence that says it is not true", untrue, Cause.WORD_INSIDE))
    if len(word) > 2:
        found += [
            Spoof("letter", "its first letter", word[0], Cause.WORD_INSIDE),
            Spoof("same-length", "other letters, as many", other_letters(word), Cause.ANY_VALUE),
            Spoof("longer", "the word with more behind it", f"{word}zzzqx", Cause.WORD_INSIDE),
            Spoof("behind", "the word at the end of another", f"zzzqx{word}", Cause.WORD_INSIDE),
        ]
    if len(word) > 5:
        beginning = f"{word[: min(5, len(word) - 2)]}zzzqx"
        found.append(Spoof("beginning", "its beginning with another end", beginning, Cause.WORD_INSIDE))
    if match := _IN_FOLDER.fullmatch(word):
        other = f"{match[1]}{other_letters(match[2])}"
        found.append(Spoof(OTHER_NAME, "another name in its folder", other, Cause.WORD_INSIDE))
    if match := _PREFIXED.fullmatch(word):
        other = f"{match[1].swapcase()}{match[2]}"
        found.append(Spoof("prefix", f"{other}, another unit", other, Cause.SCALE))
    others = [o.strip() for o in re.split(r"\||/| or |,", options or "") if o.strip() and o.strip() != word]
    found += [
        Spoof(f"option-{number + 1}", f"the option {other!r}", other, Cause.ANY_VALUE)
        for number, other in enumerate(others[:_MOST_OPTIONS])
    ]
    return found


def other_prefixes(text: str) -> str:
    """A text in which milli stands for mega behind every number, and mega for milli."""
    return _WITH_PREFIX.sub(lambda m: f"{m[1]}{m[2].swapcase()}{m[3]}", text)


def other_units(text: str) -> str:
    """A text in which every unit behind a number is a thousand times as large: `3 MN` for `3 kN`."""
    return _WITH_UNIT.sub(lambda m: f"{m[1]}{_NEXT_PREFIX[m[2]]}{m[3]}", text)


def other_letters(word: str) -> str:
    """As many characters, none of them the same: `z` for letters, `9` for digits."""
    return re.sub(r"[^\W\d_]", lambda m: "q" if m[0] in "zZ" else "z", re.sub(r"\d", "9", word))


def whole_spoofs(value: Any) -> list[Spoof]:
    """Whole answers that are not right in any field, or hold the right values only among wrong ones."""
    made = [
        Spoof("hedge-lists", "every value a list of candidates", _each(value, _candidates), Cause.HEDGED),
        Spoof(
            "hedge-words", "every value several candidates in words", _each(value, _in_words), Cause.HEDGED
        ),
        Spoof("all-true", "every value true", _each(value, lambda _: True), Cause.TRUTHY),
        Spoof("all-ones", "every value 1", _each(value, lambda leaf: leaf.with_number(1)), Cause.ANY_VALUE),
        Spoof("all-texts", 'every value the text "yes"', _each(value, lambda _: "yes"), Cause.TRUTHY),
        Spoof("all-empty-lists", "every value an empty list", _each(value, lambda _: []), Cause.EMPTY),
        Spoof("all-empty-texts", "every value an empty text", _each(value, lambda _: ""), Cause.EMPTY),
        Spoof("minus-infinity", "every number -Infinity", _numbers(value, float("-inf")), Cause.NOT_A_NUMBER),
        Spoof("infinity-text", 'every number "Infinity"', _numbers(value, "Infinity"), Cause.NOT_A_NUMBER),
        Spoof("overflow", "every number 1e999", _numbers(value, raw_number("1e999")), Cause.NOT_A_NUMBER),
        Spoof("overflow-text", 'every number "1e999"', _numbers(value, "1e999"), Cause.NOT_A_NUMBER),
        Spoof("nan-small-text", 'every number "nan"', _numbers(value, "nan"), Cause.NOT_A_NUMBER),
        Spoof(
            "long-numbers",
            "every number one of four hundred digits",
            _numbers(value, raw_number(_LONG)),
            Cause.NOT_A_NUMBER,
        ),
    ]
    names = name_paths(value)
    made += [
        Spoof(
            f"all-{name}",
            f"every value the pattern {pattern}",
            replaced(value, [(leaf.path, pattern) for leaf in leaves(value) if leaf.path not in names]),
            Cause.PATTERN,
        )
        for name, pattern in _PATTERNS.items()
    ]
    if isinstance(value, dict):
        wrong = _each(value, _wrong)
        said = "; ".join(f"{leaf.name} = {_shown(leaf)}" for leaf in leaves(value))
        decoys = {f"candidate_{key}": child for key, child in value.items()}
        decoys |= {f"{key}_2": child for key, child in value.items() if f"{key}_2" not in value}
        last = wrong_everywhere(value, 2)
        thrice = {
            name: child
            for key in value
            for name, child in (
                (key_again(key, 1), wrong[key]),
                (key, value[key]),
                (key_again(key, 2), last[key]),
            )
        }
        made.append(
            Spoof("same-keys", "every key three times, the right value in the middle", thrice, Cause.HEDGED)
        )
        made.append(
            Spoof(
                "in-notes",
                "every value wrong, the right ones in a note",
                {**wrong, "notes": said},
                Cause.ANYWHERE,
            )
        )
        made.append(
            Spoof(
                "decoys",
                "every value wrong, the right ones under other keys",
                {**decoys, **wrong},
                Cause.ANYWHERE,
            )
        )
        made.append(
            Spoof(
                "nested",
                "every value wrong, the right ones below a key of their own",
                {**wrong, "earlier": value},
                Cause.ANYWHERE,
            )
        )
    return [spoof for spoof in made if spoof.value != value]  # without numbers, infinity changes nothing


def _each(value: Any, change: Callable[[Leaf], Any]) -> Any:
    return replaced(value, [(leaf.path, change(leaf)) for leaf in leaves(value)])


def _numbers(value: Any, new: Any) -> Any:
    return replaced(value, [(leaf.path, new) for leaf in leaves(value) if leaf.kind == "number"])


def _candidates(leaf: Leaf) -> Any:
    if leaf.kind == "number":
        a, b, c, d = wrong_numbers(leaf)
        return [a, b, leaf.number, c, d]
    if leaf.kind == "truth":
        return [not leaf.value, leaf.value, not leaf.value]
    before, after = _others_like(str(leaf.value))
    return [before, leaf.value, after]


def _in_words(leaf: Leaf) -> Any:
    if leaf.kind == "number":
        a, b, c, d = (write_number(n) for n in wrong_numbers(leaf))
        return f"{a} or {b} or {write_number(leaf.number)} or {c} or {d}"
    if leaf.kind == "truth":
        return "true or false"
    before, after = _others_like(str(leaf.value))
    return f"{before}, {leaf.value}, {after}"


def _others_like(word: str) -> tuple[str, str]:
    """Two other texts; of one with digits such as look like it: a reader of digits would see no other."""
    if not re.search(r"\d", word):
        return "zzz", "yyy"
    other = other_letters(word)
    return other, other.translate(_OTHERS)


def _wrong(leaf: Leaf) -> Any:
    if leaf.kind == "number":
        return leaf.with_number(wrong_numbers(leaf)[0])
    return (not leaf.value) if leaf.kind == "truth" else other_moment(str(leaf.value)) or "none of these"


def wrong_everywhere(value: Any, number: int = 0) -> Any:
    """The same shape with wrong values; a different wrong for each `number` from 0 to 3."""
    return _each(
        value,
        lambda leaf: leaf.with_number(wrong_numbers(leaf)[number]) if leaf.kind == "number" else _wrong(leaf),
    )


def _shown(leaf: Leaf) -> str:
    return str(leaf.value).lower() if leaf.kind == "truth" else str(leaf.value)
