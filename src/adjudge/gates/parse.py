"""Parse bytes as the format they claim; the verdict is exact, because it can force a zero.

The reader of a format is imported when an output has it: most tasks want JSON and need none of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjudge.contracts import OutputFormat
from adjudge.gates.parsed import (
    MAX_DEPTH,
    MAX_VALUES,
    Parsed,
    Unparseable,
    check_depth,
    decode,
    parse_json_output,
)


def parse_output(data: bytes, kind: OutputFormat, schema: dict[str, Any] | None) -> Parsed:
    """Parse an output. Raises Unparseable. `schema` says whether prose needs an answer, and which CSV
    columns are text.
    """
    if kind is OutputFormat.BINARY:
        return Parsed()
    if kind is OutputFormat.XML:  # names its own encoding
        return _xml(data)
    if kind not in _TEXTS:
        from adjudge.gates.containers import parse_container

        return parse_container(data, kind)
    text = decode(data)
    if kind is OutputFormat.CSV:
        from adjudge.gates.table import parse_csv

        return parse_csv(text, schema)
    if kind in _PROSE:
        return Parsed() if schema is None else _optional_answer(text)
    return _PARSERS[kind](text)


def _optional_answer(text: str) -> Parsed:
    """Any text is Markdown: if a shape is expected, a missing answer is a problem of the shape."""
    from adjudge.gates.markdown import NoAnswer, find_answer

    try:
        return find_answer(text)
    except NoAnswer as error:
        return Parsed(problems=(str(error),))


def _required_answer(text: str) -> Parsed:
    from adjudge.gates.markdown import NoAnswer, find_answer

    try:
        return find_answer(text)
    except NoAnswer as error:
        raise Unparseable(str(error)) from None


def _jsonl(text: str) -> Parsed:
    values: list[Any] = []
    problems: list[str] = []
    if text.count("[") + text.count("{") + text.count(",") > MAX_VALUES:
        raise Unparseable(f"more than {MAX_VALUES} values, which is more than is read")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for number, line in lines:
        try:
            parsed = parse_json_output(line, first_line=number)
        except Unparseable as error:
            if str(error).startswith("truncated: ") and number < lines[-1][0]:
                what = f"line {number} does not hold a whole JSON value; JSON Lines has one on each line"
                raise Unparseable(f"not JSON Lines: {what}") from None
            raise
        values.append(parsed.value)
        problems.extend(f"line {number}: {problem}" for problem in parsed.problems)
    return Parsed(values, True, tuple(problems[:5]))


def _yaml(text: str) -> Parsed:
    from adjudge.gates.yaml_text import parse_yaml

    return parse_yaml(text)


def _toml(text: str) -> Parsed:
    import tomllib

    from adjudge.tasks import has_deep_keys, toml_as_json

    if has_deep_keys(text, MAX_DEPTH):  # the parser's memory grows by the square of a key's parts
        raise Unparseable(f"nested deeper than {MAX_DEPTH} levels")
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unparseable(f"not TOML: {error}") from None
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits; nested without end
        raise Unparseable(f"not readable TOML: {type(error).__name__}") from None
    check_depth(value)
    return Parsed(toml_as_json(value), True)


def _xml(data: bytes) -> Parsed:
    """Well-formed, or not. No tree is built, and a document that declares entities is refused."""
    from xml.sax import SAXException, SAXParseException
    from xml.sax.handler import ContentHandler

    import defusedxml.sax
    from defusedxml.common import DefusedXmlException

    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise Unparseable("the output is empty or holds nothing but white space")

    class Depth(ContentHandler):
        """How many elements are open; more than any document means would only cost memory."""

        open = 0

        def startElement(self, name: str, attrs: object) -> None:  # noqa: N802 - the name is SAX's
            self.open += 1
            if self.open > MAX_DEPTH:
                raise Unparseable(f"nested deeper than {MAX_DEPTH} levels")

        def endElement(self, name: str) -> None:  # noqa: N802
            self.open -= 1

    try:
        defusedxml.sax.parseString(data, Depth())
    except DefusedXmlException as error:
        raise Unparseable(f"the XML declares entities, which are refused: {type(error).__name__}") from None
    except SAXParseException as error:
        place = f"line {error.getLineNumber()}, column {(error.getColumnNumber() or 0) + 1}"
        raise Unparseable(f"not XML: {error.getMessage()} at {place}") from None
    except (SAXException, ValueError, LookupError) as error:  # an encoding that nobody knows
        raise Unparseable(f"not XML: {error}") from None
    return Parsed()


_PROSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.TEXT})
_PARSERS: dict[OutputFormat, Callable[[str], Parsed]] = {
    OutputFormat.JSON: parse_json_output,
    OutputFormat.JSONL: _jsonl,
    OutputFormat.YAML: _yaml,
    OutputFormat.TOML: _toml,
    OutputFormat.MARKDOWN_JSON: _required_answer,
}
_TEXTS = frozenset({OutputFormat.CSV, *_PROSE, *_PARSERS})
