"""One value in another spelling: amounts, signs, fractions, times, names of days.

Each function makes it from the spelling that the right answer has, or says None. A value that stands in text
(a cell of a table, a text in JSON) may become any text; a JSON number stays one, unless a percent or a
fraction is allowed in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

from msgspec import Struct

from adjudge.audit.documents import NUMERALS, Leaf, raw_number

_CODE = re.compile(r"(?:^|_)(?:id|no|nr|number|index|year|code|zip|postcode|plz|page|day|rank)$", re.I)
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_NAMES = {name[:3].lower(): name for name in (*_DAYS, *_MONTHS)}
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
_RANGE = re.compile(r"(\d{1,3})\s*[-–]\s*(\d{1,3})")
_ROW = re.compile(r"\d{1,3}(?:, ?\d{1,3})+")
_LONGEST_RANGE = 20
_PERCENT_SIGN = re.compile(r"\s*%")


class Value(Struct, frozen=True):
    """A value, and whether it stands in a text of its own."""

    leaf: Leaf
    text: str
    in_text: bool

    @property
    def plain(self) -> str | None:
        """The digits of a number that nothing follows; None if it is none."""
        return self.text if self.in_text and _PLAIN.fullmatch(self.text) else None

    @property
    def counts(self) -> bool:
        """Is it a number that is worked out, and no name or year?"""
        return not (self.leaf.path and _CODE.search(str(self.leaf.path[-1])))


Change = Callable[[Value], str | None]
_UNIT = re.compile(
    r"[kcmu]?m[23]?|k?g|mg|t|m?s|min|h|d|eur|usd|gbp|chf|k|degc|[km]?pa|m?bar|[km]?n|[km]?wh?|m?v|m?a|[km]?hz"
    r"|ohm|m?l|ha|mol|rad|deg|db"
)
_NO_RATIO = re.compile(
    r"(?:^|_)(?:p|p_?values?|r2|r_squared|corr\w*|coef\w*|alpha|kappa|factor|index|score)(?:_|$)"
)


def value_of(leaf: Leaf, *, loose: bool) -> Value:
    in_text = isinstance(leaf.value, str) or (loose and leaf.kind == "number")
    return Value(leaf, str(leaf.value).strip() if leaf.kind != "truth" else str(leaf.value).lower(), in_text)


def grouped(value: Value) -> str | None:
    if value.plain is None or not value.counts or abs(Decimal(value.plain)) < 1000:
        return None
    whole, point, rest = value.plain.partition(".")
    return f"{int(whole):,}{point}{rest}"


def ungrouped(value: Value) -> str | None:
    return value.text.replace(",", "") if _GROUPED.fullmatch(value.text) else None


def comma(value: Value) -> str | None:
    return value.plain.replace(".", ",") if value.plain and "." in value.plain else None


def percent(value: Value) -> str | None:
    """`0.125` as `12.5%`: of a number between zero and one whose name is no unit."""
    leaf = value.leaf
    if leaf.kind != "number" or leaf.rest or not 0 < abs(leaf.number) <= 1 or not _may_be_ratio(leaf):
        return None
    return f"{_shortened(Decimal(_digits(value)) * 100):f}%" if isinstance(leaf.number, float) else None


def no_percent(value: Value) -> str | None:
    leaf = value.leaf
    if leaf.kind != "number" or leaf.rest is None or not _PERCENT_SIGN.fullmatch(leaf.rest):
        return None
    return raw_number(f"{_shortened(Decimal(repr(leaf.number)) / 100):f}")


def _shortened(number: Decimal) -> Decimal:
    """At most seven figures: nobody writes more, and a pattern for numbers may not take them."""
    return number.normalize(Context(prec=7))


def _digits(value: Value) -> str:
    return value.plain or repr(float(value.leaf.number))


def _may_be_ratio(leaf: Leaf) -> bool:
    """Has it no unit in its name (`gap_mm`), and no name of a number that nobody gives in percent?"""
    name = str(leaf.path[-1]).lower() if leaf.path else ""
    end = re.split(r"[_\s(\[\])]+", name.rstrip(")]"))[-1]
    return not (_UNIT.fullmatch(end) and name != end) and _NO_RATIO.search(name) is None


def bracketed(value: Value) -> str | None:
    return f"({value.plain[1:]})" if value.plain and value.plain.startswith("-") else None


def with_plus(value: Value) -> str | None:
    fit = value.plain and value.counts and value.plain[0] not in "+-" and Decimal(value.plain) > 0
    return f"+{value.plain}" if fit else None


def without_plus(value: Value) -> str | None:
    return value.text[1:] if value.in_text and re.fullmatch(r"\+\d+(?:\.\d+)?", value.text) else None


def power(value: Value) -> str | None:
    leaf = value.leaf
    if leaf.kind != "number" or leaf.rest or not isinstance(leaf.number, float):
        return None
    return raw_number(f"{_shortened(Decimal(_digits(value))):E}".replace("E", "e"))


def fraction(value: Value) -> str | None:
    leaf = value.leaf
    if leaf.kind != "number" or leaf.rest or not isinstance(leaf.number, float) or leaf.number.is_integer():
        return None
    exact = Fraction(_digits(value))
    return f"{exact.numerator}/{exact.denominator}" if exact.denominator <= 64 else None


def no_zero_before(value: Value) -> str | None:
    return value.text.lstrip("0") if re.fullmatch(r"0+[1-9]\d*", value.text) else None


def zero_before(value: Value) -> str | None:
    return f"0{value.plain}" if value.plain and re.fullmatch(r"\d", value.plain) else None


def with_seconds(value: Value) -> str | None:
    return f"{value.text}:00" if re.fullmatch(r"(?:\S+[T ])?[0-2]?\d:[0-5]\d", value.text) else None


def without_seconds(value: Value) -> str | None:
    match = re.fullmatch(r"((?:\S+[T ])?[0-2]?\d:[0-5]\d):00", value.text)
    return match[1] if match else None


def half_day(value: Value) -> str | None:
    match = re.fullmatch(r"([0-2]?\d):([0-5]\d)", value.text)
    return (
        f"{(int(match[1]) + 11) % 12 + 1}:{match[2]} {'pm' if int(match[1]) > 11 else 'am'}"
        if match
        else None
    )


def name_in_full(value: Value) -> str | None:
    return _NAMES.get(value.text.lower()) if len(value.text) == 3 else None


def name_cut(value: Value) -> str | None:
    full = _NAMES.get(value.text[:3].lower())
    return value.text[:3] if full is not None and value.text.lower() == full.lower() != "may" else None


def in_words(value: Value) -> str | None:
    fit = value.plain and value.counts and value.plain.isdigit() and int(value.plain) < len(NUMERALS)
    return NUMERALS[int(value.plain)] if fit and value.plain else None


def roman(value: Value) -> str | None:
    fit = value.plain and value.plain.isdigit() and 0 < int(value.plain) < len(_ROMAN)
    return _ROMAN[int(value.plain)] if fit and value.plain else None


def arabic(value: Value) -> str | None:
    return str(_ROMAN.index(value.text)) if value.text and value.text in _ROMAN else None


def no_umlauts(value: Value) -> str | None:
    return value.text.translate(_UMLAUTS) if value.leaf.kind == "text" else None


def no_accents(value: Value) -> str | None:
    import unicodedata

    apart = unicodedata.normalize("NFD", value.text)
    return "".join(c for c in apart if not unicodedata.combining(c)) if value.leaf.kind == "text" else None


def padded(value: Value) -> str | None:
    return f" {value.text} " if value.in_text and value.text else None


def spelled_out(value: Value) -> str | None:
    match = _RANGE.fullmatch(value.text)
    if match is None or not 0 < int(match[2]) - int(match[1]) < _LONGEST_RANGE:
        return None
    return ", ".join(map(str, range(int(match[1]), int(match[2]) + 1)))


def as_range(value: Value) -> str | None:
    numbers = list(map(int, re.findall(r"\d+", value.text))) if _ROW.fullmatch(value.text) else []
    run = numbers and numbers == list(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]}-{numbers[-1]}" if run else None


def joined(one: str, other: str, value: Value) -> str | None:
    word = value.leaf.kind == "text" and re.fullmatch(rf"[A-Za-z]\w*(?:{one}\w+)+", value.text)
    return re.sub(one, other, value.text) if word else None


def no_unit(value: Value) -> str | None:
    leaf = value.leaf
    unit = leaf.kind == "number" and leaf.rest and re.fullmatch(r"\s*[^\W\d_%°][^\d]*", leaf.rest)
    return value.text.removesuffix(leaf.rest or "").strip() if unit else None
