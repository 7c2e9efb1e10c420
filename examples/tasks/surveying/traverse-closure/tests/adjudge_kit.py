"""adjudge_kit: what a verifier imports. One file, standard library only, Python 3.8+; copy it into `tests/`.

A verifier reads the agent's answer, checks it field by field, and writes what it found:

    from adjudge_kit import Verifier

    with Verifier.from_file("/workspace/output.md") as v:              # fences, BOM, bare JSON: all are read
        v.number("voltage_drop_v", 3.04, rel=0.02, unit="V")           # within 2 %; "3.05 V" is read too
        v.number("voltage_drop_pct", 0.0132, rel=0.02, weight=2)
        v.choice("compliance", "compliant", among=["compliant", "non-compliant"])

On leaving the block (or on `v.finish()`, without `with`) it writes into `/logs/verifier`, each file whole or
not at all: `details.json` ({score, max_score, evidence} for each check), `errors.json` (why an answer is
wrong, where that is plain) and, last, `reward.json`.

Checks. All take `weight=1`, `max_score=1` and `at=`, which says where the value stands if not under the
check's own name: "loads.0.value", or "" for the whole answer.

    number(name, expected, rel=, abs=)     also unit=, convert=, strings=, thousands=, fade=, bands=, also=
    between(name, low, high)               a number in a closed range; an end that is None is open
    boolean(name, expected)
    choice(name, expected, among=[...])    one of a few words; case, spaces, "-" and "_" do not matter
    text(name, expected)                   also ignore_case=, ignore_space=
    members(name, expected)                a set: precision and recall; junk and repeats cost
    sequence(name, expected)               a list, position by position
    records(name, expected, key=)          a list of records matched by key; precision and recall
    table(name, expected, key=)            the same for CSV text, rows under a header, or columns
    check(name, function)                  your own: function(answer) -> bool, 0..1, or (score, evidence)
    score(name, score, evidence=)          your own score, worked out elsewhere
    not_applicable(name, reason)           leaves the mean; it is not a zero
    tag(category, description)             an error category of your own

Invariants:
- An output that is missing or cannot be read is the agent's failure: reward 0, and a tag that says why.
- A check that crashes is the verifier's failure, never a zero: `details.json` keeps its siblings,
  `errors.json` names the crash, NO `reward.json` is written, and the exit code is 1.
- Nothing is lenient unless the author said so: numbers in strings, units, thousands separators.
- A cause is named only where the numbers leave little doubt; a plain wrong number gets no label.
- What the agent wrote is shown clipped and without control characters, and can make no check crash.
"""

from __future__ import annotations

import math
import os
import sys

TYPE_CHECKING = False  # typing costs milliseconds; so do json, re and csv, imported where an answer is read
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

    Rule = Callable[[Any, Any, "str | None"], "CheckResult"]
    """(expected, actual, field) -> CheckResult. A field of None asks for the score alone."""

__version__ = "1"
__all__ = [
    "CheckResult",
    "Diagnosis",
    "Unreadable",
    "Verifier",
    "diagnose",
    "near",
    "read_answer",
    "read_bytes",
    "roll_up",
    "swapped",
]

LOGS = "/logs/verifier"
LOGS_VARIABLE = "ADJUDGE_LOGS"
"""The environment variable that moves the artifacts elsewhere, to try a verifier at one's desk."""
MAX_BYTES = 16 * 1024 * 1024
MAX_SEARCHED = 4_000_000
"""Characters, from the end, in which an answer among other text is looked for."""
MAX_WRITTEN = 1_000_000
"""Characters of JSON up to which numbers remember how they were written."""
MAX_ITEMS = 5_000
"""Items of one list that are looked at; all of them are counted."""
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
"""The value of a field that is not there, which is not the same as null."""

# ------------------------------------------------------------------------ showing what nobody vouches for


def show(value: Any, limit: int = 80) -> str:
    """A value on one line: no control characters, bounded length; lists and objects only by their size."""
    if value is None or isinstance(value, bool):
        text = {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, str):
        text = value[: limit + 1]
    elif isinstance(value, int) and value.bit_length() > 256:
        text = f"an integer of {value.bit_length()} bits"
    elif isinstance(value, (int, float)):
        text = f"{value:.10g}" if isinstance(value, float) else str(value)
    elif isinstance(value, dict):
        text = f"an object of {len(value)}"
    else:
        text = f"a list of {len(value)}"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quoted(value: Any) -> str:
    """Like `show`, with quotes around text."""
    return f'"{show(value)}"' if isinstance(value, str) else show(value)


def kind_of(value: Any) -> str:
    """A JSON value's type in words."""
    if value is None:
        return "null"
    kinds = ((bool, "a boolean"), (int, "a number"), (float, "a number"), (str, "text"), (dict, "an object"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "a list")


# ------------------------------------------------------------------------------------- reading the answer


class WrittenNumber(float):
    """A number that remembers how the answer wrote it: 3.10 has three figures, as a float it has two."""

    __slots__ = ("text",)
    if TYPE_CHECKING:
        text: str

    def __new__(cls, text: str) -> WrittenNumber:
        number = super().__new__(cls, text)
        number.text = text
        return number


class Unreadable(Exception):  # noqa: N818 - names the verdict
    """The agent's output cannot be read; the message says why."""

    category = "parsing error"


class OutputMissing(Unreadable):
    """There is no output at all."""

    category = "output missing"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file; a link, a pipe, a folder or a giant is no answer. Raises Unreadable."""
    import stat

    label = show(os.fspath(path), 200)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise OutputMissing(f"there is no file {label}") from None
    except OSError as error:
        raise Unreadable(f"{label} cannot be opened: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unreadable(f"{label} is not a regular file")
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_BYTES:
        raise Unreadable(f"{label} is larger than {MAX_BYTES >> 20} MiB")
    return data


def read_answer(data: bytes | str, format: str = "json") -> Any:  # noqa: A002 - the word of task.toml
    """The answer in an output of format json (also for Markdown), jsonl, csv or text. Raises Unreadable.

    json: the whole text, if it is JSON; else the last fence that holds an object or a list, labelled json or
    not at all; else the last object in the prose, or a list that has its lines to itself. A BOM and CRLF do
    not matter. The same rule as adjudge's gates.
    """
    if format not in _READERS:
        raise ValueError(f"format is {format!r}; allowed: {', '.join(_READERS)}")
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Unreadable(f"not UTF-8 text: {error.reason} at byte {error.start}") from None
    text = data.replace("\r\n", "\n")
    if not text.strip():
        raise Unreadable("the output is empty")
    return _READERS[format](text)


def _read_json(text: str) -> Any:
    value, problem = _loads(text)
    if problem is None:
        return value
    if len(text) > MAX_SEARCHED:  # an answer stands near the end
        cut = len(text) - MAX_SEARCHED
        text = text[text.find("\n", cut) + 1 or cut :]
    broken_fence = None
    fences = [fence for fence in _fences(text) if fence[0] in ("", "json", "jsonc", "json5", "geojson")]
    for _, body, _, _ in reversed(fences):
        value, broken = _loads(body)
        if broken is None and isinstance(value, (dict, list)):
            return value
        broken_fence = broken_fence or broken
    value = _last_in_prose(text, fences)
    if value is not MISSING:
        return value
    if broken_fence is not None:
        problem = f"the last fenced block is {broken_fence}"
    elif text.lstrip()[:1] not in ("{", "["):
        problem = "no JSON in the text"
    raise Unreadable(problem)


def _loads(text: str) -> tuple[Any, str | None]:
    """(value, None), or (None, why not). NaN and Infinity are not JSON, whatever Python's own reader says."""
    import json

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not a JSON value")

    try:
        kept = (
            WrittenNumber if len(text) <= MAX_WRITTEN else None
        )  # where there are millions, none is looked at
        return json.loads(text, parse_constant=refuse, parse_float=kept), None
    except RecursionError:
        return None, "nested too deeply"
    except ValueError as error:  # not JSON, or an integer of thousands of digits
        return None, f"not JSON: {error}"


def _fences(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(label in lower case, body, first line, line after) of each fence; one left open ends with the text."""
    import re

    opening = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})[{.\s]*([A-Za-z0-9+#_-]*)")
    mark, label, start = "", "", 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        found = opening.match(line) if "```" in line or "~~~" in line else None
        stripped = line.strip()
        closes = mark and len(stripped) >= len(mark) and not stripped.strip(mark[0])
        # A labelled fence ends one that was left open: a forgotten line must not swallow the answer below.
        opens = found and (not mark or (found.group(1) == mark and stripped != mark))
        if mark and (closes or opens):
            yield label, "\n".join(lines[start:number]), start, number
            mark = ""
        if found and opens and not closes:
            mark, label, start = found.group(1), found.group(2).lower(), number + 1
    if mark:
        yield label, "\n".join(lines[start:]), start, len(lines)


def _last_in_prose(text: str, fences: Iterable[tuple[str, str, int, int]]) -> Any:
    """The last JSON outside the fences, or MISSING; bounded work, however many brackets a text has."""
    import json
    import re

    lines = text.split("\n")
    for _, _, first, after in fences:  # a piece of a broken answer is not the answer
        lines[first:after] = [""] * (after - first)
    text = "\n".join(lines)
    starts = re.compile(r'\{(?=\s*")|^[ \t]*\[', re.MULTILINE)
    answer, position = MISSING, 0
    for _ in range(2000):  # a false start may cost a look at all of the text
        start = starts.search(text, position)
        if start is None:
            break
        try:
            value, position = json.JSONDecoder().raw_decode(text, start.end() - 1)
        except json.JSONDecodeError as error:
            position = max(error.pos, start.end())
            continue
        except (
            ValueError,
            RecursionError,
        ):  # an integer of thousands of digits, a nest of thousands of lists
            break
        line_ends = re.compile(r"[ \t.`]*(?:\n|$)").match(text, position)
        if (isinstance(value, dict) or line_ends) and _loads(text[start.end() - 1 : position])[1] is None:
            answer = value  # a list with words after it is a footnote: [1]
    return answer


def _read_jsonl(text: str) -> list[Any]:
    rows = []
    for number, line in enumerate(_unfenced(text, "jsonl", "ndjson", "json", "").split("\n"), 1):
        if line.strip():
            value, problem = _loads(line)
            if problem is not None:
                raise Unreadable(f"line {number} is {problem}")
            rows.append(value)
    return rows


def _read_csv(text: str) -> list[dict[str, str]]:
    """Rows as records. The separator is whichever of , ; tab | the header has most of."""
    import csv

    lines = _unfenced(text, "csv", "tsv", "").strip("\n").split("\n")
    separator = max(",;\t|", key=lines[0].count)
    try:
        rows = [
            row for row in csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True) if row
        ]
    except csv.Error as error:
        raise Unreadable(f"not CSV: {error}") from None
    header = [cell.strip() for cell in rows[0]]
    if len(set(header)) < len(header):
        raise Unreadable("the CSV header names a column twice")
    return [dict(zip(header, (cell.strip() for cell in row))) for row in rows[1:]]


def _unfenced(text: str, *labels: str) -> str:
    """The body of the last fence with such a label, or the text itself."""
    bodies = [body for label, body, _, _ in _fences(text) if label in labels and body.strip()]
    return bodies[-1] if bodies else text


_READERS: dict[str, Callable[[str], Any]] = {
    "json": _read_json,
    "jsonl": _read_jsonl,
    "csv": _read_csv,
    "text": str,
}
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv", ".txt": "text"}


def lookup(answer: Any, path: str) -> Any:
    """The value at a path such as "loads.0.value" or "loads[0].value", or MISSING; "" is the whole answer.

    A key that contains dots is found as it stands. In plain text a field is the last line `name: value`,
    `name = value` or `| name | value |`, whatever the case and emphasis of the name.
    """
    if path == "":
        return answer
    if isinstance(answer, str):
        return _labelled(answer, path)
    if isinstance(answer, dict) and path in answer:
        return answer[path]
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(answer, dict) and step in answer:
            answer = answer[step]
        elif isinstance(answer, list) and step.isdigit() and int(step) < len(answer):
            answer = answer[int(step)]
        else:
            return MISSING
    return answer


def _labelled(text: str, name: str) -> Any:
    found, wanted = MISSING, fold(name)
    first = wanted.partition(" ")[0]
    for line in text.split("\n"):
        if first not in line.casefold():  # most lines of a long text: the rest of the work is not for them
            continue
        bare = line.strip(" \t\r*#>|-`")
        mark = min((c for c in ":=|" if c in bare), key=bare.index, default="") if bare else ""
        if mark:
            label, _, value = bare.partition(mark)
            if fold(label.strip(" \t*`")) == wanted:
                found = (value.split("|")[0] if mark == "|" else value).strip(" \t*`")
    return found


# ---------------------------------------------------------------------------------------- what a check says


class Diagnosis:
    """A named cause: `guess` in words, `finding` what the numbers say (which may give the reference away).

    A `weak` one rests on a ratio alone; other fields that are wrong for no known cause speak against it.
    """

    __slots__ = ("category", "finding", "guess", "weak")

    def __init__(self, category: str, guess: str, finding: str = "", *, weak: bool = False) -> None:
        self.category, self.guess, self.finding, self.weak = category, guess, finding, weak

    def __repr__(self) -> str:
        return f"Diagnosis({self.category!r}, {self.describe()!r})"

    def describe(self, reveal: bool = True) -> str:
        """The evidence in one line; without the numbers where the reference must stay hidden."""
        return f"{self.finding}: {self.guess}" if reveal and self.finding else self.guess


class CheckResult:
    """What one check found.

    `score` is a share from 0 to 1; `sealed` is the evidence without the reference; `causes` are (field,
    Diagnosis); `swap` is (expected, actual, tolerance) of a wrong value that another field may explain;
    `plain` is the evidence without a guess at the cause.
    """

    __slots__ = (
        "actual", "applies", "causes", "evidence", "expected", "plain", "score", "sealed", "swap",
        "tolerance", "unit",
    )  # fmt: skip

    def __init__(
        self,
        score: float,
        evidence: str = "",
        sealed: str | None = None,
        *,
        causes: Iterable[tuple[str, Diagnosis]] = (),
        expected: Any = MISSING,
        actual: Any = MISSING,
        tolerance: float | None = None,
        unit: str | None = None,
        swap: tuple[Any, Any, float] | None = None,
        plain: str = "",
        applies: bool = True,
    ) -> None:
        self.score, self.evidence, self.sealed = score, evidence, evidence if sealed is None else sealed
        self.expected, self.actual, self.tolerance, self.unit = expected, actual, tolerance, unit
        self.causes, self.swap, self.applies, self.plain = list(causes), swap, applies, plain


def _failed(name: str | None, category: str, guess: str, **facts: Any) -> CheckResult:
    """No credit, for a reason that has a name."""
    return CheckResult(0.0, guess, causes=[(name or "", Diagnosis(category, guess))], **facts)


def _wrong_type(name: str | None, actual: Any, asked: str, **facts: Any) -> CheckResult:
    said = f"{kind_of(actual)} where {asked} is asked: {quoted(actual)}"
    return _failed(name, WRONG_TYPE, said, actual=actual, **facts)


# ------------------------------------------------------------------------------------------------- numbers

_NUMBER = r"[+\-\u2212]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+\-]?\d+)?"
_GROUPS = ", '_\u00a0\u2009\u202f"
_GROUPED = rf"[+\-\u2212]?\d{{1,3}}(?:[{_GROUPS}]\d{{3}})+(?:\.\d*)?"
_POWER = r"(?<=\d) ?[x\u00d7\u00b7\u22c5*] ?10(?:\^([+\-\u2212]?\d{1,3})|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹\u2212", "+-0123456789-")
"""1.25 × 10^4 and 1.25·10⁴ are 1.25e4; 5 x 10 is a size."""
_ROUGHLY = r"\A(?:[~\u2248\u223c]|(?:ca|circa|approx|approximately)\b\.?)\s*"
_COMMA = r"\A([+\-\u2212]?)(?:(0),(\d+)|(\d+),(\d\d?|\d{4,}))(?![\d.,])"
"""12,5 and 0,125 are decimal commas; 1,234 may be a thousand and is read only with `thousands`."""
_MIXED = r"(?:(\d+(?:\.\d+)?)|(?:(\d+)[ \-])?(\d{1,3})/(\d{1,3}))\s*"
_IMPERIAL = (
    rf"\A([+\-\u2212]?)(?:{_MIXED}('|ft\b\.?|foot\b|feet\b))?\s*(?:,|-|and\b)?\s*"
    rf"(?:{_MIXED}(\"|''|in\b\.?|inch\b|inches\b))?\Z"
)
"""5'-6", 5 ft 6 in, 3/4 in, 1 1/2", 1-1/2 in."""


def is_number(value: Any) -> bool:
    """A finite int or float. A bool is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a float
        return False


def split_number(text: str, thousands: bool = False) -> tuple[float, str] | None:
    """(12.5, "mm") of "12.5 mm", (12.5, "") of "12.5"; None for what is not one number and perhaps a unit.

    Read as well: "~12.5", "ca. 12.5", "12,5" (but not "1,234", which may be a thousand), "3/4 in" and 5'-6".
    """
    import re

    text = text.strip()
    if len(text) > 200:
        return None
    imperial = _feet_and_inches(re.sub(_ROUGHLY, "", text, flags=re.I))
    if imperial is not None:
        return imperial
    found = re.match(_numeral(thousands) + r"\s*([^\s\d.,;:+\-].{0,39})?\Z", _plain(text))
    if found is None:
        return None
    unit = found.group(2) or ""
    if (" " in unit or len(unit) > 20) and unit_size(unit) is None:
        return None  # words, not a unit
    value = float(re.sub(f"[{_GROUPS}]", "", found.group(1)).replace("\u2212", "-"))
    return (value, unit) if math.isfinite(value) else None


def _numeral(thousands: bool) -> str:
    return f"({_GROUPED}|{_NUMBER})" if thousands else f"({_NUMBER})"


def _plain(text: str) -> str:
    """A number as computers write it: without a word for "about", a decimal comma or a power of ten."""
    import re

    text = re.sub(_ROUGHLY, "", text.strip(), flags=re.I)
    if "," in text:
        text = re.sub(_COMMA, lambda c: f"{c[1]}{c[2] or c[4]}.{c[3] or c[5]}", text)
    if "10" in text:
        text = re.sub(_POWER, lambda p: f"e{(p.group(1) or p.group(2)).translate(_RAISED)}", text, count=1)
    return text


def _feet_and_inches(text: str) -> tuple[float, str] | None:
    """(5.5, "ft") of 5'-6", (0.75, "in") of 3/4 in; None for everything else, also for 5 ft alone."""
    import re

    text = text.replace("\u2019", "'").replace("\u201d", '"')
    found = re.match(_IMPERIAL, text, re.I)
    if found is None:
        return None
    sign = -1.0 if found[1] in ("-", "\u2212") else 1.0
    feet, inches = _mixed(*found.group(2, 3, 4, 5)), _mixed(*found.group(7, 8, 9, 10))
    if found[6] and found[11]:
        if feet is None or inches is None or feet != int(feet) or inches >= 12:
            return None
        return sign * (feet + inches / 12), "ft"
    unit, value = ("ft", feet) if found[6] else ("in", inches)
    plain = (found[6] or found[11] or "x")[0].isalpha() and not (found[4] or found[9])
    return None if plain or value is None else (sign * value, unit)


def _mixed(plain: str, whole: str, above: str, below: str) -> float | None:
    """1.5 of 1 1/2; None for a fraction without sense."""
    if not above:
        return float(plain) if plain else None
    if not int(below) or (whole and int(above) >= int(below)):
        return None
    return int(whole or 0) + int(above) / int(below)


def tolerance_of(expected: float, rel: float | None, abs: float | None) -> float:  # noqa: A002 - as in pytest.approx
    """How far an answer may be off: the wider of the two. Neither given: equal but for float noise."""
    for label, value in (("rel", rel), ("abs", abs)):
        if value is not None and not (is_number(value) and value >= 0):
            raise ValueError(f"{label} is {value!r}; allowed: a number of at least 0")
    if expected == 0 and rel and abs is None:
        raise ValueError("the reference is 0, where a relative tolerance allows nothing; give abs= as well")
    if rel is None and abs is None:
        return 1e-9 * math.fabs(expected)
    return max(abs or 0.0, (rel or 0.0) * math.fabs(expected))


def near(
    *,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - as in pytest.approx
    unit: str | None = None,
    convert: bool = False,
    strings: bool = False,
    thousands: bool = False,
    fade: float | None = None,
    bands: Mapping[float, float] | None = None,
    also: Mapping[str, Any] | None = None,
    figures: int | None = None,
) -> Rule:
    """A rule for numbers: right within `abs` or within `rel` of the reference, whichever is wider.

    `strings` accepts "3.04", `thousands` "1,234.5", `unit="V"` "3.04 V", and `convert` also "3040 mV".
    Partial credit is counted in tolerances: `fade=5` falls from 1 at one tolerance to 0 at five, and
    `bands={2: 0.5}` gives 0.5 up to two. `also={"psi given for kPa": 0.145}` names further factors (answer /
    reference); a pair (2, "wrong quantity") brings a category of its own. NaN and infinity match nothing.
    `figures=4` refuses an answer written with fewer significant figures.
    """
    if figures is not None and not (isinstance(figures, int) and 1 <= figures <= 15):
        raise ValueError(f"figures is {figures!r}; allowed: a whole number from 1 to 15")
    if fade is not None and (bands is not None or not fade > 1):
        raise ValueError(f"fade is {fade!r}; allowed: a number of tolerances above 1, and not with bands")
    steps = sorted((bands or {}).items())
    if any(not (reach > 1 and 0 <= credit <= 1) for reach, credit in steps):
        raise ValueError(f"bands are {bands!r}; allowed: tolerances above 1, each with credit from 0 to 1")

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:  # noqa: PLR0911 - a case a line
        if not is_number(expected):
            raise ValueError(f"the reference {show(expected)} is not a finite number")
        tolerance = tolerance_of(expected, rel, abs)
        facts: dict[str, Any] = {"expected": expected, "actual": actual, "tolerance": tolerance, "unit": unit}
        value = _number_in(actual, unit, convert=convert, strings=strings or thousands, thousands=thousands)
        if isinstance(value, Diagnosis):
            return _failed(name, value.category, value.guess, **facts)
        if figures is not None and _figures_of(actual) < figures:
            said = f"{quoted(actual)} has fewer than the {figures} significant figures that are asked"
            return _failed(name, ROUNDING, said, **facts)
        size, error = math.fabs(expected), math.fabs(value - expected)
        given, asked = (f"{quoted(number)}{_suffix(number, unit)}" for number in (actual, expected))
        if error <= 1e-9 * size:
            return CheckResult(1.0, "exact match", **facts)
        if error <= tolerance + 1e-12 * size:  # 1.02 is within 2 % of 1, whatever binary fractions make of it
            allowed = f"{100 * rel:.4g} %" if rel and rel * size >= tolerance else f"{tolerance:.4g}"
            return CheckResult(1.0, f"{given} is within {allowed} of {asked}", "within tolerance", **facts)
        distance = error / tolerance if tolerance else math.inf
        score = next((credit for reach, credit in steps if distance <= reach), 0.0)
        if fade is not None:
            score = max(0.0, (fade - distance) / (fade - 1))
        if name is None:
            return CheckResult(score)
        facts["swap"] = (expected, value, tolerance)
        share = f", {100 * error / size:.3g} %" if size else ""
        allowed = "nothing" if rel is None and abs is None else f"{tolerance:.4g}"
        off = f"off by {error:.4g}{_suffix(error, unit)}{share}; allowed: {allowed}"
        facts["plain"] = f"{given}, not {asked} ({off})"
        cause = _explain(
            expected,
            value,
            tolerance=tolerance,
            name=name,
            unit=unit,
            also=also or {},
            fine=_decimals(actual),
        )
        if cause is not None:
            said = f"{given} for {asked}: {cause.guess} ({off})"
            return CheckResult(score, said, cause.guess, causes=[(name, cause)], **facts)
        return CheckResult(score, facts["plain"], "outside tolerance", **facts)

    return rule


def _mantissa(actual: Any) -> str:
    """A number as it was written, without a unit and a power of ten."""
    import re

    text = actual.text if isinstance(actual, WrittenNumber) else actual
    text = text if isinstance(text, str) else repr(text)
    found = re.match(_numeral(True), _plain(text))
    return (found.group() if found else text).lower().partition("e")[0]


def _figures_of(actual: Any) -> int:
    """The significant figures of a number as it was written; a whole number may mean its zeros."""
    digits = "".join(c for c in _mantissa(actual) if c.isdigit())
    return len(digits.lstrip("0")) or 1


def _decimals(actual: Any) -> int:
    """The digits behind the decimal point, as they were written; 0 with a power of ten."""
    power = isinstance(actual, float) and "e" in repr(actual)
    return 0 if power else len(_mantissa(actual).partition(".")[2])


def _suffix(value: Any, unit: str | None) -> str:
    return f" {unit}" if unit and not isinstance(value, str) else ""


def _number_in(
    actual: Any, unit: str | None, *, convert: bool = False, strings: bool = False, thousands: bool = False
) -> float | Diagnosis:
    """The number that an answer holds, or why it holds none."""
    if not isinstance(actual, str):
        other = isinstance(actual, bool) or not isinstance(actual, (int, float))
        said = f"{kind_of(actual)} where a number is asked" if other else "not a finite number"
        return float(actual) if is_number(actual) else Diagnosis(WRONG_TYPE, f"{said}: {show(actual)}")
    value, given = split_number(actual, thousands) or (math.nan, "")
    if math.isnan(value):
        wordy = _numbers_in(actual) == 1
        said = "text beside the number" if wordy else "text where a number is asked"
        return Diagnosis(EXTRA_TEXT if wordy else WRONG_TYPE, f"{said}: {quoted(actual)}")
    if unit is None and (given or not strings):
        said = "text beside the number" if given else "a number written as text"
        return Diagnosis(EXTRA_TEXT if given else WRONG_TYPE, f"{said}: {quoted(actual)}")
    if unit is None or not given or same_unit(given, unit):
        return value
    converted = convert_unit(value, given, unit) if convert else None
    refused = Diagnosis(UNIT_MISMATCH, f"answered in {show(given)}, asked in {unit}")
    return refused if converted is None else converted


def _numbers_in(text: str) -> int:
    """How many numbers stand among the words of a text."""
    import re

    return len(re.findall(rf"(?<![\w.]){_NUMBER}(?![\w.,]*\d)", text[:400]))


# -------------------------------------------------------------------------- text, choices, truth, ranges


def fold(text: str) -> str:
    """Text without what a choice does not depend on: case, spaces, hyphens and underscores."""
    return " ".join(text.replace("-", " ").replace("_", " ").split()).casefold()


def exact(*, ignore_case: bool = False, ignore_space: bool = False) -> Rule:
    """A rule for text: equal, but for case or runs of white space where the author allows it."""

    def tidy(text: str) -> str:
        text = " ".join(text.split()) if ignore_space else text
        return text.casefold() if ignore_case else text

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        if not isinstance(actual, str):
            return _wrong_type(name, actual, "text", expected=expected)
        if tidy(actual) == tidy(expected):
            return CheckResult(1.0, "exact match", expected=expected, actual=actual)
        swap = (tidy(expected), tidy(actual), 0.0)
        said = f"{quoted(actual)}, not {quoted(expected)}"
        return CheckResult(0.0, said, "not the text expected", expected=expected, actual=actual, swap=swap)

    return rule


def one_of(among: Sequence[str] | None = None) -> Rule:
    """A rule for enumerations: a word of a fixed list; a list as the reference accepts any of its words."""
    allowed = {fold(choice) for choice in among or ()}
    if len(allowed) < len(among or ()):
        raise ValueError("two of the choices differ only in case or separators")

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        accepted = [expected] if isinstance(expected, str) else list(expected)
        right = {fold(choice) for choice in accepted}
        if not right or (allowed and not right <= allowed):
            raise ValueError(f"the reference {show(expected)} is not among the choices")
        facts = {"expected": accepted[0], "actual": actual}
        if not isinstance(actual, str):
            return _wrong_type(name, actual, "one of a few words", expected=accepted[0])
        if fold(actual) in right:
            return CheckResult(1.0, f"correctly {quoted(actual)}", **facts)
        if _wordy(actual, right, allowed - right):
            return _failed(name, EXTRA_TEXT, f"text beside the choice: {quoted(actual)}", **facts)
        if allowed and fold(actual) not in allowed:
            return CheckResult(
                0.0, f"{quoted(actual)} is not one of {show(', '.join(among or ()), 200)}", **facts
            )
        return CheckResult(
            0.0, f"{quoted(actual)}, not {quoted(accepted[0])}", f"{quoted(actual)} is wrong", **facts
        )

    return rule


_NEGATIONS = frozenset(
    (
        "not",
        "no",
        "non",
        "never",
        "neither",
        "nor",
        "isn't",
        "doesn't",
        "cannot",
        "without",
        "fail",
        "fails",
        "failed",
    )
)


def _wordy(actual: str, right: Iterable[str], wrong: Iterable[str]) -> bool:
    """Does the text hold a right word among others, no wrong one and no negation?"""
    letters = "".join(c if c.isalnum() or c in "'-_" else " " for c in actual[:400].casefold())
    words = f" {' '.join(letters.replace('_', '-').split())} "

    def holds(choice: str) -> bool:
        return f" {choice} " in words or f" {choice.replace(' ', '-')} " in words

    return not _NEGATIONS & set(words.split()) and any(map(holds, right)) and not any(map(holds, wrong))


def truth() -> Rule:
    """A rule for booleans: true or false, and nothing that merely looks like it."""

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        if not isinstance(actual, bool):
            return _wrong_type(name, actual, "true or false", expected=expected)
        said = f"correctly {show(actual)}" if actual is expected else f"{show(actual)} is wrong"
        return CheckResult(float(actual is expected), said, expected=expected, actual=actual)

    return rule


def within(low: float | None, high: float | None, unit: str | None = None, strings: bool = False) -> Rule:
    """A rule for a closed range; an end that is None is open. It needs no reference."""
    bottom, top = -math.inf if low is None else low, math.inf if high is None else high
    if not bottom <= top or bottom == -top == -math.inf:
        raise ValueError(f"the range from {low!r} to {high!r} tells nothing")

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        value = _number_in(actual, unit, strings=strings)
        if isinstance(value, Diagnosis):
            return _failed(name, value.category, value.guess, actual=actual)
        inside = bottom <= value <= top
        said = f"{'in' if inside else 'outside'} the range"
        return CheckResult(
            float(inside),
            f"{quoted(actual)} is {said} from {show(bottom)} to {show(top)}",
            said,
            actual=actual,
        )

    return rule


def by_type(rel: float | None = None, abs: float | None = None, strings: bool = False) -> Rule:  # noqa: A002
    """A rule that follows the reference: numbers within tolerance, booleans, folded text, the rest if equal.

    Among many references one may be 0, which a relative tolerance cannot reach: that one must be met exactly.
    """

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        if isinstance(expected, bool):
            return truth()(expected, actual, name)
        if is_number(expected):
            floor = 0.0 if abs is None and rel and expected == 0 else abs
            return near(rel=rel, abs=floor, strings=strings)(expected, actual, name)
        if isinstance(expected, str):
            return one_of()(expected, actual, name)
        same = actual == expected
        return CheckResult(float(same), "equal" if same else "not equal")

    return rule


# --------------------------------------------------------------------------------------------- collections


def _harmonic(found: float, expected: int, given: int) -> float:
    """The harmonic mean of precision and recall; 1 where nothing was asked for and nothing given."""
    return 2 * found / (expected + given) if expected + given else 1.0


def _tally(found: int, expected: int, given: int, credit: float | None = None) -> str:
    """What was found, and what that is worth: precision and recall count a record by the credit it earned."""
    right = found if credit is None else credit
    precision, recall = right / given if given else 0.0, right / expected if expected else 0.0
    earned = "" if credit is None or credit == found else f", worth {credit:.4g}"
    return (
        f"{found} of {expected} found{earned}, {given} given (precision {precision:.2f}, recall {recall:.2f})"
    )


def member_rule(each: Rule) -> Rule:
    """A rule for sets. Each reference is matched once; all that is given counts, so junk and repeats cost."""

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        if not isinstance(actual, list):
            return _wrong_type(name, actual, "a list")
        left = [item for item in actual[:MAX_ITEMS] if item is not None]
        missed = []
        for item in expected:
            match = next((i for i, given in enumerate(left) if each(item, given, None).score == 1), None)
            if match is None:
                missed.append(item)
            else:
                del left[match]
        found, total = len(expected) - len(missed), len(expected)
        said = _tally(found, total, len(actual))
        junk = f"; not asked for: {_listed(left)}" if left else ""
        lacks = f"; missing: {_listed(missed)}" if missed else ""
        return CheckResult(_harmonic(found, total, len(actual)), said + lacks + junk, said + junk)

    return rule


def _listed(items: Sequence[Any]) -> str:
    return ", ".join(show(item, 40) for item in items[:4]) + (", …" if len(items) > 4 else "")


def sequence_rule(each: Rule) -> Rule:
    """A rule for lists in order: the mean credit over the positions of the longer of the two lists."""

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        if not isinstance(actual, list):
            return _wrong_type(name, actual, "a list")
        longer = max(len(expected), len(actual))
        outcomes = [
            CheckResult(0.0, "null") if given is None else each(item, given, f"{name}[{i}]")
            for i, (item, given) in enumerate(zip(expected, actual))
        ]
        wrong = [(i, outcome) for i, outcome in enumerate(outcomes) if outcome.score < 1]
        said = f"{len(outcomes) - len(wrong)} of {len(expected)} right, {len(actual)} given"
        return CheckResult(
            math.fsum(outcome.score for outcome in outcomes) / longer if longer else 1.0,
            "; ".join([said, *(f"position {i}: {outcome.evidence}" for i, outcome in wrong[:3])]),
            "; ".join([said, *(f"position {i}: {outcome.sealed}" for i, outcome in wrong[:3])]),
            causes=[cause for outcome in outcomes for cause in outcome.causes],
        )

    return rule


def record_rule(key: str | Sequence[str], fields: Mapping[str, Rule]) -> Rule:
    """A rule for lists of records, matched by key; a record's credit is the mean over its fields.

    Every record given counts: one without the key, one that was not asked for, and the second of two with the
    same key are junk. Without fields, a record is right when its key is there.
    """
    keys = [key] if isinstance(key, str) else list(key)

    def rule(expected: Any, actual: Any, name: str | None) -> CheckResult:
        references = {_identity(record, keys): record for record in expected}
        if None in references or len(references) < len(expected):
            raise ValueError(f"the reference records do not each have their own {', '.join(keys)}")
        if not isinstance(actual, list):
            return _wrong_type(name, actual, "a list of records")
        given: dict[Any, Any] = {}
        for record in actual[:MAX_ITEMS]:
            given.setdefault(_identity(record, keys), record)
        credit = 0.0
        wrong: list[tuple[str, CheckResult | None]] = []  # None for a record that is missing
        for identity, reference in references.items():
            label = ", ".join(show(reference[k], 40) for k in keys)
            if identity not in given:
                wrong.append((label, None))
                continue
            outcomes = [
                (field, _compared(compare, reference, given[identity], field, f"{name}[{label}].{field}"))
                for field, compare in fields.items()
            ]
            credit += math.fsum(o.score for _, o in outcomes) / len(outcomes) if outcomes else 1.0
            wrong += [(f"{label}.{field}", o) for field, o in outcomes if o.score < 1]
        _take_back([(where, o) for where, o in wrong if o is not None])
        causes = [cause for _, o in wrong if o is not None for cause in o.causes]
        notes = [
            (f"{where} is missing",) * 2 if o is None else (f"{where}: {o.evidence}", f"{where}: {o.sealed}")
            for where, o in wrong
        ]
        found = sum(identity in given for identity in references)
        said = _tally(found, len(references), len(actual), credit)
        return CheckResult(
            _harmonic(credit, len(references), len(actual)),
            "; ".join([said, *(opened for opened, _ in notes[:4])]),
            "; ".join([said, *(sealed for _, sealed in notes[:4])]),
            causes=causes,
        )

    return rule


def _take_back(wrong: Sequence[tuple[str, CheckResult]]) -> None:
    """Among the wrong numbers of all records, take back the guesses that the others speak against."""
    numbers = [(where, outcome) for where, outcome in wrong if outcome.plain]
    doubtful = unsupported([(w, o.causes[0][1] if o.causes else None, _ratio(o)) for w, o in numbers])
    for where, outcome in numbers:
        if where in doubtful:
            outcome.causes = []
            outcome.evidence, outcome.sealed = outcome.plain, "outside tolerance"


def _ratio(outcome: CheckResult) -> float:
    """Answer / reference of a wrong number; NaN where the reference is 0."""
    expected, actual, _ = outcome.swap or (0.0, 0.0, 0.0)
    return actual / expected if expected else math.nan


def _compared(compare: Rule, reference: Mapping[str, Any], given: Any, field: str, where: str) -> CheckResult:
    value = given.get(field)
    if value is None:
        return _failed(where, MISSING_FIELD, "missing")
    return compare(reference[field], value, where)


def _identity(record: Any, keys: Sequence[str]) -> tuple[Any, ...] | None:
    """What a record is known by, so that "B1" meets "b1" and "2" meets 2; None where a key is missing."""
    parts: list[Any] = []
    for key in keys:
        value = record.get(key) if isinstance(record, dict) else None
        number = split_number(value) if isinstance(value, str) else None
        if value is not None and is_number(value):
            parts.append(float(value))
        elif isinstance(value, str):
            parts.append(number[0] if number and not number[1] else fold(value))
        else:
            return None
    return tuple(parts)


def as_records(value: Any) -> Any:
    """A table of any usual shape as a list of records; what is no table comes back as it is.

    CSV text; records; rows under a header; {"columns": [...], "rows": [[...]]}; columns {"x": [...], ...}.
    """
    if isinstance(value, str):
        try:
            return _read_csv(value) if value.strip() else value
        except Unreadable:
            return value
    if isinstance(value, dict):
        columns, rows = value.get("columns"), value.get("rows", value.get("data"))
        if isinstance(columns, list) and isinstance(rows, list):
            value = [columns, *rows]
        elif value and all(isinstance(column, list) for column in value.values()):
            return [dict(zip(value, row)) for row in zip(*value.values())]
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        header = [str(cell) for cell in value[0]]
        return [dict(zip(header, row)) for row in value[1:]]
    return value


# ------------------------------------------------------------------------------------------------- rollups


def roll_up(
    scores: Sequence[tuple[float | None, float]], rollup: str = "weighted_mean", threshold: float = 0.5
) -> float:
    """The reward of (normalised score, weight) pairs, to 4 decimals: bit for bit that of `score_rubric`.

    None is "not applicable" and leaves the mean. Raises ValueError where nothing is left that counts. Sums
    run one addition after the other: `sum` rounds differently from one Python to the next.
    """
    counted = [(min(max(score, 0.0), 1.0), w) for score, w in scores if score is not None and w > 0]
    if not counted:
        raise ValueError("no check that counts applies, so there is no reward")
    total = logs = weights = 0.0
    lowest = min(score for score, _ in counted)
    for score, weight in counted:
        total += score * weight
        weights += weight
        logs += math.log(score) * weight if lowest > 0 else 0.0
    mean = min(total / weights, 1.0)
    rewards = {
        "weighted_mean": mean,
        "min": lowest,
        "geometric_mean": min(math.exp(logs / weights), 1.0) if lowest > 0 else 0.0,
        "all_pass": float(all(round(score, 4) >= threshold for score, _ in counted)),
        "threshold": float(round(mean, 4) >= threshold),
    }
    if rollup not in rewards:
        raise ValueError(f"rollup is {rollup!r}; allowed: {', '.join(rewards)}")
    return round(rewards[rollup], 4) + 0.0


# ----------------------------------------------------------------------------------------------- diagnosis
#
# A wrong number is explained by what it is to the reference. Coincidence is the enemy: fifty factors with a
# window of 2 % around each would "explain" two random numbers in five. So windows are narrow (`_CLOSE`), wide
# only where few factors compete (powers of ten, units of a quantity that the author named), and small whole
# factors such as 2, 3.6 or 12 count only where a unit speaks for them. tests/kit/test_false_labels.py
# measures what is left.

UNIT_MISMATCH = "unit mismatch"
PERCENT = "percent against fraction"
SIGN = "sign"
MAGNITUDE = "order of magnitude"
SWAPPED = "swapped fields"
ROUNDING = "premature rounding"
NEAR_MISS = "near miss"
MISSING_FIELD = "missing field"
WRONG_TYPE = "wrong type"
EXTRA_TEXT = "extra text"
VERIFIER_FAILURE = "verifier failure"

_CLOSE, _WIDE = 1e-3, 1e-2
_NEAR = 1.25
"""Tolerances within which a wrong number is a near miss."""

_ATOMS = """
m=+ kg= g=1e-3_kg+ s=+ A=+ K= rad=+ mol=+ VA=+ var=+ N=kg.m/s2+ Pa=N/m2+ J=N.m+ W=J/s+
Hz=6.283185307179586_rad/s+ C=A.s+ V=W/A+ ohm=V/A+ S=A/V+ F=C/V+ H=ohm.s+ T=V.s/m2+ Wb=V.s+ L=1e-3_m3+
t=1e3_kg+ bar=1e5_Pa+ cal=4.184_J+ P=.1_Pa.s+ St=1e-4_m2/s+ gon=.015707963267948967_rad+ min=60_s h=3600_s
d=86400_s yr=31557600_s in=.0254_m ft=.3048_m yd=.9144_m mi=1609.344_m nmi=1852_m mil=2.54e-5_m ha=1e4_m2
acre=4046.8564224_m2 gal=3.785411784e-3_m3 bbl=42_gal cc=1e-6_m3 lb=.45359237_kg oz=.028349523125_kg
slug=14.59390293720636_kg lbf=4.4482216152605_N kip=1e3_lbf kgf=9.80665_N tf=9806.65_N dyn=1e-5_N
psi=6894.757293168361_Pa ksi=1e3_psi psf=47.88025898033584_Pa ksf=1e3_psf atm=101325_Pa at=98066.5_Pa
torr=133.32236842105263_Pa mmHg=133.322387415_Pa inHg=3386.388640341_Pa mH2O=9806.65_Pa cmH2O=98.0665_Pa
mmH2O=9.80665_Pa inH2O=249.08891_Pa ftH2O=2989.06692_Pa Wh=3600_J+ BTU=1055.056_J MMBTU=1e6_BTU
therm=1e5_BTU hp=745.6998715822702_W TR=12e3_BTU/h MBH=1e3_BTU/h mph=1_mi/h kn=1_nmi/h fpm=1_ft/min
fps=1_ft/s gpm=1_gal/min gph=1_gal/h MGD=1e6_gal/d cfm=1_ft3/min cfs=1_ft3/s lpm=1_L/min lps=1_L/s
deg=.017453292519943295_rad arcmin=2.908882086657216e-4_rad arcsec=4.84813681109536e-6_rad
rev=6.283185307179586_rad rpm=1_rev/min degC=1_K degF=.5555555555555556_K degR=.5555555555555556_K
Ah=3600_C+ %=.01_1 ppm=1e-6_1 1=
"""
"""name=size in units that stand before it; "+" takes the prefixes from pico to tera; no size: a base unit.

Apparent and reactive power (VA, var) and angles are dimensions of their own: a kvar is no kW, and a hertz is
a full turn per second. Read the first time a unit is asked about.
"""

_FAMILIES = """
length: m mm cm km um in ft yd mi | nmi mil
area: m2 mm2 cm2 km2 ha ft2 in2 | yd2 acre mi2
volume: m3 L mL mm3 cm3 ft3 in3 gal | yd3 bbl acre.ft
second moment of area: mm4 cm4 m4 in4 | ft4
mass: kg g mg t lb | oz slug
force: N kN MN lbf kip kgf | tf dyn
pressure, stress: Pa kPa MPa GPa bar mbar psi ksi psf atm mmHg mH2O | hPa ksf N/m2 kN/m2 MN/m2 N/mm2 kN/mm2
more pressure: | inHg torr mmH2O cmH2O inH2O ftH2O kgf/cm2 at
moment, torque: N.m kN.m MN.m N.mm kN.mm lbf.ft kip.ft lbf.in | kip.in kgf.m
force per length, stiffness: N/m kN/m N/mm lbf/ft kip/ft | kN/mm lbf/in kip/in
energy: J kJ MJ GJ Wh kWh MWh cal kcal BTU | MMBTU therm
power: W kW MW mW hp BTU/h | GW TR MBH kcal/h
apparent power: VA kVA MVA
reactive power: var kvar Mvar
time: s ms us min h d | yr
speed: m/s km/h mph ft/s mm/s cm/s m/min | ft/min kn mm/h mm/d in/h m/d
acceleration: m/s2 cm/s2 ft/s2
flow: m3/s m3/h m3/min m3/d ft3/s L/s L/min L/h gpm cfm | MGD gph L/d
mass flow: kg/s kg/h t/h g/s lb/h | lb/s kg/min t/d
angle: rad deg mrad | gon arcmin arcsec rev
rotation, frequency: Hz kHz MHz rpm rad/s | GHz deg/s
voltage: V mV kV uV
current: A mA kA uA
charge: C mC Ah mAh
resistance: ohm mohm kohm Mohm
conductance: S mS uS
capacitance: F mF uF nF pF
inductance: H mH uH
flux density: T mT
temperature difference: K degC degF degR
density, concentration: kg/m3 g/cm3 t/m3 kg/L lb/ft3 g/L mg/L ug/L g/m3 | lb/gal
unit weight: kN/m3 N/m3 lbf/ft3 | kip/ft3 MN/m3
heat flux: W/m2 kW/m2 | BTU/h/ft2
heat transfer coefficient: W/m2/K kW/m2/K BTU/h/ft2/degF
thermal resistance: m2.K/W ft2.degF.h/BTU
thermal conductivity: W/m/K mW/m/K BTU/h/ft/degF
specific heat: J/kg/K kJ/kg/K kcal/kg/K BTU/lb/degF
specific energy: J/kg kJ/kg MJ/kg BTU/lb | kWh/kg
dynamic viscosity: Pa.s mPa.s cP P
kinematic viscosity: m2/s mm2/s cSt St | ft2/s
amount: mol mmol kmol
share: 1 % ppm
"""
"""Units that people give for one another: what a wrong number is explained by. After "|": rare ones, which
convert like the others and explain nothing, since every further factor explains more by chance."""

_ALIASES = {
    "l": "L", "ml": "mL", "liter": "L", "litre": "L", "liters": "L", "litres": "L", "dm3": "L",
    "metre": "m", "meter": "m", "metres": "m", "meters": "m", "micron": "um", "microns": "um", "inch": "in",
    "inches": "in", "feet": "ft", "foot": "ft", "yard": "yd", "yards": "yd", "mile": "mi", "miles": "mi",
    "volt": "V", "volts": "V", "amp": "A", "amps": "A", "ampere": "A", "amperes": "A", "watt": "W",
    "watts": "W", "newton": "N", "newtons": "N", "pascal": "Pa", "joule": "J", "joules": "J", "hertz": "Hz",
    "ohms": "ohm", "farad": "F", "henry": "H", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "mins": "min", "minute": "min", "minutes": "min", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "day": "d", "days": "d", "year": "yr", "years": "yr", "kph": "km/h", "kmh": "km/h", "tonne": "t",
    "tonnes": "t", "lbs": "lb", "pound": "lb", "pounds": "lb", "lbm": "lb", "kips": "kip", "gallon": "gal",
    "gallons": "gal", "acres": "acre", "hectare": "ha", "hectares": "ha", "knot": "kn", "knots": "kn",
    "kt": "kn", "kts": "kn", "sqft": "ft2", "sqm": "m2", "degrees": "deg", "degree": "deg",
    "radians": "rad", "radian": "rad", "grad": "gon", "revolution": "rev", "revolutions": "rev",
    "celsius": "degC", "fahrenheit": "degF", "rankine": "degR", "kelvin": "K", "RT": "TR", "tonR": "TR",
    "TonR": "TR", "tonsofrefrigeration": "TR", "tonofrefrigeration": "TR", "refrigerationton": "TR",
    "refrigerationtons": "TR", "Btuh": "BTU/h", "BTUH": "BTU/h", "btuh": "BTU/h", "BTUh": "BTU/h",
    "scfm": "cfm", "usgpm": "gpm", "Torr": "torr", "inWC": "inH2O", "inwc": "inH2O", "inwg": "inH2O",
    "inWG": "inH2O", "mmWC": "mmH2O", "pcf": "lb/ft3", "klf": "kip/ft", "plf": "lbf/ft", "revs": "rev",
    "Nm": "N.m", "kNm": "kN.m", "Nmm": "N.mm", "kNmm": "kN.mm", "MNm": "MN.m", "ft.lb": "lbf.ft",
    "lb.ft": "lbf.ft", "ft.lbf": "lbf.ft", "ftlb": "lbf.ft", "ftlbf": "lbf.ft", "ft.lbs": "lbf.ft",
    "lbs.ft": "lbf.ft", "in.lb": "lbf.in", "lb.in": "lbf.in", "in.lbf": "lbf.in", "inlb": "lbf.in",
    "in.lbs": "lbf.in", "ft.kip": "kip.ft", "ft.kips": "kip.ft", "kips.ft": "kip.ft", "kipft": "kip.ft",
    "lb/in2": "psi", "-": "1", "fraction": "1", "ratio": "1", "percent": "%", "pct": "%", "percentage": "%",
    "dimensionless": "1", "W/mK": "W/m/K", "kJ/kgK": "kJ/kg/K", "J/kgK": "J/kg/K", "psia": "psi",
    "bara": "bar", "USgpm": "gpm", "kBTU/h": "MBH", "kBtu/h": "MBH", "kBTU/hr": "MBH",
    "kBtu/hr": "MBH", "kN/m'": "kN/m",
}  # fmt: skip
_WORDS = {
    "gram": "g", "gramme": "g", "bar": "bar", "var": "var", "ohm": "ohm", "megohm": "Mohm", "kilohm": "kohm",
    "coulomb": "C", "tesla": "T", "weber": "Wb", "siemens": "S", "poise": "P", "stokes": "St", "mole": "mol",
    "calorie": "cal", "watthour": "Wh", "amperehour": "Ah", "amphour": "Ah", "voltampere": "VA",
    "voltamp": "VA", "poundforce": "lbf", "poundsforce": "lbf", "kilogramforce": "kgf",
    "kilogramsforce": "kgf", "horsepower": "hp", "barrel": "bbl", "ounce": "oz", "atmosphere": "atm",
    "metricton": "t", "nauticalmile": "nmi", "arcminute": "arcmin", "arcsecond": "arcsec",
}  # fmt: skip
"""Words in full, in the singular. A name that ends with one (number_of_bars) says nothing of units."""
_WORD_PREFIXES = {
    "pico": "p", "nano": "n", "micro": "u", "milli": "m", "centi": "c", "deci": "d", "hecto": "h",
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T",
}  # fmt: skip
_PHRASES = (
    (r"volt[ -]?amp(?:ere)?s?[ -]reactive\b", "var"),
    (r"(volt|watt|amp|ampere)[ -](amp(?:ere)?s?|hours?)\b", r"\1\2"),
    (r"\b(pounds?|kilograms?)[ -](force)\b", r"\1\2"), (r"\b(metric|nautical)[ -](tons?|miles?)\b", r"\1\2"),
    (r"\b(?:degrees?|deg\.?)\s+(?=(?:celsius|fahrenheit|rankine|kelvin)\b)", ""),
    (r"\b(?:degrees?|deg\.?)\s+(?=[CFR]\b)", "deg"),
    (r"\b(?:square|sq\.?)[\s-]+([a-z]+)", r"\g<1>2"), (r"\b(?:cubic|cu\.?)[\s-]+([a-z]+)", r"\g<1>3"),
    (r"\b([a-z]+)[\s-]squared\b", r"\g<1>2"), (r"\b([a-z]+)[\s-]cubed\b", r"\g<1>3"),
)  # fmt: skip
"""What several words say of one unit, and how it is written in one."""
_SPELLINGS = str.maketrans(
    {"²": "2", "³": "3", "⁴": "4", "·": ".", "⋅": ".", "×": ".", "*": ".", "µ": "u", "μ": "u", "⁻": "-",
     "¹": "1",
     "Ω": "ohm", "\u2126": "ohm", "′": "arcmin", "″": "arcsec", "Δ": "delta_", "∆": "delta_"}
)  # fmt: skip
_PREFIXES = {
    "p": 1e-12,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "c": 1e-2,
    "d": 0.1,
    "h": 100.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
}
_SCALES = {"degC": (1.0, 273.15), "K": (1.0, 0.0), "degF": (5 / 9, 459.67), "degR": (5 / 9, 0.0)}
"""Temperature scale -> (kelvins a degree, degrees between absolute zero and its own zero)."""
_LETTERS = {"C": "degC", "F": "degF", "R": "degR"}
"""A lone C or F is a scale to whoever asks for a temperature, a coulomb or a farad to others."""
_PURE = ("%", "1")

_ELECTRICAL = ("volt", "current", "amp", "phase", "rms", "peak", "fault", "circuit")
_LENGTHS = (
    "length",
    "span",
    "depth",
    "height",
    "width",
    "diameter",
    "radius",
    "distance",
    "thick",
    "elevation",
    "head",
)
_FORCES = ("force", "load", "reaction", "thrust", "tension", "weight")
_FACTORS = (
    (math.sqrt(3), "line value", "phase value", _ELECTRICAL),
    (math.sqrt(2), "peak value", "RMS value", _ELECTRICAL),
    (60.0, "s", "min", ("time", "duration", "period")), (3600.0, "s", "h", ("time", "duration", "period")),
    (9.80665, "N", "kg", (*_FORCES, "mass")), (9.81, "N", "kg", (*_FORCES, "mass")),
    (180 / math.pi, "degrees", "radians", ("angle", "phase", "bearing", "azimuth", "slope", "rotation")),
    (2 * math.pi, "rad/s", "Hz", ("speed", "freq", "omega", "rotation")),
    (25.4, "mm", "in", _LENGTHS), (2.54, "cm", "in", _LENGTHS), (1 / 0.3048, "ft", "m", _LENGTHS),
    (304.8, "mm", "ft", _LENGTHS),
    (1 / 0.09290304, "ft2", "m2", ("area",)), (35.3146667, "ft3", "m3", ("volume",)),
    (1.609344, "km", "mi", ("distance", "length", "speed")), (2.20462262, "lb", "kg", ("mass", "weight")),
    (4.4482216, "N or kN", "lbf or kip", _FORCES),
    (6.894757, "kPa or MPa", "psi or ksi", ("pressure", "stress", "strength")),
    (14.5037738, "psi", "bar", ("pressure",)), (145.037738, "psi", "MPa", ("pressure", "stress", "strength")),
    (101.325, "kPa", "atm", ("pressure",)),
)  # fmt: skip
"""(factor, small, large, words): an answer so many times the reference is the small unit given for the large,
where the field's name has one of the words. Without them a ratio of 1.414 is a coincidence."""


def diagnose(
    expected: Any,
    actual: Any,
    *,
    name: str = "",
    unit: str | None = None,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - as in pytest.approx
    also: Mapping[str, Any] | None = None,
) -> Diagnosis | None:
    """Why a wrong answer is wrong; None where it is right, or where nothing says why.

    Without `rel` and `abs` every difference is wrong, and a near miss cannot be told. The field's `name`
    helps with its unit: `span_mm`, `drop_pct`. A MISSING or null answer to a reference is a missing field.
    """
    if actual is MISSING or actual is None:
        return None if expected is None else Diagnosis(MISSING_FIELD, "no value given")
    if is_number(expected):
        floor = 0.0 if abs is None and rel and expected == 0 else abs
        outcome = near(rel=rel, abs=floor, unit=unit, also=also)(expected, actual, name)
    elif isinstance(expected, (list, dict)):
        same = kind_of(actual) == kind_of(expected)
        outcome = CheckResult(0.0) if same else _wrong_type(name, actual, kind_of(expected))
    elif isinstance(expected, (str, bool)):
        outcome = by_type()(expected, actual, name)
    else:
        return None
    return outcome.causes[0][1] if outcome.causes else None


def _explain(
    expected: float,
    actual: float,
    *,
    tolerance: float,
    name: str,
    unit: str | None,
    also: Mapping[str, Any],
    fine: int,
) -> Diagnosis | None:
    """The cause of a number outside its (absolute) tolerance, the most specific first."""
    size = math.fabs(expected)
    ratio = actual / expected if expected else math.inf
    finding = f"answer / reference = {ratio:.6g}"
    allowed = max(_digits_allow(actual), min(_WIDE, tolerance / size) if size else 0.0)
    for words, given in also.items():
        factor, category = given if isinstance(given, tuple) else (given, UNIT_MISMATCH)
        if math.fabs(ratio / factor - 1) <= allowed:
            return Diagnosis(category, f"{words}?", finding)
    if _rounded(expected, actual, fine):
        return Diagnosis(ROUNDING, "rounded too early?", f"{show(actual)} for {show(expected)}")
    distance = math.fabs(actual - expected) / tolerance if tolerance > 1e-8 * size else math.inf
    if distance <= _NEAR:
        return Diagnosis(NEAR_MISS, "just outside tolerance", f"{distance:.3g} tolerances away")
    if expected and math.fabs(actual + expected) <= max(tolerance, 1e-9 * size):
        return Diagnosis(SIGN, "opposite sign?", f"{show(actual)} for {show(expected)}")
    hint = canonical(unit).replace("delta_", "") if unit else _unit_in_name(name)
    difference = bool(unit and canonical(unit).startswith("delta_")) or _is_difference(name)
    cause = None
    if 1e-15 < ratio < 1e15:
        windows = (allowed, _digits_allow(actual))
        cause = _by_unit(
            ratio, hint, windows, declared=bool(unit), numbers=(expected, actual), name=name.lower()
        )
    return cause or (
        None if difference else _by_scale(expected, actual, hint, thermal="temp" in name.lower())
    )


def _is_difference(name: str) -> bool:
    """Does a name speak of a difference of temperatures, which has no zero of its own?"""
    words = name.lower().replace("-", "_").split("_")
    return not {"delta", "dt", "difference", "rise", "drop", "lmtd", "mtd", "approach"}.isdisjoint(words)


def _digits_of(value: float) -> tuple[str, int]:
    """The significant digits of a number as a person writes it, and the power of ten of the last one."""
    mantissa, _, exponent = f"{math.fabs(value):.14e}".partition("e")
    digits = mantissa.replace(".", "").rstrip("0")
    return digits, int(exponent) - len(digits) + 1


def _digits_allow(actual: float) -> float:
    """How near a ratio must be to a factor: one in a thousand, or what an answer of three digits can show."""
    digits, _ = _digits_of(actual)
    return min(max(_CLOSE, 0.5 / float(digits)), 2.5 * _CLOSE) if len(digits) == 3 else _CLOSE


def _rounded(expected: float, actual: float, fine: int) -> bool:
    """Is the answer the reference with fewer digits, rounded or cut off? `fine` decimals were written.

    A single digit proves little (1 for 1.4): it counts only close by, or as a small decimal (0.01 for 0.013).
    What was written as 5122.700 was not rounded to 5122.7.
    """
    if actual * expected <= 0:
        return False
    digits, place = _digits_of(actual)
    if fine > max(1, -place):
        return False
    if place > 0 and _rounded_at(0, len(digits) + place, expected, actual):
        return True
    return _rounded_at(place, len(digits), expected, actual)


def _rounded_at(place: int, digits: int, expected: float, actual: float) -> bool:
    given, place_expected = _digits_of(expected)
    if digits >= len(given) + max(place_expected, 0) or place < -300:
        return False
    gap = math.fabs(expected) / 10.0**place - math.fabs(actual) / 10.0**place
    if not (-0.5 - 1e-6 <= gap <= 0.5 + 1e-6 or (digits > 1 and 0 <= gap < 1)):
        return False
    closest = 0.01 if place > 0 else 0.06
    return (digits > 1 and place <= 0) or math.fabs(actual / expected - 1) <= closest or place <= -2


def _by_unit(
    ratio: float,
    hint: str,
    windows: tuple[float, float],
    *,
    declared: bool,
    numbers: tuple[float, float],
    name: str,
) -> Diagnosis | None:
    """A factor for the ratio: units of the field's own quantity, then powers of ten, then well-known ones.

    `windows` are the wide and the narrow one; `declared` says that the author, not the name, gave the unit.
    """
    allowed, tight = windows
    finding = f"answer / reference = {ratio:.6g}"
    own = [] if hint in _LETTERS and not declared else list(_same_quantity(hint))
    for given, factor in own:
        window = allowed if _is_power(factor) else max(tight, min(allowed, 5 * _CLOSE)) if declared else tight
        if math.fabs(ratio / factor - 1) <= window:
            words = f"{shown_unit(given)} given for {shown_unit(hint)}?"
            return Diagnosis(UNIT_MISMATCH, words, finding, weak=not declared and not _is_power(factor))
    certain = bool(own) and (declared or len(hint) > 1)  # a name in _h or _a need not mean hours or amperes
    power = round(math.log10(ratio))
    if power and math.fabs(ratio / 10.0**power - 1) <= allowed:
        share = hint in _PURE or (min(map(math.fabs, numbers)) <= 2 and not certain)
        prefix = hint not in _PURE and not (declared and own)
        cause = _power_of_ten(power, finding, share=share, prefix=prefix)
        proven = len(_digits_of(numbers[1])[0]) > 1 and math.fabs(ratio / 10.0**power - 1) <= tight
        return cause if proven or cause.category != MAGNITUDE else None  # 5 for 0.5 may be anything
    if hint in _PURE:
        return None
    electrical = hint in _VOLTS_AND_AMPERES
    known = [
        entry
        for entry in _FACTORS
        if (entry[3] is _ELECTRICAL and electrical)
        or (not certain and any(word in name for word in entry[3]))
    ]
    both_ways = [(f, s, b) for f, s, b, _ in known] + [(1 / f, b, s) for f, s, b, _ in known]
    gaps = [(math.fabs(ratio / f - 1), given, asked) for f, given, asked in both_ways]
    if not gaps or min(gaps)[0] > tight:
        return None
    _, given, asked = min(gaps)
    root = ", or \u221a3 left out" if "line value" in (given, asked) else ""
    return Diagnosis(UNIT_MISMATCH, f"{given} given for {asked}{root}?", finding, weak=True)


_VOLTS_AND_AMPERES = frozenset(("V", "mV", "kV", "A", "mA", "kA", "VA", "kVA", "MVA", "var", "kvar", "Mvar"))


def unsupported(causes: Sequence[tuple[str, Diagnosis | None, float]]) -> set[str]:
    """Of wrong numbers (field, cause or None, answer / reference), the fields with a cause that others deny.

    A slip of a factor spoils what follows from it, or stands alone. Where another number is wrong for no
    known cause and by another ratio, and none for the same cause, a bare ratio is more likely a coincidence.
    """
    strange = [ratio for _, cause, ratio in causes if cause is None]
    guesses = [cause.guess for _, cause, _ in causes if cause is not None]
    return {
        field
        for field, cause, ratio in causes
        if cause is not None
        and cause.weak
        and guesses.count(cause.guess) == 1
        and any(not math.isclose(ratio, other, rel_tol=_WIDE) for other in strange)
    }


def _is_power(factor: float) -> bool:
    return math.fabs(math.log10(factor) - round(math.log10(factor))) < 1e-9


def _power_of_ten(power: int, finding: str, *, share: bool, prefix: bool) -> Diagnosis:
    """100 is percent where a share is plausible, 1000 a prefix unless a unit says otherwise, else a slip."""
    if power in (2, -2) and share:
        words = "percent given for fraction?" if power > 0 else "fraction given for percent?"
        return Diagnosis(PERCENT, words, finding)
    if power % 3 == 0 and prefix:
        pair = {3: ("mm", "m"), 6: ("Pa", "MPa")}.get(max(power, -power), ("a small unit", "a large one"))
        given, asked = pair if power > 0 else pair[::-1]
        return Diagnosis(UNIT_MISMATCH, f"{given} given for {asked}, or the like?", finding)
    return Diagnosis(MAGNITUDE, f"off by a power of ten (10^{power})?", finding, weak=True)


def _by_scale(expected: float, actual: float, hint: str, thermal: bool) -> Diagnosis | None:
    """One temperature scale given for another. Where nothing says so, only the plainest are named."""
    hint = _LETTERS.get(hint, hint) if thermal or hint == "C" else hint
    if hint and hint not in _SCALES:
        return None
    thermal = thermal or bool(hint)
    digits = max(len(_digits_of(value)[0]) for value in (expected, actual))
    scales = {scale: zero for scale, zero in _SCALES.items() if scale != "degR"}
    for asked, (size, zero) in scales.items():
        for given, (given_size, given_zero) in scales.items():
            fahrenheit = "degF" in (given, asked)
            plain = thermal or not fahrenheit or (digits > 2 and "K" not in (given, asked))
            if given == asked or asked != (hint or asked) or not plain:
                continue
            target = (expected + zero) * size / given_size - given_zero
            if math.fabs(actual - target) <= (0.2 if thermal or not fahrenheit else 0.011):
                finding = f"{show(actual)} for {show(expected)}"
                return Diagnosis(
                    UNIT_MISMATCH, f"{shown_unit(given)} given for {shown_unit(asked)}?", finding
                )
    return None


_units_read: dict[str, tuple[float, dict[str, int]] | None] = {}
_atoms: dict[str, tuple[float, dict[str, int], bool]] = {}
_folded: dict[str, str] = {}
_families: list[tuple[str, list[str], list[str]]] = []


def unit_size(unit: str) -> tuple[float, dict[str, int]] | None:
    """(size in base units, dimensions) of a unit as people write it; None where the kit does not know it.

    "W/m·K", "W/(m²·K)", "kJ/kg/K", "ft-lb", "m^3/hr": what follows the first stroke stands below it.
    """
    if unit not in _units_read:
        if len(_units_read) > 1000:  # an agent's texts are not kept without end
            _units_read.clear()
        _units_read[unit] = _product(canonical(unit).replace("delta_", ""))
    return _units_read[unit]


def canonical(unit: str) -> str:
    """One spelling of a unit: m² and m^2 are m2, kN·m and kNm are kN.m, Ω is ohm, m³/hr is m3/h, CFM cfm."""
    import re

    _read_units()
    bare = unit.strip()[:60]
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    text = bare.translate(_SPELLINGS).replace("**", "").replace("^", "")
    text = re.sub(r"°\s*(?=[CFR]\b)", "deg", text).replace("°", "deg")
    joined = "".join(text.split())
    if joined in _ALIASES:
        return _ALIASES[joined]
    for phrase, short in _PHRASES if " " in text or "-" in text else ():
        text = re.sub(phrase, short, text, flags=re.I)
    text = re.sub(
        r"\b([A-Za-z]+) of (water|mercury)(?: column| gauge)?\b",
        lambda of: _own_name(of[1]) + ("H2O" if of[2] == "water" else "Hg"),
        text,
    )
    text = re.sub(r"\s+per\s+|\s*/\s*", "/", text)
    text = re.sub(r"\s+(?=H2O|Hg)", "", text)
    text = re.sub(r"(?<=[A-Za-z0-9)])(?:\s*\.\s*|\s+|-)(?=[A-Za-z(])", ".", text)
    if text in _ALIASES:
        return _ALIASES[text]
    text = re.sub(r"delta_|[A-Za-z%]+H2O|[A-Za-z%]+", lambda found: _own_name(found.group()), text)
    return _ALIASES.get(text, text)


def _own_name(word: str) -> str:
    """The kit's name of one unit in a product; the word itself where it knows none."""
    if word in _atoms or _prefixed(word):
        return word
    return _ALIASES.get(word) or _folded.get(word.lower()) or _in_full(word.lower()) or word


def _in_full(word: str) -> str:
    """The symbol of a unit written in full, in the singular or the plural: kilonewtons are kN; else ""."""
    for name in (word, word[:-1] if word.endswith("s") else word):
        known = _WORDS.get(name) or _ALIASES.get(name)
        if known:
            return known
        for prefix, letter in _WORD_PREFIXES.items():
            unit = name.startswith(prefix) and name[len(prefix) :]
            known = (_WORDS.get(unit) or _ALIASES.get(unit)) if unit else None
            if known and (letter + known in _atoms or _prefixed(letter + known)):
                return letter + known
    return ""


def _prefixed(word: str) -> tuple[float, str] | None:
    """(factor, unit) of mm, kPa or Mvar; None where it is no prefix with a unit that takes one."""
    stem = _atoms.get(word[1:])
    return (_PREFIXES[word[0]], word[1:]) if stem and stem[2] and word[0] in _PREFIXES else None


def _read_units() -> None:
    if _atoms:
        return
    for entry in _ATOMS.split():
        name, _, rest = entry.partition("=")
        number, _, unit = rest.rstrip("+").rpartition("_")
        size, dimensions = _product(unit) or (1.0, {} if "1" in (name, unit) else {name: 1})
        _atoms[name] = (float(number or 1) * size, dimensions, rest.endswith("+"))
    for line in _FAMILIES.split("\n")[1:-1]:
        title, _, units = line.partition(":")
        usual, _, rare = units.partition("|")
        _families.append((title, usual.split(), rare.split()))
    shown = [unit for _, usual, _ in _families for unit in usual if unit.isalpha()]
    for name in [*shown, *_atoms, *_ALIASES]:  # KPA and GPM are read; MPA is not: it may be mega or milli
        other = name[1:2].lower() + name[2:]
        if len(name) > 2 and not (name[0] in "mM" and (other in _atoms or name[1:] in _atoms)):
            _folded.setdefault(name.lower(), _ALIASES.get(name, name))


def _product(text: str) -> tuple[float, dict[str, int]] | None:
    """The size and the dimensions of a product in canonical spelling."""
    import re

    size, below = 1.0, False
    dimensions: dict[str, int] = {}
    for word, power, mark in re.findall(r"([A-Za-z%]+H2O|[A-Za-z%]+)(-?\d)?|(.)", text):
        if mark:
            below = below or mark == "/"
            if mark not in "/.()1":
                return None
            continue
        found = (1.0, word) if word in _atoms else _prefixed(word)
        if found is None:
            return None
        times = int(power or 1) * (-1 if below else 1)
        size *= (found[0] * _atoms[found[1]][0]) ** times
        for name, count in _atoms[found[1]][1].items():
            dimensions[name] = dimensions.get(name, 0) + count * times
    return (size, {name: count for name, count in dimensions.items() if count}) if text else None


def _same_quantity(unit: str) -> Iterator[tuple[str, float]]:
    """(another unit, answer / reference when it was given instead), for the usual units of its quantity."""
    mine = unit_size(unit) if unit and unit not in _PURE else None
    if mine is None:
        return
    like = [usual for _, usual, rare in _families if unit in usual or unit in rare]
    same = [usual for _, usual, _ in _families if usual and (unit_size(usual[0]) or (0, 0))[1] == mine[1]]
    for other in (like or same or [[]])[0] or (same or [[]])[0]:
        size = (unit_size(other) or mine)[0]
        if math.fabs(size / mine[0] - 1) > 1e-9:
            yield other, mine[0] / size


_PLACES = (
    *("misclosure", "closure", "northing", "easting", "latitude", "departure", "offset", "shift", "position"),
    *("coordinate", "displacement", "deflection", "settlement", "gap", "thickness", "error", "residual"),
    *("correction", "delta", "perimeter"),
)
_NO_PLACES = (
    *("per", "stiffness", "load", "force", "stress", "tension", "pressure", "moment", "torque", "spring"),
    *("flux", "heat", "power"),
)


def _extent_in_name(words: list[str]) -> int:
    """1 for a name of a length, 2 of an area, 3 of a volume; 0 where it may be a force or a flow."""
    said = set(words)
    if said & set(_NO_PLACES):
        return 0
    return 1 if said & {*_PLACES, *_LENGTHS} else 2 if "area" in said else 3 if "volume" in said else 0


def _unit_in_name(name: str) -> str:
    """The unit that a field's name ends with, as in span_mm or flow_m3_h; "" where it names none."""
    _read_units()
    words = [word for word in name.replace("-", "_").replace(".", "_").lower().split("_") if word]
    known = {unit.lower(): unit for _, usual, rare in reversed(_families) for unit in reversed(usual + rare)}
    known.update((alias.lower(), unit) for alias, unit in _ALIASES.items())
    turning = any(word in ("moment", "torque", "bending") for word in words)
    last = unit_size(known[words[-1]]) if words and words[-1] in known else None
    plain = last is not None and last[1] == {"m": _extent_in_name(words[:-1])}
    for count in (1,) if plain else (3, 2, 1):  # misclosure_n_m is a length to the north, in metres
        for mark in "./" if turning else "/.":
            tail = mark.join(words[-count:])
            if len(words) > count and tail in known and tail not in ("p", "1"):
                return known[tail]
    return "%" if words and words[-1] in ("pct", "percent", "percentage", "fraction", "ratio") else ""


def convert_unit(value: float, given: str, asked: str) -> float | None:
    """A value in another unit of the same dimension; None where there is no way from one to the other.

    Temperatures have a zero of their own, differences of temperatures have none: ask for them as "ΔK".
    """
    given, asked = canonical(given), canonical(asked)
    difference = "delta_" in given + asked
    given, asked = given.replace("delta_", ""), asked.replace("delta_", "")
    thermal = [_LETTERS.get(unit, unit) for unit in (given, asked)]
    if all(unit in _SCALES for unit in thermal) and (given != asked):
        (size, zero), (asked_size, asked_zero) = (_SCALES[unit] for unit in thermal)
        if difference:
            return value * size / asked_size
        return (value + zero) * size / asked_size - asked_zero
    one, other = unit_size(given), unit_size(asked)
    return value * one[0] / other[0] if one and other and one[1] == other[1] else None


def same_unit(one: str, other: str) -> bool:
    """Two spellings of one unit: kN/m2 and kPa are, a kelvin and a degree Celsius only as differences."""
    first, second = canonical(one), canonical(other)
    if first == second or _LETTERS.get(first) == second or _LETTERS.get(second) == first:
        return True
    scales = [
        _LETTERS.get(unit.replace("delta_", ""), unit.replace("delta_", "")) for unit in (first, second)
    ]
    if all(unit in _SCALES for unit in scales) and "delta_" not in first + second:
        return False
    sizes = unit_size(first), unit_size(second)
    return bool(
        sizes[0] and sizes[1] and sizes[0][1] == sizes[1][1] and math.isclose(sizes[0][0], sizes[1][0])
    )


def shown_unit(unit: str) -> str:
    """A unit for people: C for degC."""
    return unit[3:] if unit in _SCALES and unit.startswith("deg") else unit


def swapped(wrong: Sequence[tuple[str, tuple[Any, Any, float]]]) -> list[tuple[str, str]]:
    """Pairs among wrong fields (field, (expected, actual, tolerance)) that hold each other's reference.

    Two references that differ only in sign prove nothing: a flipped convention looks the same.
    """
    pairs: list[tuple[str, str]] = []
    for i, (one, (e1, a1, t1)) in enumerate(wrong):
        for other, (e2, a2, t2) in wrong[i + 1 :]:
            if isinstance(e1, str) or isinstance(e2, str):
                exchanged = a1 == e2 and a2 == e1
            else:
                exchanged = math.fabs(a1 - e2) <= t2 and math.fabs(a2 - e1) <= t1
                exchanged = exchanged and math.fabs(e1 + e2) > t1 + t2
            if exchanged and not any({one, other} & set(pair) for pair in pairs):
                pairs.append((one, other))
    return pairs


# -------------------------------------------------------------------------------------------- the verifier


class _Dimension:
    """One dimension; without an outcome its check crashed."""

    __slots__ = ("evidence", "max_score", "name", "outcome", "weight")

    def __init__(
        self, name: str, weight: float, max_score: float, outcome: CheckResult | None, evidence: str
    ) -> None:
        self.name, self.weight, self.max_score = name, weight, max_score
        self.outcome, self.evidence = outcome, evidence


class Verifier:
    """Reads one answer, runs checks on it, writes the artifacts. The module's docstring lists the checks.

    `rollup` is weighted_mean, min, geometric_mean, all_pass or threshold (the last two read `threshold`).
    `reveal=False` keeps the references out of all that is written. `strings` and `thousands` set the default
    of every number. `logs` moves the artifacts (else ADJUDGE_LOGS, else /logs/verifier). Artifacts found
    there are removed at once: no reward may stand that this run did not give.
    """

    def __init__(
        self,
        answer: Any = None,
        *,
        problem: Unreadable | None = None,
        rollup: str = "weighted_mean",
        threshold: float = 0.5,
        strings: bool = False,
        thousands: bool = False,
        reveal: bool = True,
        logs: str | os.PathLike[str] | None = None,
    ) -> None:
        self.answer, self.problem = answer, problem
        self.rollup, self.threshold, self.reveal = rollup, threshold, reveal
        self.strings, self.thousands = strings or isinstance(answer, str), thousands
        self.logs = os.fspath(logs or os.environ.get(LOGS_VARIABLE) or LOGS)
        self.finished = False
        self._entries: list[_Dimension] = []
        self._crashes: list[str] = []
        self._own_tags: list[dict[str, str]] = []
        for artifact in ("reward.json", "reward.txt", "details.json", "errors.json"):
            _remove(os.path.join(self.logs, artifact))

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 - the word of task.toml
        **options: Any,
    ) -> Verifier:
        """Read the answer in a file, as json, jsonl, csv or text: `format`, else by its suffix, else json.

        An output that is missing or cannot be read raises nothing: every check then scores 0 and says why.
        """
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        try:
            answer = read_answer(read_bytes(path), format or _SUFFIXES.get(suffix, "json"))
        except Unreadable as problem:
            return cls(None, problem=problem, **options)
        return cls(answer, **options)

    def __enter__(self) -> Verifier:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Write the artifacts. An exception in the block is a verifier failure; earlier checks are kept."""
        if isinstance(error, Exception):
            self._crashed("between the checks", error)
        if not self.finished and (error is None or isinstance(error, Exception)):
            self.finish()

    # -- checks; `scored` is at=, weight= and max_score=

    def number(self, name: str, expected: float, **options: Any) -> None:
        """A number within tolerance of the reference; the options are those of `near`."""
        options.setdefault("strings", self.strings)
        options.setdefault("thousands", self.thousands)
        scored = _scored(options)
        self._compare(name, expected, lambda: near(**options), **scored)

    def between(
        self, name: str, low: float | None, high: float | None, *, unit: str | None = None, **scored: Any
    ) -> None:
        """A number in a closed range; an end that is None is open."""
        self._compare(name, None, lambda: within(low, high, unit, self.strings), **scored)

    def boolean(self, name: str, expected: bool, **scored: Any) -> None:
        """True or false."""
        self._compare(name, expected, truth, **scored)

    def choice(
        self, name: str, expected: str | Sequence[str], *, among: Sequence[str] | None = None, **scored: Any
    ) -> None:
        """One of a few words; a list as `expected` accepts any of its words."""
        self._compare(name, expected, lambda: one_of(among), **scored)

    def text(
        self,
        name: str,
        expected: str,
        *,
        ignore_case: bool = False,
        ignore_space: bool = False,
        **scored: Any,
    ) -> None:
        """Text, equal to the letter unless the author allows otherwise."""
        self._compare(
            name, expected, lambda: exact(ignore_case=ignore_case, ignore_space=ignore_space), **scored
        )

    def members(
        self,
        name: str,
        expected: Iterable[Any],
        *,
        each: Rule | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        **scored: Any,
    ) -> None:
        """A set, in any order: harmonic mean of precision and recall. Items compare by type, or by `each`."""
        items = sorted(expected, key=repr) if isinstance(expected, (set, frozenset)) else list(expected)
        rule = each or by_type(rel, abs, self.strings)
        self._compare(name, items, lambda: member_rule(rule), **self._whole(scored))

    def sequence(
        self,
        name: str,
        expected: Iterable[Any],
        *,
        each: Rule | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        **scored: Any,
    ) -> None:
        """A list in order: the share of right positions in the longer of the two lists."""
        rule = each or by_type(rel, abs, self.strings)
        self._compare(name, list(expected), lambda: sequence_rule(rule), **self._whole(scored))

    def records(
        self,
        name: str,
        expected: Sequence[Mapping[str, Any]],
        *,
        key: str | Sequence[str],
        fields: Mapping[str, Rule] | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        **scored: Any,
    ) -> None:
        """Records matched by key. Fields compare by type, or by the rules of `fields`, which picks them."""
        rules = fields or _field_rules(expected, key, by_type(rel, abs, self.strings))
        self._compare(name, expected, lambda: record_rule(key, rules), **self._whole(scored))

    def table(
        self,
        name: str,
        expected: Any,
        *,
        key: str | Sequence[str],
        fields: Mapping[str, Rule] | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        **scored: Any,
    ) -> None:
        """Like `records`, for any shape that `as_records` reads. Numbers in cells may be text, as in CSV."""
        rows = as_records(expected)
        rules = fields or _field_rules(rows, key, by_type(rel, abs, strings=True))
        self._compare(name, rows, lambda: record_rule(key, rules), read=as_records, **self._whole(scored))

    def check(
        self, name: str, function: Callable[[Any], Any], *, weight: float = 1.0, max_score: float = 1.0
    ) -> None:
        """Your own: `function(answer)` gives a bool, a share (0 to 1), (share, evidence) or a CheckResult."""
        self._add(name, lambda: _own(function(self.answer)), weight, max_score)

    def score(
        self, name: str, score: float, *, evidence: str = "", weight: float = 1.0, max_score: float = 1.0
    ) -> None:
        """A score out of `max_score`, worked out elsewhere."""
        self._add(name, lambda: _own((score / max_score, evidence)), weight, max_score)

    def not_applicable(self, name: str, reason: str, *, weight: float = 1.0, max_score: float = 1.0) -> None:
        """A dimension that does not apply to this answer: it has no score and leaves the mean."""
        self._add(
            name, lambda: CheckResult(0.0, f"not applicable: {reason}", applies=False), weight, max_score
        )

    def tag(self, category: str, description: str) -> None:
        """Classify a failure in the task's own words."""
        self._own_tags.append(_tag(category, description))

    # -- finishing

    def finish(self, rollup: str | None = None, threshold: float | None = None) -> float:
        """Write the artifacts, return the reward; where a check crashed, write no reward and exit with 1."""
        import json

        self.finished = True
        rollup, threshold = rollup or self.rollup, self.threshold if threshold is None else threshold
        limit = {"threshold": threshold} if rollup in ("all_pass", "threshold") else {}
        self._drop_unsupported()
        details = {entry.name: {**self._detail(entry), **limit} for entry in self._entries}
        reward = None
        if not self._crashes:
            pairs = [(d["score"], d["max_score"], d["weight"]) for d in details.values()]
            try:
                reward = roll_up([(s if s is None else s / m, w) for s, m, w in pairs], rollup, threshold)
            except ValueError as error:
                self._crashed("reward", error)
        os.makedirs(self.logs, exist_ok=True)
        artifacts: list[tuple[str, Any]] = [("details.json", details), ("errors.json", self._tags())]
        if reward is not None:
            artifacts.append(("reward.json", {"reward": reward}))  # last: it says that the others are whole
        for artifact, value in artifacts:
            _write(os.path.join(self.logs, artifact), json.dumps(value, indent=1, allow_nan=False))
        if reward is None:
            sys.stdout.flush()
            raise SystemExit(
                f"adjudge_kit: no reward, because the verifier failed: {'; '.join(self._crashes)}"
            )
        return reward

    def _drop_unsupported(self) -> None:
        """Take back the guesses that other wrong numbers speak against."""
        wrong = [(e, e.outcome) for e in self._entries if e.outcome is not None and e.outcome.plain]
        causes = [(e.name, o.causes[0][1] if o.causes else None, _ratio(o)) for e, o in wrong]
        doubtful = unsupported(causes)
        for entry, outcome in wrong:
            if entry.name in doubtful:
                outcome.causes = []
                entry.evidence = show(outcome.plain if self.reveal else "outside tolerance", 600)

    def _detail(self, entry: _Dimension) -> dict[str, Any]:
        """A dimension in the specification's shape. No score (null) where it crashed or does not apply."""
        outcome, score = entry.outcome, None
        if outcome is not None and outcome.applies:
            score = round(min(max(outcome.score, 0.0), 1.0) * entry.max_score, 6)
        detail = {
            "score": score,
            "max_score": entry.max_score,
            "evidence": entry.evidence,
            "weight": entry.weight,
        }
        if outcome is not None:
            hidden = {} if not self.reveal else {"expected": outcome.expected, "tolerance": outcome.tolerance}
            for label, value in {**hidden, "actual": outcome.actual, "unit": outcome.unit}.items():
                if isinstance(value, (bool, str)) or is_number(value):
                    detail[label] = show(value, 200) if isinstance(value, str) else value
        return detail

    def _tags(self) -> list[dict[str, str]]:
        """Crashes, what made the output unreadable, swapped fields, and each field's own cause."""
        tags = [_tag(VERIFIER_FAILURE, crash) for crash in self._crashes]
        if self.problem is not None:
            tags.append(_tag(self.problem.category, str(self.problem)))
        outcomes = [(entry.name, entry.outcome) for entry in self._entries if entry.outcome is not None]
        pairs = swapped([(name, outcome.swap) for name, outcome in outcomes if outcome.swap is not None])
        tags += [_tag(SWAPPED, f"{one} and {other} exchanged?") for one, other in pairs]
        explained = {name for pair in pairs for name in pair}
        for name, outcome in outcomes:
            seen: list[str] = []
            for field, cause in outcome.causes if name not in explained else ():
                seen.append(cause.category)
                if seen.count(cause.category) <= 3:  # a hundred records in mm are one mistake
                    tags.append(_tag(cause.category, f"{field}: {cause.describe(self.reveal)}"))
        return tags + self._own_tags

    # -- inside

    def _whole(self, scored: dict[str, Any]) -> dict[str, Any]:
        """A collection stands at the top where the answer itself is a list, as in CSV and JSONL."""
        return {"at": "", **scored} if isinstance(self.answer, list) else scored

    def _compare(
        self,
        name: str,
        expected: Any,
        rule: Callable[[], Rule],
        *,
        read: Callable[[Any], Any] | None = None,
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        def result() -> CheckResult:
            compare = rule()  # made here, so that an author's mistake in it is this check's crash alone
            value = lookup(self.answer, name if at is None else at)
            if value is MISSING or value is None:
                return _failed(
                    name, MISSING_FIELD, "null" if value is None else self._absent(), expected=expected
                )
            return compare(expected, read(value) if read else value, name)

        self._add(name, result, weight, max_score)

    def _absent(self) -> str:
        if not isinstance(self.answer, dict):
            return f"missing: the answer is {kind_of(self.answer)}"
        return f"missing; the answer has: {_listed(list(self.answer)) or 'nothing'}"

    def _add(self, name: str, result: Callable[[], CheckResult], weight: float, max_score: float) -> None:
        outcome, evidence = None, ""
        try:
            if any(entry.name == name for entry in self._entries):
                raise ValueError("another check has this name")
            if not (is_number(weight) and weight >= 0 and is_number(max_score) and max_score > 0):
                raise ValueError(f"weight is {weight!r}, max_score {max_score!r}; allowed: >= 0, > 0")
            outcome = result() if self.problem is None else CheckResult(0.0, f"no answer: {self.problem}")
            heavy = f"; weight {weight:g}" if weight != 1 and outcome.applies and outcome.score < 1 else ""
            evidence = show(outcome.evidence if self.reveal else outcome.sealed, 600) + heavy
        except Exception as error:  # the border: whatever a check raises must not take its siblings along
            evidence = f"check crashed: {self._crashed(name, error)}"
            name = f"{name} (again)" if any(entry.name == name for entry in self._entries) else name
            weight, max_score = 1.0, 1.0
        self._entries.append(_Dimension(name, weight, max_score, outcome, evidence))

    def _crashed(self, name: str, error: Exception) -> str:
        """Note a failure of the verifier itself, with its traceback on stderr."""
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)
        said = show(f"{type(error).__name__}: {error}", 300)
        self._crashes.append(f"{name}: {said}")
        return said


def _scored(options: dict[str, Any]) -> dict[str, Any]:
    """Take at=, weight= and max_score= out of a check's options."""
    return {label: options.pop(label) for label in ("at", "weight", "max_score") if label in options}


def _own(result: Any) -> CheckResult:
    """What an author's own function returned, as an CheckResult."""
    if isinstance(result, CheckResult):
        return result
    share, evidence = result if isinstance(result, tuple) and len(result) == 2 else (result, "")
    if not (isinstance(share, bool) or is_number(share)):
        raise TypeError(
            f"a check returned {share!r}; allowed: a bool, a share from 0 to 1, or (share, evidence)"
        )
    return CheckResult(
        float(share), str(evidence) or ("passed" if share >= 1 else "failed" if share <= 0 else "in part")
    )


def _field_rules(
    expected: Iterable[Mapping[str, Any]], key: str | Sequence[str], rule: Rule
) -> dict[str, Rule]:
    """One rule for every field of the reference records but the key."""
    keys = [key] if isinstance(key, str) else key
    return {field: rule for record in expected for field in record if field not in keys}


def _tag(category: str, description: str) -> dict[str, str]:
    return {"category": category, "description": show(description, 400), "source": "mechanical"}


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return


def _write(path: str, text: str) -> None:
    """Write a file whole or not at all: beside its place, then renamed into it."""
    part = f"{path}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(part, path)
