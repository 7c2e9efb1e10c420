"""adjudge_kit: what a verifier imports. One file, standard library only, Python 3.8+; copy it into `tests/`.

A verifier reads the agent's answer, checks it field by field, and writes what it found:

    from adjudge_kit import Verifier

    with Verifier.from_file("/workspace/output.md") as v:                # fences, BOM, bare JSON: all read
        v.number("voltage_drop_v", 3.04, rel=0.02, unit="V")             # within 2 %; "3.05 V" is read too
        v.number("voltage_drop_pct", 0.0132, rel=0.02, weight=2)
        v.choice("compliance", "compliant", among=["compliant", "non-compliant"])

On leaving the block (or on `v.finish()`, without `with`) it writes into `/logs/verifier`, each file whole or not at all:
`details.json` ({score, max_score, evidence} for each check), `errors.json` (why it went wrong, where that is plain) and,
last, `reward.json`.

The checks. All take `weight=1`, `max_score=1` and `at=` (where the value stands, if not under the check's own name:
"loads.0.value", or "" for the whole answer):
    number(name, expected, rel=, abs=)       also unit=, convert=, strings=, thousands=, fade=, bands=, also=
    between(name, low, high)                 a number in a closed range; either end may be None
    boolean(name, expected)
    choice(name, expected, among=[...])      one of a fixed list; case, spaces, "-" and "_" do not matter
    text(name, expected)                     also ignore_case=, ignore_space=
    members(name, expected)                  a set: precision and recall; junk and repeats cost
    sequence(name, expected)                 a list, position by position
    records(name, expected, key=)            a list of records matched by key; precision and recall
    table(name, expected, key=)              the same for CSV text, rows with a header, or columns
    check(name, function)                    your own: function(answer) -> bool, 0..1, or (score, evidence)
    score(name, score, evidence=)            your own score, already worked out
    not_applicable(name, reason)             leaves the mean; it is not a zero
    tag(category, description)               an error category of your own

Invariants:
- An output that is missing or cannot be read is the agent's failure: reward 0, and a tag that says why.
- A check that crashes is the verifier's failure: never a zero. Its siblings are kept in `details.json`, `errors.json`
  names the crash, NO `reward.json` is written, and the exit code is 1.
- Nothing is lenient unless the author said so: numbers in strings, units, thousands separators.
- A cause is named only where the numbers leave little doubt; a plain wrong number gets no label.
- Whatever the agent wrote is shown clipped and without control characters.
"""

from __future__ import annotations

import math
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself costs milliseconds; json, re and csv are imported where an answer is read
    from types import TracebackType
    from typing import (
        Any,
        Callable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    Rule = Callable[[Any, Any, str], "Outcome"]
    """(expected, actual, field name) -> Outcome; never called with a missing value."""

__version__ = "1"
__all__ = [
    "Diagnosis",
    "Outcome",
    "Unreadable",
    "Verifier",
    "diagnose",
    "exact",
    "near",
    "read_answer",
    "roll_up",
]

LOGS = "/logs/verifier"
LOGS_VARIABLE = "ADJUDGE_LOGS"
"""Environment variable that moves the artifacts elsewhere, for trying a verifier at a desk."""

MAX_BYTES = 16 * 1024 * 1024
MAX_ITEMS = 10_000
"""Items of one list that are looked at; all of them are counted."""


class _Missing:
    """The value of a field that is not there, which is not the same as null."""


MISSING = _Missing()


# ------------------------------------------------------------------------------------------- showing what others wrote


def show(value: Any, limit: int = 80) -> str:
    """A value that nobody vouches for, on one line: no control characters, bounded length."""
    if isinstance(value, str):
        text = value[: 2 * limit]
    elif isinstance(value, float):
        text = repr(value)
    elif isinstance(value, int) and value.bit_length() > 256:
        text = "an integer of %d bits" % value.bit_length()
    elif isinstance(value, (list, tuple, set, frozenset)):
        text = "a list of %d" % len(value)
    elif isinstance(value, dict):
        text = "an object of %d" % len(value)
    else:
        text = {None: "null", True: "true", False: "false"}.get(value) or repr(value)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(number: float) -> str:
    """A number as a person would write it, to six digits."""
    return f"{number:.6g}"


def quoted(value: Any) -> str:
    """Like `show`, with quotes around text."""
    return f'"{show(value)}"' if isinstance(value, str) else show(value)


def kind_of(value: Any) -> str:
    """A JSON value's type in words."""
    if value is None:
        return "null"
    names = ((bool, "a boolean"), (int, "a number"), (float, "a number"), (str, "text"), (dict, "an object"))
    return next((name for kind, name in names if isinstance(value, kind)), "a list")


# --------------------------------------------------------------------------------------------------- reading the answer


class Unreadable(Exception):
    """The agent's output cannot be read; the message says why."""

    category = "parsing error"


class OutputMissing(Unreadable):
    """There is no output at all."""

    category = "output missing"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file. A link, a pipe, a folder or a giant is refused: none of them is an answer."""
    import stat

    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise OutputMissing(f"there is no file {show(os.fspath(path), 200)}") from None
    except OSError as error:
        raise Unreadable(f"{show(os.fspath(path), 200)} cannot be opened: {error.strerror}") from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Unreadable(f"{show(os.fspath(path), 200)} is not a regular file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Unreadable("%s is larger than %d MiB" % (show(os.fspath(path), 200), MAX_BYTES >> 20))
    return data


def read_answer(data: bytes | str, format: str = "json") -> Any:  # noqa: A002 - the word of task.toml
    """The answer in an output of format json, jsonl, csv or text. Raises Unreadable.

    json (also for Markdown): the whole text if it is JSON; else the last fence that parses, fences labelled json or
    not at all before others; else the last JSON object in the prose (else the last list). A BOM and CRLF do not matter.
    """
    if format not in _READERS:
        raise ValueError("format is {!r}; allowed: {}".format(format, ", ".join(_READERS)))
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable(
                "not UTF-8 text: byte 0x%02x at offset %d" % (data[error.start], error.start)
            ) from None
    text = data.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise Unreadable("the output is empty")
    return _READERS[format](text)


def _read_json(text: str) -> Any:
    value, problem = _loads(text)
    if problem is None:
        return value
    fences = list(_fences(text))
    labelled = [body for label, body in fences if label in ("", "json", "jsonc", "json5")]
    for body in labelled[::-1] + [body for _, body in fences[::-1]]:
        value, fence_problem = _loads(body)
        if fence_problem is None and isinstance(value, (dict, list)):
            return value
    found = list(_embedded(text))
    if found:
        return next((value for value in found[::-1] if isinstance(value, dict)), found[-1])
    if labelled:
        problem = f"the fenced block does not parse: {_loads(labelled[-1])[1]}"
    elif not text.lstrip().startswith(("{", "[")):
        problem = "no JSON found in the text"
    raise Unreadable(str(problem))


def _loads(text: str) -> tuple[Any, str | None]:
    """(value, None) or (None, why not). NaN and infinity are read, and later match nothing."""
    import json

    try:
        return json.loads(text), None
    except RecursionError:
        return None, "nested too deeply"
    except ValueError as error:  # also an integer of thousands of digits
        return None, f"not JSON: {error}"


def _fences(text: str) -> Iterator[tuple[str, str]]:
    """(label in lower case, body) of each ``` or ~~~ fence; one that is never closed ends with the text."""
    opening, label, body = "", "", []
    for line in text.split("\n"):
        stripped = line.strip()
        mark = stripped[:1]
        run = stripped[: len(stripped) - len(stripped.lstrip(mark))] if mark in ("`", "~") and mark else ""
        if not opening:
            if len(run) >= 3 and "`" not in stripped[len(run) :]:
                words = stripped[len(run) :].strip().lower().split()
                opening, label, body = run, words[0] if words else "", []
        elif run.startswith(opening) and run == stripped:
            yield label, "\n".join(body)
            opening = ""
        else:
            body.append(line)
    if opening:
        yield label, "\n".join(body)


def _embedded(text: str, tries: int = 200) -> Iterator[Any]:
    """Each outermost JSON object or list that stands in prose and ends its line; gives up after 200 false starts."""
    import json
    import re

    decoder, start_of = json.JSONDecoder(), re.compile(r"\{|^[ \t]*\[", re.MULTILINE)
    position = 0
    while tries:
        start = start_of.search(text, position)
        if start is None:
            return
        try:
            value, position = decoder.raw_decode(text, start.end() - 1)
        except (ValueError, RecursionError):
            position, tries = start.end(), tries - 1
            continue
        if re.match(r"[ \t`.;]*(?:\n|\Z)", text[position : position + 200]):
            yield value


def _read_jsonl(text: str) -> list[Any]:
    rows = []
    for number, line in enumerate(_unfenced(text, "jsonl", "json", "").split("\n"), 1):
        if line.strip():
            value, problem = _loads(line)
            if problem is not None:
                raise Unreadable("line %d is %s" % (number, problem))
            rows.append(value)
    return rows


def _read_csv(text: str) -> list[dict[str, str]]:
    """Rows as records. The separator is the one of , ; tab | that the header uses most."""
    import csv

    text = _unfenced(text, "csv", "").strip("\n")
    header_line = text.split("\n", 1)[0]
    separator = max(",;\t|", key=header_line.count)
    try:
        rows = [
            row
            for row in csv.reader(text.split("\n"), delimiter=separator, skipinitialspace=True, strict=True)
            if row
        ]
    except csv.Error as error:
        raise Unreadable(f"not CSV: {error}") from None
    header = [cell.strip() for cell in rows[0]]
    if len(set(header)) < len(header):
        raise Unreadable("the CSV header names a column twice")
    for number, row in enumerate(rows[1:], 2):
        if len(row) > len(header):
            raise Unreadable("CSV row %d has %d cells, the header has %d" % (number, len(row), len(header)))
    return [dict(zip(header, (cell.strip() for cell in row))) for row in rows[1:]]


def _unfenced(text: str, *labels: str) -> str:
    """The body of the last fence with such a label, or the text itself."""
    bodies = [body for label, body in _fences(text) if label in labels]
    return bodies[-1] if bodies else text


def _read_text(text: str) -> str:
    return text


_READERS: dict[str, Callable[[str], Any]] = {
    "json": _read_json,
    "jsonl": _read_jsonl,
    "csv": _read_csv,
    "text": _read_text,
}
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv", ".txt": "text"}


def lookup(answer: Any, path: str) -> Any:
    """The value at a path such as "loads.0.value" or "loads[0].value", or MISSING. "" is the whole answer.

    A key that contains dots is found as it stands. In plain text a field is the last line `name: value` or `name = value`.
    """
    if path == "":
        return answer
    if isinstance(answer, str):
        return _line(answer, path)
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


def _line(text: str, name: str) -> Any:
    import re

    pattern = rf"^[\s*#>|\-]*{re.escape(name)}[\s*`|]*[:=|][\s*`]*(.*?)[\s*`|]*$"
    found = re.findall(pattern, text, re.MULTILINE | re.IGNORECASE)
    return found[-1] if found else MISSING


# ------------------------------------------------------------------------------------------------------ what checks say


class Diagnosis:
    """A named cause. `finding` is what the numbers say (and may give the reference away); `guess` is the cause in words."""

    __slots__ = ("category", "finding", "guess")

    def __init__(self, category: str, guess: str, finding: str = "") -> None:
        self.category, self.guess, self.finding = category, guess, finding

    def __repr__(self) -> str:
        return f"Diagnosis({self.category!r}, {self.describe()!r})"

    def describe(self, reveal: bool = True) -> str:
        """The evidence in one line; without the numbers where the reference must stay hidden."""
        return f"{self.finding}: {self.guess}" if reveal and self.finding else self.guess


class Outcome:
    """What one check found. `score` is in 0..1; `sealed` is the evidence without the reference."""

    __slots__ = ("actual", "causes", "evidence", "expected", "score", "sealed", "swap", "tolerance", "unit")

    def __init__(
        self,
        score: float,
        evidence: str,
        sealed: str | None = None,
        *,
        causes: Iterable[tuple[str, Diagnosis]] = (),
        expected: Any = MISSING,
        actual: Any = MISSING,
        tolerance: float | None = None,
        unit: str | None = None,
        swap: tuple[Any, Any, float] | None = None,
    ) -> None:
        self.score = score
        self.evidence = evidence
        self.sealed = evidence if sealed is None else sealed
        self.causes = list(causes)
        self.expected, self.actual, self.tolerance, self.unit = expected, actual, tolerance, unit
        self.swap = swap
        """(expected, actual, tolerance) of a wrong value that another field's reference may explain."""


def _failed(name: str, cause: Diagnosis, **facts: Any) -> Outcome:
    """No credit, for a reason that has a name."""
    return Outcome(0.0, cause.describe(), cause.describe(reveal=False), causes=[(name, cause)], **facts)


def _wrong_type(name: str, actual: Any, wanted: str) -> Outcome:
    return _failed(
        name,
        Diagnosis("wrong type", f"{kind_of(actual)} where {wanted} is asked: {quoted(actual)}"),
        actual=actual,
    )


# -------------------------------------------------------------------------------------------------------------- numbers

_NUMBER = r"[+\-\u2212]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+\-]?\d+)?"
_GROUPED = r"[+\-\u2212]?\d{1,3}(?:[, '_\u00a0\u2009\u202f]\d{3})+(?:\.\d*)?"


def is_number(value: Any) -> bool:
    """A finite int or float. A bool is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a float
        return False


def split_number(text: str, thousands: bool = False) -> tuple[float, str] | None:
    """(12.5, "mm") of "12.5 mm", (12.5, "") of "12.5"; None where the text is not one number and perhaps a unit."""
    import re

    numeral = f"({_GROUPED}|{_NUMBER})" if thousands else f"({_NUMBER})"
    found = re.match(numeral + r"\s*([^\s\d.,;:+\-][^\s]{0,19})?\Z", text.strip())
    if found is None:
        return None
    digits = re.sub(r"[, '_\u00a0\u2009\u202f]", "", found.group(1).replace("\u2212", "-"))
    value = float(digits)
    return (value, found.group(2) or "") if math.isfinite(value) else None


def tolerance_of(expected: float, rel: float | None, abs: float | None) -> float:  # noqa: A002 - as in pytest.approx
    """How far an answer may be from the reference: the wider of the two. Neither given: equal but for float noise."""
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
    also: Mapping[str, float] | None = None,
) -> Rule:
    """A rule for numbers: right within `abs` or within `rel` of the reference, whichever is wider.

    `strings` accepts "3.04", `thousands` "1,234.5", `unit="V"` "3.04 V", and `convert` also "3040 mV". Partial credit is
    counted in tolerances: `fade=5` falls from 1 at one tolerance to 0 at five; `bands={2: 0.5}` gives 0.5 up to two.
    `also={"psi given for kPa": 6.895}` names further factors (answer / reference). NaN and infinity match nothing.
    """

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if not is_number(expected):
            raise ValueError(f"the reference {show(expected)} is not a finite number")
        tolerance = tolerance_of(expected, rel, abs)
        value = _number_in(actual, name, unit, convert, strings or thousands, thousands)
        facts = {"expected": expected, "actual": actual, "tolerance": tolerance, "unit": unit}
        if isinstance(value, Diagnosis):
            return _failed(name, value, **facts)
        error = math.fabs(value - expected)
        # The reference's own float noise must not turn an answer exactly on the edge into a wrong one.
        if error <= tolerance + 1e-12 * math.fabs(expected):
            if error <= 1e-9 * math.fabs(expected):
                return Outcome(1.0, "exact match", **facts)
            allowed = (
                f"{plain(100 * rel)} %"
                if rel and rel * math.fabs(expected) >= tolerance
                else plain(tolerance)
            )
            return Outcome(
                1.0,
                f"{_with(actual, unit)} is within {allowed} of {_with(expected, unit)}",
                "within tolerance",
                **facts,
            )
        score = _credit(error / tolerance if tolerance else math.inf, fade, bands)
        facts["swap"] = (expected, value, tolerance)
        cause = _wrong_number(expected, value, tolerance, name, unit, also)
        if cause is not None:
            said = f"{_with(actual, unit)} for {_with(expected, unit)}: {cause.guess}"
            return Outcome(score, said, cause.guess, causes=[(name, cause)], **facts)
        off = f" (off by {plain(100 * error / math.fabs(expected))} %)" if expected else ""
        return Outcome(
            score,
            f"{_with(actual, unit)}, not {_with(expected, unit)}{off}",
            "outside tolerance",
            **facts,
        )

    _check_credit(fade, bands)
    return rule


def _with(value: Any, unit: str | None) -> str:
    return f"{show(value)} {unit}" if unit and not isinstance(value, str) else quoted(value)


def _check_credit(fade: float | None, bands: Mapping[float, float] | None) -> None:
    if fade is not None and bands is not None:
        raise ValueError("give fade= or bands=, not both")
    if fade is not None and not fade > 1:
        raise ValueError(f"fade is {fade!r}; allowed: a number of tolerances above 1")
    for reach, credit in (bands or {}).items():
        if not (reach > 1 and 0 <= credit <= 1):
            raise ValueError(
                f"bands has {reach!r}: {credit!r}; allowed: tolerances above 1, credit from 0 to 1"
            )


def _credit(distance: float, fade: float | None, bands: Mapping[float, float] | None) -> float:
    """Credit for an answer `distance` tolerances away, where distance > 1."""
    if fade is not None:
        return max(0.0, (fade - distance) / (fade - 1))
    return next((credit for reach, credit in sorted((bands or {}).items()) if distance <= reach), 0.0)


def _number_in(
    actual: Any, name: str, unit: str | None, convert: bool, strings: bool, thousands: bool
) -> float | Diagnosis:
    """The number an answer holds, or why it holds none."""
    if is_number(actual):
        return float(actual)
    asked = "a number" if unit is None else f"a number in {unit}"
    if isinstance(actual, (int, float)) and not isinstance(actual, bool):
        return Diagnosis("wrong type", f"{show(actual)} is not a finite number")
    if not isinstance(actual, str):
        return Diagnosis("wrong type", f"{kind_of(actual)} where {asked} is asked: {show(actual)}")
    parts = split_number(actual, thousands)
    if parts is None:
        if _only_number(actual) is not None:
            return Diagnosis("extra text", f"text beside the number: {quoted(actual)}")
        return Diagnosis("wrong type", f"text where {asked} is asked: {quoted(actual)}")
    value, given = parts
    if not given:
        if strings or unit is not None:
            return value
        return Diagnosis("wrong type", f"a number written as text: {quoted(actual)}")
    if unit is None:
        return Diagnosis("extra text", f"text beside the number: {quoted(actual)}")
    if _canonical(given) == _canonical(unit):
        return value
    converted = _converted(value, given, unit) if convert else None
    if converted is not None:
        return converted
    return Diagnosis("unit mismatch", f"answered in {show(given)}, asked in {unit}")


def _only_number(text: str) -> float | None:
    """The number in a text that holds exactly one beside its words."""
    import re

    found = re.findall(rf"(?<![\w.]){_NUMBER}(?![\w.]*\d)", text[:400])
    return float(found[0].replace("\u2212", "-")) if len(found) == 1 else None


# -------------------------------------------------------------------------------------------- text, choices, collections


def fold(text: str) -> str:
    """Text without what a choice does not depend on: case, spaces, hyphens and underscores."""
    return " ".join(text.replace("-", " ").replace("_", " ").split()).casefold()


def exact(*, ignore_case: bool = False, ignore_space: bool = False) -> Rule:
    """A rule for text: equal, or equal but for case or runs of white space where the author allows it."""

    def tidy(text: str) -> str:
        text = " ".join(text.split()) if ignore_space else text
        return text.casefold() if ignore_case else text

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if not isinstance(actual, str):
            return _wrong_type(name, actual, "text")
        facts = {"expected": expected, "actual": actual}
        if tidy(actual) == tidy(expected):
            return Outcome(1.0, "exact match" if actual == expected else "match", **facts)
        facts["swap"] = (tidy(expected), tidy(actual), 0.0)
        return Outcome(0.0, f"{quoted(actual)}, not {quoted(expected)}", "not the expected text", **facts)

    return rule


def one_of(among: Sequence[str] | None = None) -> Rule:
    """A rule for enumerations: one word of a fixed list, whatever its case and separators."""
    _check_among(among)

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        accepted = [expected] if isinstance(expected, str) else list(expected)
        if among is not None and not {fold(e) for e in accepted} <= {fold(a) for a in among}:
            raise ValueError(f"the reference {show(expected)} is not among the choices")
        if not isinstance(actual, str):
            return _wrong_type(name, actual, "one of a few words")
        facts = {"expected": accepted[0], "actual": actual}
        if fold(actual) in {fold(e) for e in accepted}:
            return Outcome(1.0, f"correctly {quoted(accepted[0] if len(accepted) == 1 else actual)}", **facts)
        if _wordy(actual, accepted, among or ()):
            return _failed(
                name, Diagnosis("extra text", f"text beside the choice: {quoted(actual)}"), **facts
            )
        if among is not None and fold(actual) not in {fold(a) for a in among}:
            return Outcome(
                0.0, "{} is not one of {}".format(quoted(actual), show(", ".join(among), 200)), **facts
            )
        return Outcome(
            0.0, f"{quoted(actual)}, not {quoted(accepted[0])}", f"{quoted(actual)} is wrong", **facts
        )

    return rule


def _check_among(among: Sequence[str] | None) -> None:
    if among is not None and len({fold(a) for a in among}) < len(among):
        raise ValueError(
            "two of the choices differ only in case or separators: {}".format(show(", ".join(among), 200))
        )


_NEGATIONS = {"not", "no", "non", "never", "neither", "nor", "isn't", "without", "in"}


def _wordy(actual: str, accepted: Iterable[str], among: Iterable[str]) -> bool:
    """Does the text hold one of the accepted words, no other choice, and no negation?"""
    words = " {} ".format(
        " ".join("".join(c if c.isalnum() or c == "'" else " " for c in actual[:400].casefold()).split())
    )
    if _NEGATIONS & set(words.split()):
        return False
    right = [e for e in accepted if f" {fold(e)} " in words]
    others = [a for a in among if f" {fold(a)} " in words and fold(a) not in {fold(e) for e in accepted}]
    return bool(right) and not others


def truth() -> Rule:
    """A rule for booleans: true or false, nothing that merely looks like it."""

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if not isinstance(actual, bool):
            return _wrong_type(name, actual, "true or false")
        if actual is expected:
            return Outcome(1.0, f"correctly {show(actual)}", expected=expected, actual=actual)
        return Outcome(
            0.0,
            f"{show(actual)}, not {show(expected)}",
            f"{show(actual)} is wrong",
            expected=expected,
            actual=actual,
        )

    return rule


def within(low: float | None, high: float | None, numbers: Rule) -> Rule:
    """A rule for a closed range; `numbers` reads the number. An end that is None is open."""
    if (low is None and high is None) or (low is not None and high is not None and low > high):
        raise ValueError(f"the range from {low!r} to {high!r} holds no number")

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        read = numbers(0.0, actual, name)
        value = read.swap[1] if read.swap else (0.0 if read.score == 1.0 else None)
        if value is None:
            return read
        span = "from {} to {}".format("-∞" if low is None else show(low), "∞" if high is None else show(high))
        inside = (low is None or value >= low) and (high is None or value <= high)
        said = "{} is {} {}".format(quoted(actual), "in the range" if inside else "outside the range", span)
        return Outcome(float(inside), said, "in range" if inside else "out of range", actual=actual)

    return rule


def by_type(rel: float | None = None, abs: float | None = None, strings: bool = False) -> Rule:  # noqa: A002
    """A rule that follows the reference: numbers within tolerance, booleans, text folded, anything else by equality."""
    numbers, texts, truths = near(rel=rel, abs=abs, strings=strings, thousands=False), one_of(), truth()

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if isinstance(expected, bool):
            return truths(expected, actual, name)
        if isinstance(expected, (int, float)):
            if expected == 0 and rel and abs is None:
                return near(abs=0.0, strings=strings)(expected, actual, name)
            return numbers(expected, actual, name)
        if isinstance(expected, str):
            return texts(expected, actual, name)
        return Outcome(float(actual == expected), "equal" if actual == expected else "not equal")

    return rule


def _share(found: float, expected: int, given: int) -> float:
    """The harmonic mean of precision and recall; 1 where nothing was asked and nothing given."""
    return 2 * found / (expected + given) if expected + given else 1.0


def _tally(found: int, expected: int, given: int) -> str:
    precision, recall = found / given if given else 0.0, found / expected if expected else 0.0
    return "%d of %d found, %d given (precision %.2f, recall %.2f)" % (
        found,
        expected,
        given,
        precision,
        recall,
    )


def member_rule(each: Rule) -> Rule:
    """A rule for sets. Every item given counts, so junk and repeats lower precision; each reference is matched once."""

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if not isinstance(actual, list):
            return _wrong_type(name, actual, "a list")
        wanted, left = list(expected), actual[:MAX_ITEMS]
        missing = []
        for item in wanted:
            match = next(
                (
                    i
                    for i, given in enumerate(left)
                    if given is not None and each(item, given, name).score == 1.0
                ),
                None,
            )
            if match is None:
                missing.append(item)
            else:
                del left[match]
        found = len(wanted) - len(missing)
        said = _tally(found, len(wanted), len(actual))
        missed = (
            "; missing: {}".format(show(", ".join(show(item, 40) for item in missing[:5]), 160))
            if missing
            else ""
        )
        junk = (
            "; not asked for: {}".format(show(", ".join(show(item, 40) for item in left[:5]), 160))
            if left
            else ""
        )
        return Outcome(_share(found, len(wanted), len(actual)), said + missed + junk, said + junk)

    return rule


def sequence_rule(each: Rule) -> Rule:
    """A rule for lists in order: the mean credit over positions, of the longer of the two lists."""

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if not isinstance(actual, list):
            return _wrong_type(name, actual, "a list")
        wanted = list(expected)
        length = max(len(wanted), len(actual))
        credit, causes, wrong = 0.0, [], []
        for position, (item, given) in enumerate(zip(wanted, actual)):
            outcome = _missing("null") if given is None else each(item, given, "%s[%d]" % (name, position))
            credit += outcome.score
            causes += outcome.causes
            if outcome.score < 1.0:
                wrong.append((position, outcome))
        said = "%d of %d right, %d given" % (
            len(wanted[: len(actual)]) - len(wrong),
            len(wanted),
            len(actual),
        )
        first = "; position %d: " % wrong[0][0] if wrong else ""
        return Outcome(
            credit / length if length else 1.0,
            said + (first + wrong[0][1].evidence if wrong else ""),
            said + (first + wrong[0][1].sealed if wrong else ""),
            causes=causes,
        )

    return rule


def _missing(found: str) -> Outcome:
    return Outcome(0.0, found)


def record_rule(key: str | Sequence[str], fields: Mapping[str, Rule]) -> Rule:
    """A rule for lists of records, matched by key. A record's credit is the mean over its fields.

    Precision counts every record given: one without the key, one that was not asked for and the second of two with the
    same key are junk.
    """
    keys = [key] if isinstance(key, str) else list(key)

    def rule(expected: Any, actual: Any, name: str) -> Outcome:
        if not isinstance(actual, list):
            return _wrong_type(name, actual, "a list of records")
        given: dict[Any, Any] = {}
        for record in actual[:MAX_ITEMS]:
            identity = _identity(record, keys)
            if identity is not None:
                given.setdefault(identity, record)
        credit, found, causes, notes = 0.0, 0, [], []
        seen = set()
        for reference in expected:
            identity = _identity(reference, keys)
            if identity is None or identity in seen:
                raise ValueError("the reference has no or twice the key {}".format(show(", ".join(keys))))
            seen.add(identity)
            label = ", ".join(show(reference[k], 40) for k in keys)
            if identity not in given:
                notes.append((label, "missing", "missing"))
                continue
            found += 1
            share, record_causes, record_notes = _compare_record(
                reference, given[identity], fields, f"{name}[{label}]"
            )
            credit += share
            causes += record_causes
            notes += [
                (f"{label}: {field}", outcome.evidence, outcome.sealed) for field, outcome in record_notes
            ]
        said = _tally(found, len(expected), len(actual))
        return Outcome(
            _share(credit, len(expected), len(actual)),
            "; ".join([said] + [f"{label}: {text}" for label, text, _ in notes[:4]]),
            "; ".join([said] + [f"{label}: {text}" for label, _, text in notes[:4]]),
            causes=causes,
        )

    return rule


def _compare_record(
    reference: Mapping[str, Any], given: Mapping[str, Any], fields: Mapping[str, Rule], label: str
) -> tuple[float, list[tuple[str, Diagnosis]], list[tuple[str, Outcome]]]:
    """(mean credit, causes, the fields that lost credit). A record of nothing but its key earns full credit by it."""
    credit, causes, notes = 0.0, [], []
    for field, compare in fields.items():
        value = given.get(field, MISSING)
        where = f"{label}.{field}"
        if value is MISSING or value is None:
            outcome = _failed(where, Diagnosis("missing field", "missing"))
        else:
            outcome = compare(reference[field], value, where)
        credit += outcome.score
        causes += outcome.causes
        if outcome.score < 1.0:
            notes.append((field, outcome))
    return credit / len(fields) if fields else 1.0, causes, notes


def _identity(record: Any, keys: Sequence[str]) -> Any:
    """What a record is known by, so that "B1" meets "b1" and "2" meets 2; None where it has no such key."""
    parts = []
    for name in keys:
        value = record.get(name) if isinstance(record, dict) else None
        number = split_number(value) if isinstance(value, str) else None
        if number is not None and not number[1]:
            value = number[0]
        if isinstance(value, str):
            parts.append(fold(value))
        elif is_number(value):
            parts.append(float(value))
        else:
            return None
    return tuple(parts)


def as_records(value: Any) -> Any:
    """A table in any of the usual shapes as a list of records; what is no table comes back as it is.

    CSV text, records, rows under a header row, {"columns": [...], "rows": [[...]]}, or columns {"x": [...], "y": [...]}.
    """
    if isinstance(value, str):
        try:
            return _read_csv(value)
        except Unreadable:
            return value
    if isinstance(value, dict):
        columns, rows = value.get("columns"), value.get("rows", value.get("data"))
        if isinstance(columns, list) and isinstance(rows, list):
            value = [columns, *rows]
        elif value and all(isinstance(column, list) for column in value.values()):
            return [dict(zip(value, row)) for row in zip(*value.values())]
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return [dict(zip([str(c) for c in value[0]], row)) for row in value[1:]]
    return value


# -------------------------------------------------------------------------------------------------------------- rollups


def roll_up(
    scores: Sequence[tuple[float | None, float]], rollup: str = "weighted_mean", threshold: float = 0.5
) -> float:
    """The reward of (normalised score, weight) pairs, to 4 decimals: the same number as adjudge's `score_rubric`.

    A score of None is "not applicable" and leaves the mean; where nothing is left, no reward can be named.
    """
    if rollup not in _ROLLUPS:
        raise ValueError("rollup is {!r}; allowed: {}".format(rollup, ", ".join(_ROLLUPS)))
    counted = [(min(max(score, 0.0), 1.0), weight) for score, weight in scores if score is not None]
    if not any(weight for _, weight in counted):
        raise ValueError("no check is left that counts: all are not applicable or have weight 0")
    return round(min(max(_ROLLUPS[rollup](counted, threshold), 0.0), 1.0), 4)


def _weighted_mean(scores: Sequence[tuple[float, float]], threshold: float) -> float:
    return math.fsum(s * w for s, w in scores) / math.fsum(w for _, w in scores)


def _minimum(scores: Sequence[tuple[float, float]], threshold: float) -> float:
    return min(s for s, w in scores if w)


def _geometric_mean(scores: Sequence[tuple[float, float]], threshold: float) -> float:
    if _minimum(scores, threshold) == 0:
        return 0.0
    return math.exp(math.fsum(w * math.log(s) for s, w in scores if w) / math.fsum(w for _, w in scores))


def _all_pass(scores: Sequence[tuple[float, float]], threshold: float) -> float:
    return float(_minimum(scores, threshold) >= threshold)


def _threshold(scores: Sequence[tuple[float, float]], threshold: float) -> float:
    return float(_weighted_mean(scores, threshold) >= threshold)


_ROLLUPS: dict[str, Callable[[Sequence[tuple[float, float]], float], float]] = {
    "weighted_mean": _weighted_mean,
    "min": _minimum,
    "geometric_mean": _geometric_mean,
    "all_pass": _all_pass,
    "threshold": _threshold,
}


# ------------------------------------------------------------------------------------------------------------ diagnosis
#
# A wrong number is explained by comparing it with the reference. Coincidence is the enemy: a list of fifty factors and a
# window of 2 % around each would "explain" one random number in ten. So the windows are narrow (`_CLOSE`), wide only
# where few factors compete (powers of ten, or the units of a quantity that the author named), and small whole factors
# such as 2, 3.6 or 12 count only where a unit speaks for them.

_CLOSE = 1e-3
_WIDE = 1e-2

_QUANTITIES = (
    "m=1 mm=1e-3 cm=1e-2 km=1e3 um=1e-6 in=.0254 ft=.3048 yd=.9144 mi=1609.344",
    "m2=1 mm2=1e-6 cm2=1e-4 km2=1e6 ha=1e4 ft2=.09290304 in2=6.4516e-4",
    "m3=1 L=1e-3 mL=1e-6 mm3=1e-9 cm3=1e-6 ft3=.028316846592 in3=1.6387064e-5 gal=3.785411784e-3",
    "mm4=1 cm4=1e4 m4=1e12 in4=416231.4256",
    "kg=1 g=1e-3 mg=1e-6 t=1e3 lb=.45359237",
    "N=1 kN=1e3 MN=1e6 lbf=4.4482216 kip=4448.2216 kgf=9.80665 kg=9.80665",
    "Pa=1 kPa=1e3 MPa=1e6 GPa=1e9 hPa=100 mbar=100 bar=1e5 psi=6894.757 ksi=6894757 psf=47.880259 atm=101325 mmHg=133.322 "
    "N/mm2=1e6 N/m2=1 kN/m2=1e3 mH2O=9806.65",
    "N.m=1 kN.m=1e3 N.mm=1e-3 kN.mm=1 lbf.ft=1.355818 kip.ft=1355.818 lbf.in=.1129848",
    "N/m=1 kN/m=1e3 N/mm=1e3 lbf/ft=14.5939 kip/ft=14593.9",
    "J=1 kJ=1e3 MJ=1e6 GJ=1e9 Wh=3600 kWh=3.6e6 MWh=3.6e9 cal=4.184 kcal=4184 BTU=1055.056",
    "W=1 kW=1e3 MW=1e6 mW=1e-3 hp=745.6999 BTU/h=.2930711",
    "VA=1 kVA=1e3 MVA=1e6",
    "s=1 ms=1e-3 us=1e-6 min=60 h=3600 d=86400",
    "m/s=1 km/h=.2777777777777778 mph=.44704 ft/s=.3048 mm/s=1e-3 cm/s=1e-2 m/min=.016666666666666666 kn=.5144444",
    "m3/s=1 m3/h=2.777777777777778e-4 m3/d=1.1574074074074074e-5 L/s=1e-3 L/min=1.6666666666666667e-5 "
    "L/h=2.777777777777778e-7 gpm=6.30902e-5 cfm=4.719474e-4 ft3/s=.028316846592",
    "rad=1 deg=.017453292519943295 mrad=1e-3",
    "Hz=1 kHz=1e3 MHz=1e6 rpm=.016666666666666666 rad/s=.15915494309189535",
    "V=1 mV=1e-3 kV=1e3 uV=1e-6",
    "A=1 mA=1e-3 kA=1e3 uA=1e-6",
    "ohm=1 mohm=1e-3 kohm=1e3 Mohm=1e6",
    "F=1 mF=1e-3 uF=1e-6 nF=1e-9 pF=1e-12",
    "H=1 mH=1e-3 uH=1e-6",
    "kg/m3=1 g/cm3=1e3 t/m3=1e3 kg/L=1e3 g/L=1 lb/ft3=16.018463",
    "kN/m3=1 N/m3=1e-3 lbf/ft3=.15708746 kg/m3=.00980665",
    "kg/s=1 kg/h=2.777777777777778e-4 t/h=.2777777777777778 g/s=1e-3 lb/h=1.2599788e-4",
    "mg/L=1 g/L=1e3 ug/L=1e-3 kg/m3=1e3 g/m3=1",
    "W/m2=1 kW/m2=1e3",
    "W/m2K=1 kW/m2K=1e3 BTU/hft2F=5.678263",
)
"""Units by quantity, each in terms of the first. A line is parsed the first time a wrong number needs it."""

_TEMPERATURES = {"C": (1.0, 273.15), "K": (1.0, 0.0), "F": (5 / 9, 459.67 * 5 / 9)}
"""Unit -> (scale, offset) to kelvin."""
_DIMENSIONLESS = ("%", "1", "-", "pct", "percent", "percentage", "fraction", "ratio", "share")

_FACTORS = (
    (60.0, "s", "min"),
    (3600.0, "s", "h"),
    (9.80665, "N", "kg"),
    (math.sqrt(3), "line value", "phase value"),
    (math.sqrt(2), "peak value", "RMS value"),
    (180 / math.pi, "degrees", "radians"),
    (2 * math.pi, "rad/s", "Hz"),
    (25.4, "mm", "in"),
    (2.54, "cm", "in"),
    (1 / 0.3048, "ft", "m"),
    (304.8, "mm", "ft"),
    (1 / 0.09290304, "ft2", "m2"),
    (35.3146667, "ft3", "m3"),
    (1.609344, "km", "mi"),
    (4.4482216, "N or kN", "lbf or kip"),
    (6.894757, "kPa or MPa", "psi or ksi"),
    (14.5037738, "psi", "bar"),
    (145.037738, "psi", "MPa"),
    (47.880259, "Pa", "psf"),
    (101.325, "kPa", "atm"),
    (2.20462262, "lb", "kg"),
    (1.355818, "N.m", "lbf.ft"),
    (4.184, "J", "cal"),
    (1055.056, "J", "BTU"),
    (3.41214163, "BTU/h", "W"),
    (745.6999, "W", "hp"),
    (3.785411784, "L", "gal"),
    (16.018463, "kg/m3", "lb/ft3"),
)
"""(factor, small unit, large unit): an answer this many times the reference is the small unit given for the large."""


def diagnose(
    expected: Any,
    actual: Any,
    *,
    name: str = "",
    unit: str | None = None,
    rel: float | None = None,
    abs: float | None = None,  # noqa: A002 - as in pytest.approx
    also: Mapping[str, float] | None = None,
) -> Diagnosis | None:
    """Why a wrong answer is wrong, or None where it is right or nothing says why.

    Without `rel` and `abs` any difference is wrong, and "near miss" cannot be told. The field's `name` helps with its
    unit: `span_mm`, `drop_pct`. Values other than numbers get "missing field", "wrong type" or "extra text".
    """
    if actual is MISSING or actual is None:
        return None if expected is None else Diagnosis("missing field", "no value given")
    if is_number(expected):
        if expected == 0 and rel and abs is None:
            abs = 0.0  # noqa: A001 - after the fact a reference of 0 is no mistake of the caller's
        outcome = near(rel=rel, abs=abs, unit=unit, also=also)(expected, actual, name)
    elif isinstance(expected, bool):
        outcome = truth()(expected, actual, name)
    elif isinstance(expected, str):
        outcome = one_of()(expected, actual, name)
    elif isinstance(expected, (list, dict)) and kind_of(actual) != kind_of(expected):
        outcome = _wrong_type(name, actual, kind_of(expected))
    else:
        return None
    return outcome.causes[0][1] if outcome.causes else None


def _wrong_number(
    expected: float,
    actual: float,
    tolerance: float,
    name: str,
    unit: str | None,
    also: Mapping[str, float] | None,
) -> Diagnosis | None:
    """The cause of a wrong number, most specific first. `tolerance` is absolute; the answer lies outside it."""
    ratio = actual / expected if expected else math.inf
    for words, factor in (also or {}).items():
        if _matches(ratio, factor, max(_CLOSE, _relative(tolerance, expected))):
            return Diagnosis("unit mismatch", f"{words}?", f"answer / reference = {plain(ratio)}")
    if _rounded(expected, actual):
        return Diagnosis("premature rounding", "rounded too early?", f"{plain(actual)} for {show(expected)}")
    if math.fabs(actual - expected) <= 2 * tolerance and tolerance > 1e-8 * math.fabs(expected):
        distance = math.fabs(actual - expected) / tolerance
        return Diagnosis("near miss", "just outside tolerance", f"{distance:.2f} tolerances away")
    if not (expected and actual):
        return _temperature(expected, actual, name, unit)
    if math.fabs(actual + expected) <= max(tolerance, 1e-9 * math.fabs(expected)):
        return Diagnosis("sign", "opposite sign?", f"{plain(actual)} for {plain(expected)}")
    hint = _canonical(unit) if unit else _unit_in_name(name)
    cause = _by_unit(ratio, expected, actual, tolerance, hint, bool(unit))
    return cause or _temperature(expected, actual, name, unit)


def _relative(tolerance: float, expected: float) -> float:
    return min(_WIDE, tolerance / math.fabs(expected)) if expected else 0.0


def _matches(ratio: float, factor: float, closeness: float) -> bool:
    return math.fabs(ratio / factor - 1) <= closeness


def digits_of(value: float) -> tuple[str, int]:
    """The significant digits of a number as it would be written, and the power of ten of the last one."""
    mantissa, _, exponent = (f"{math.fabs(value):.15e}").partition("e")
    digits = mantissa.replace(".", "").rstrip("0")
    return digits or "0", int(exponent) - max(len(digits) - 1, 0)


def _rounded(expected: float, actual: float) -> bool:
    """Is the answer the reference with fewer digits, rounded or cut off?

    One digit left proves little (1 for 1.4), so it counts only close by, or as a small decimal fraction (0.01 for 0.0132).
    """
    digits, place = digits_of(actual)
    if actual == 0 or len(digits) >= len(digits_of(expected)[0]) or (actual < 0) != (expected < 0):
        return False
    step = 10.0**place
    scaled = math.fabs(expected) / step
    kept = math.fabs(actual) / step
    if math.fabs(kept - scaled) > 0.5 + 1e-9 and not (len(digits) > 1 and 0 <= scaled - kept < 1):
        return False
    return len(digits) > 1 or math.fabs(actual / expected - 1) <= 0.06 or place <= -2


def _by_unit(
    ratio: float, expected: float, actual: float, tolerance: float, hint: str, declared: bool
) -> Diagnosis | None:
    """A factor that explains the ratio: powers of ten, then units of the field's own quantity, then well-known factors."""
    finding = f"answer / reference = {plain(ratio)}"
    allowed = max(_CLOSE, _relative(tolerance, expected))
    if hint in _DIMENSIONLESS:
        powers: Sequence[int] = (2, 1, 3, 4)
    own = [] if hint in _DIMENSIONLESS else list(_same_quantity(hint))
    close = allowed if declared else _closeness(actual)
    for given, factor in own:
        exact_power = math.fabs(math.log10(factor) - round(math.log10(factor))) < 1e-12
        if _matches(ratio, factor, allowed if exact_power else close):
            return Diagnosis("unit mismatch", f"{given} given for {hint}?", finding)
    power = round(math.log10(math.fabs(ratio)))
    if power and ratio > 0 and power in range(-12, 13) and _matches(ratio, 10.0**power, allowed):
        return _power_of_ten(power, hint, bool(own), finding)
    if hint in _DIMENSIONLESS:
        return None
    candidates = [f for f in _FACTORS if not (declared and own) or "value" in f[1]]
    best = None
    for factor, small, large in candidates:
        for target, words in (
            (factor, f"{small} given for {large}?"),
            (1 / factor, f"{large} given for {small}?"),
        ):
            gap = math.fabs(ratio / target - 1)
            if gap <= _closeness(actual) and (best is None or gap < best[0]):
                best = (gap, words)
    return Diagnosis("unit mismatch", best[1], finding) if best else None


def _closeness(actual: float) -> float:
    """How near a ratio must be to a factor: one in a thousand, or what the answer's own three or more digits can tell."""
    digits, _ = digits_of(actual)
    return max(_CLOSE, 0.5 / float(digits)) if len(digits) == 3 else _CLOSE


def _power_of_ten(power: int, hint: str, known: bool, finding: str) -> Diagnosis:
    dimensionless = hint in _DIMENSIONLESS
    if power in (2, -2) and not known:
        words = "percent given for fraction?" if power > 0 else "fraction given for percent?"
        return Diagnosis("percent against fraction", words, finding)
    if power % 3 == 0 and not known and not dimensionless:
        large, small = {3: ("m", "mm"), 6: ("MPa", "Pa"), 9: ("GPa", "Pa")}.get(
            math.fabs(power), ("one", "another")
        )
        given, asked = (small, large) if power > 0 else (large, small)
        more = {3: ", or g for kg" if power > 0 else ", or kg for g"}.get(math.fabs(power), "")
        return Diagnosis("unit mismatch", f"{given} given for {asked}{more}?", finding)
    return Diagnosis("order of magnitude", "off by a power of ten (10^%d)?" % power, finding)


def _temperature(expected: float, actual: float, name: str, unit: str | None) -> Diagnosis | None:
    """One temperature scale given for another: C, K, F."""
    hint = _canonical(unit) if unit else _unit_in_name(name)
    declared = hint in _TEMPERATURES and (bool(unit) or "temp" in name.lower())
    if unit and not declared:
        return None
    for asked, (scale, offset) in _TEMPERATURES.items():
        for given, (given_scale, given_offset) in _TEMPERATURES.items():
            if given == asked or (declared and asked != hint):
                continue
            target = (expected * scale + offset) / given_scale - given_offset
            slack = 0.2 if declared else 0.011
            telling = (
                declared
                or "F" not in (given, asked)
                or max(len(digits_of(actual)[0]), len(digits_of(expected)[0])) > 2
            )
            if telling and math.fabs(actual - target) <= slack:
                return Diagnosis(
                    "unit mismatch",
                    "°%s given for °%s?".replace("°K", "K") % (given, asked),
                    f"{plain(actual)} for {plain(expected)}",
                )
    return None


def _canonical(unit: str) -> str:
    """One spelling for a unit: m² m^2 -> m2, kN·m kNm -> kN.m, µ -> u, Ω -> ohm, °C -> C."""
    text = unit.strip()
    for old, new in (
        ("²", "2"),
        ("³", "3"),
        ("⁴", "4"),
        ("^", ""),
        ("·", "."),
        ("*", "."),
        ("⋅", "."),
        ("µ", "u"),
        ("μ", "u"),
        ("Ω", "ohm"),
        ("°", ""),
        (" ", ""),
    ):
        text = text.replace(old, new)
    return {
        "Nm": "N.m",
        "kNm": "kN.m",
        "Nmm": "N.mm",
        "l": "L",
        "ml": "mL",
        "l/s": "L/s",
        "volts": "V",
        "volt": "V",
        "amps": "A",
        "kph": "km/h",
        "hr": "h",
        "sec": "s",
        "degC": "C",
        "degF": "F",
        "celsius": "C",
        "kelvin": "K",
    }.get(text, text)


_quantity_cache: list[dict[str, float]] = []


def _quantities() -> list[dict[str, float]]:
    if not _quantity_cache:
        for line in _QUANTITIES:
            pairs = (entry.split("=") for entry in line.split())
            _quantity_cache.append({unit: float(factor) for unit, factor in pairs})
    return _quantity_cache


def _same_quantity(unit: str) -> Iterator[tuple[str, float]]:
    """(other unit, answer / reference when it was given instead) for each unit of the same quantity."""
    for quantity in _quantities():
        if unit in quantity:
            for other, factor in quantity.items():
                if factor != quantity[unit]:
                    yield other, quantity[unit] / factor


def _unit_in_name(name: str) -> str:
    """The unit that a field's name ends with, as in span_mm or flow_m3_h; "" where it names none."""
    words = name.replace("-", "_").replace(" ", "_").replace(".", "_").lower().split("_")
    if words[-1] in _DIMENSIONLESS or "%" in name:
        return "%"
    known = {unit.lower(): unit for quantity in reversed(_quantities()) for unit in reversed(list(quantity))}
    known.update({unit.lower(): unit for unit in _TEMPERATURES})
    for count in (3, 2, 1):
        tail = words[-count:]
        if len(words) > count:
            for joined in ("/".join(tail), ".".join(tail), "".join(tail)):
                if joined in known:
                    return known[joined]
    return ""


def _converted(value: float, given: str, unit: str) -> float | None:
    """A value in one unit as a value in another; None where they do not measure the same."""
    given, unit = _canonical(given), _canonical(unit)
    if given in _TEMPERATURES and unit in _TEMPERATURES:
        (scale, offset), (unit_scale, unit_offset) = _TEMPERATURES[given], _TEMPERATURES[unit]
        return ((value + offset / scale) * scale) / unit_scale - unit_offset / unit_scale
    if {given, unit} <= {"%", "1"}:
        return value / 100 if given == "%" else value * 100
    for quantity in _quantities():
        if given in quantity and unit in quantity:
            return value * quantity[given] / quantity[unit]
    return None


def swapped(wrong: Sequence[tuple[str, tuple[Any, Any, float]]]) -> dict[str, str]:
    """Field -> the field whose answer it holds, for pairs of wrong fields that hold each other's reference.

    `wrong` is (field, (expected, actual, tolerance)). Two references that differ only in sign prove nothing.
    """
    pairs: dict[str, str] = {}
    for i, (one, (e1, a1, t1)) in enumerate(wrong):
        for other, (e2, a2, t2) in wrong[i + 1 :]:
            if one in pairs or other in pairs or isinstance(e1, str) != isinstance(e2, str):
                continue
            if isinstance(e1, str):
                exchanged = a1 == e2 and a2 == e1
            else:
                exchanged = (
                    math.fabs(a1 - e2) <= t2 and math.fabs(a2 - e1) <= t1 and math.fabs(e1 + e2) > t1 + t2
                )
            if exchanged:
                pairs[one], pairs[other] = other, one
    return pairs


# --------------------------------------------------------------------------------------------------------- the verifier


class _Entry:
    """One dimension: what was found, or that its check crashed, or that it does not apply."""

    __slots__ = ("crash", "max_score", "name", "outcome", "weight")

    def __init__(
        self, name: str, weight: float, max_score: float, outcome: Outcome | None, crash: str | None
    ) -> None:
        self.name, self.weight, self.max_score, self.outcome, self.crash = (
            name,
            weight,
            max_score,
            outcome,
            crash,
        )


class Verifier:
    """Reads one answer, runs checks on it, writes the artifacts. See the module's docstring for the checks.

    `reveal=False` keeps references out of everything written. `strings` and `thousands` set the default of every number
    check. `logs` moves the artifacts (else the environment variable ADJUDGE_LOGS, else /logs/verifier). Artifacts
    that an earlier run, or anybody else, left there are removed at once: no reward may stand that this run did not earn.
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
        self.answer = answer
        self.problem = problem
        self.rollup, self.threshold = rollup, threshold
        self.strings, self.thousands, self.reveal = strings, thousands, reveal
        self.logs = os.fspath(logs or os.environ.get(LOGS_VARIABLE) or LOGS)
        self.finished = False
        self._entries: list[_Entry] = []
        self._tags: list[dict[str, str]] = []
        self._crashes: list[str] = []
        for artifact in ("reward.json", "reward.txt", "details.json", "errors.json"):
            _remove(os.path.join(self.logs, artifact))

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], *, format: str | None = None, **options: Any
    ) -> Verifier:  # noqa: A002
        """Read the answer in a file: json, jsonl, csv or text; by its suffix unless `format` is given (.md is json).

        An output that is missing or cannot be read makes every check score 0; it never raises.
        """
        suffix = os.path.splitext(os.fspath(path))[1].lower()
        try:
            answer = read_answer(read_bytes(path), format or _SUFFIXES.get(suffix, "json"))
        except Unreadable as problem:
            return cls(None, problem=problem, **options)
        return cls(answer, **options)

    def __enter__(self) -> Verifier:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the artifacts; an exception in the block is a failure of the verifier, whose checks so far are kept."""
        if isinstance(error, Exception):
            self._crashed("verifier", error)
        elif error is not None or self.finished:
            return
        self.finish()

    # -- checks

    def number(
        self,
        name: str,
        expected: float,
        *,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        unit: str | None = None,
        convert: bool = False,
        strings: bool | None = None,
        thousands: bool | None = None,
        fade: float | None = None,
        bands: Mapping[float, float] | None = None,
        also: Mapping[str, float] | None = None,
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """A number within tolerance of the reference; see `near` for the options."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            compare = near(
                rel=rel,
                abs=abs,
                unit=unit,
                convert=convert,
                strings=self._texts(strings),
                thousands=self.thousands if thousands is None else thousands,
                fade=fade,
                bands=bands,
                also=also,
            )
            return compare(reference, actual, label)

        self._compare(name, expected, rule, at, weight, max_score)

    def between(
        self,
        name: str,
        low: float | None,
        high: float | None,
        *,
        unit: str | None = None,
        strings: bool | None = None,
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """A number in a closed range; an end that is None is open."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            return within(low, high, near(unit=unit, strings=self._texts(strings)))(reference, actual, label)

        self._compare(name, None, rule, at, weight, max_score)

    def boolean(
        self,
        name: str,
        expected: bool,
        *,
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """True or false."""
        self._compare(name, expected, truth(), at, weight, max_score)

    def choice(
        self,
        name: str,
        expected: str | Sequence[str],
        *,
        among: Sequence[str] | None = None,
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """One of a fixed list of words; a list as `expected` accepts any of them."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            return one_of(among)(reference, actual, label)

        self._compare(name, expected, rule, at, weight, max_score)

    def text(
        self,
        name: str,
        expected: str,
        *,
        ignore_case: bool = False,
        ignore_space: bool = False,
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """Text, equal to the letter unless the author allows otherwise."""
        self._compare(
            name, expected, exact(ignore_case=ignore_case, ignore_space=ignore_space), at, weight, max_score
        )

    def members(
        self,
        name: str,
        expected: Iterable[Any],
        *,
        each: Rule | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """A set, in any order: the harmonic mean of precision and recall. Items compare by type, or by the rule `each`."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            return member_rule(each or by_type(rel, abs, self.strings))(reference, actual, label)

        self._compare(name, expected, rule, self._place(name, at), weight, max_score)

    def sequence(
        self,
        name: str,
        expected: Iterable[Any],
        *,
        each: Rule | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """A list in order: the share of positions that are right, of the longer of the two lists."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            return sequence_rule(each or by_type(rel, abs, self.strings))(reference, actual, label)

        self._compare(name, expected, rule, self._place(name, at), weight, max_score)

    def records(
        self,
        name: str,
        expected: Sequence[Mapping[str, Any]],
        *,
        key: str | Sequence[str],
        fields: Mapping[str, Rule] | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """A list of records matched by key. Fields compare by type, or by the rules of `fields`, which also picks them."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            rules = (
                fields
                if fields is not None
                else _field_rules(reference, key, by_type(rel, abs, self.strings))
            )
            return record_rule(key, rules)(reference, actual, label)

        self._compare(name, expected, rule, self._place(name, at), weight, max_score)

    def table(
        self,
        name: str,
        expected: str | Sequence[Mapping[str, Any]],
        *,
        key: str | Sequence[str],
        fields: Mapping[str, Rule] | None = None,
        rel: float | None = None,
        abs: float | None = None,  # noqa: A002 - as in pytest.approx
        at: str | None = None,
        weight: float = 1.0,
        max_score: float = 1.0,
    ) -> None:
        """Like `records`, for CSV text, records, rows under a header, or columns. Numbers in cells may be text."""

        def rule(reference: Any, actual: Any, label: str) -> Outcome:
            rows = as_records(reference)
            rules = fields if fields is not None else _field_rules(rows, key, by_type(rel, abs, strings=True))
            return record_rule(key, rules)(rows, as_records(actual), label)

        self._compare(name, expected, rule, self._place(name, at), weight, max_score)

    def check(
        self, name: str, function: Callable[[Any], Any], *, weight: float = 1.0, max_score: float = 1.0
    ) -> None:
        """A check of your own: `function(answer)` returns a bool, a share from 0 to 1, an Outcome, or (score, evidence)."""
        self._add(name, lambda: _own_outcome(function(self.answer)), weight, max_score)

    def score(
        self, name: str, score: float, *, evidence: str = "", weight: float = 1.0, max_score: float = 1.0
    ) -> None:
        """A score worked out elsewhere, out of `max_score`; clamped to it."""
        self._add(name, lambda: _own_outcome((score / max_score, evidence)), weight, max_score)

    def not_applicable(self, name: str, reason: str, *, weight: float = 1.0, max_score: float = 1.0) -> None:
        """A dimension that does not apply to this answer; it leaves the mean."""
        self._entries.append(
            _Entry(name, weight, max_score, Outcome(math.nan, f"not applicable: {reason}"), None)
        )

    def tag(self, category: str, description: str) -> None:
        """Classify a failure in the task's own words."""
        self._tags.append({"category": category, "description": description, "source": "mechanical"})

    # -- finishing

    def finish(self, rollup: str | None = None, threshold: float | None = None) -> float:
        """Write the artifacts and return the reward. Where a check crashed: no reward file, and SystemExit with code 1."""
        rollup = rollup or self.rollup
        threshold = self.threshold if threshold is None else threshold
        self.finished = True
        details = {entry.name: self._detail(entry, rollup, threshold) for entry in self._entries}
        reward = None
        try:
            reward = self._reward(details, rollup, threshold)
        except ValueError as error:
            self._crashed("reward", error)
        os.makedirs(self.logs, exist_ok=True)
        _write(os.path.join(self.logs, "details.json"), details)
        _write(os.path.join(self.logs, "errors.json"), self._errors())
        if self._crashes or reward is None:
            sys.stdout.flush()
            raise SystemExit(
                "adjudge_kit: no reward, because the verifier failed: {}".format("; ".join(self._crashes))
            )
        _write(os.path.join(self.logs, "reward.json"), {"reward": reward})
        return reward

    def _reward(self, details: Mapping[str, Mapping[str, Any]], rollup: str, threshold: float) -> float:
        if self._crashes:
            return 0.0
        scores = []
        for entry in self._entries:
            score = details[entry.name]["score"]
            scores.append((None if score is None else score / entry.max_score, entry.weight))
        reward = roll_up(scores, rollup, threshold)
        return 0.0 if self.problem is not None else reward

    def _detail(self, entry: _Entry, rollup: str, threshold: float) -> dict[str, Any]:
        """A dimension in the specification's shape. No score (null) where it crashed or does not apply."""
        outcome = entry.outcome
        detail: dict[str, Any] = {
            "score": None,
            "max_score": entry.max_score,
            "evidence": "",
            "weight": entry.weight,
        }
        if rollup in ("all_pass", "threshold"):
            detail["threshold"] = threshold
        if outcome is None:
            detail["evidence"] = f"check crashed: {entry.crash}"
            return detail
        detail["evidence"] = show(outcome.evidence if self.reveal else outcome.sealed, 600)
        if not math.isnan(outcome.score):
            detail["score"] = round(min(max(outcome.score, 0.0), 1.0) * entry.max_score, 6)
        for label, value in (
            ("expected", outcome.expected if self.reveal else MISSING),
            ("actual", outcome.actual),
            ("tolerance", outcome.tolerance),
            ("unit", outcome.unit),
        ):
            if isinstance(value, (bool, str)) or is_number(value):
                detail[label] = show(value, 200) if isinstance(value, str) else value
        return detail

    def _errors(self) -> list[dict[str, str]]:
        """One tag for each category and field, swapped fields before what each alone would suggest."""
        tags = [
            {"category": "verifier failure", "description": crash, "source": "mechanical"}
            for crash in self._crashes
        ]
        if self.problem is not None:
            tags.append(
                {
                    "category": self.problem.category,
                    "description": show(str(self.problem), 300),
                    "source": "mechanical",
                }
            )
        scored = [entry for entry in self._entries if entry.outcome is not None]
        pairs = swapped(
            [
                (entry.name, entry.outcome.swap)
                for entry in scored
                if entry.outcome is not None and entry.outcome.swap
            ]
        )
        for entry in scored:
            assert entry.outcome is not None
            causes = entry.outcome.causes
            if entry.name in pairs:
                if list(pairs).index(entry.name) % 2:
                    continue
                causes = [
                    (
                        "",
                        Diagnosis("swapped fields", f"{entry.name} and {pairs[entry.name]} exchanged?"),
                    )
                ]
            seen: dict[str, int] = {}
            for field, cause in causes:
                seen[cause.category] = seen.get(cause.category, 0) + 1
                if seen[cause.category] <= 3:
                    said = cause.describe(self.reveal)
                    tags.append(
                        {
                            "category": cause.category,
                            "description": show(f"{field}: {said}" if field else said, 300),
                            "source": "mechanical",
                        }
                    )
        return tags + self._tags

    # -- inside

    def _texts(self, strings: bool | None) -> bool:
        """Are numbers in text allowed? Always in plain text and CSV, which have no other kind."""
        return (self.strings if strings is None else strings) or isinstance(self.answer, str)

    def _place(self, name: str, at: str | None) -> str | None:
        """Where a collection stands: an answer that is itself a list (CSV, JSONL) is the collection."""
        return "" if at is None and isinstance(self.answer, list) else at

    def _compare(
        self, name: str, expected: Any, rule: Rule, at: str | None, weight: float, max_score: float
    ) -> None:
        def judge() -> Outcome:
            value = lookup(self.answer, name if at is None else at)
            if value is MISSING or value is None:
                return _failed(name, Diagnosis("missing field", "null" if value is None else self._absent()))
            return rule(expected, value, name)

        self._add(name, judge, weight, max_score)

    def _absent(self) -> str:
        if not isinstance(self.answer, dict):
            return f"missing: the answer is {kind_of(self.answer)}"
        names = ", ".join(show(key, 40) for key in list(self.answer)[:8])
        return "missing; the answer has: %s" % (names or "nothing")

    def _add(self, name: str, judge: Callable[[], Outcome], weight: float, max_score: float) -> None:
        outcome, crash = None, None
        try:
            _check_entry(name, weight, max_score, self._entries)
            outcome = judge() if self.problem is None else Outcome(0.0, f"no answer: {self.problem}")
        except Exception as error:  # noqa: BLE001 - the border: whatever a check raises must not take its siblings along
            crash = self._crashed(name, error)
            if any(entry.name == name for entry in self._entries):
                name = f"{name} (again)"
        self._entries.append(_Entry(name, weight, max_score, outcome, crash))

    def _crashed(self, name: str, error: Exception) -> str:
        """Note a failure of the verifier itself, with its traceback on stderr."""
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)
        said = show(f"{type(error).__name__}: {error}", 300)
        self._crashes.append(f"{name}: {said}")
        return said


def _check_entry(name: str, weight: float, max_score: float, entries: Sequence[_Entry]) -> None:
    if any(entry.name == name for entry in entries):
        raise ValueError(f"two checks are named {name!r}")
    if not (is_number(weight) and weight >= 0):
        raise ValueError(f"weight is {weight!r}; allowed: a number of at least 0")
    if not (is_number(max_score) and max_score > 0):
        raise ValueError(f"max_score is {max_score!r}; allowed: a number above 0")


def _own_outcome(result: Any) -> Outcome:
    """What an author's own function returned, as an Outcome."""
    if isinstance(result, Outcome):
        return result
    score, evidence = result if isinstance(result, tuple) and len(result) == 2 else (result, "")
    if isinstance(score, bool):
        score = float(score)
    if not is_number(score):
        raise TypeError(
            f"a check returned {show(result)}; allowed: a bool, a number from 0 to 1, or (score, evidence)"
        )
    return Outcome(
        score, str(evidence) or ("passed" if score >= 1 else "failed" if score <= 0 else "in part")
    )


def _field_rules(
    expected: Sequence[Mapping[str, Any]], key: str | Sequence[str], rule: Rule
) -> dict[str, Rule]:
    """One rule for every field of the reference records but the key."""
    keys = [key] if isinstance(key, str) else list(key)
    return {field: rule for record in expected for field in record if field not in keys}


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        pass


def _write(path: str, value: Any) -> None:
    """Write JSON whole or not at all: beside its place, then renamed into it."""
    import json

    part = "%s.%d.part" % (path, os.getpid())
    with open(part, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, ensure_ascii=False, allow_nan=False)
        file.write("\n")
    os.replace(part, path)
