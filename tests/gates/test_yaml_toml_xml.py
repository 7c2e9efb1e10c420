"""YAML, TOML and XML: parsed safely, bombs refused."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.contracts import OutputFormat
from adjudge.gates.parse import parse_output
from support.no_hang import no_hang
from support.output_reports import judge, reason

YAML, TOML, XML = OutputFormat.YAML, OutputFormat.TOML, OutputFormat.XML

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [" + ",".join([f"*{old}"] * 9) + "]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGE_BOMB = "a: &a {x: 1}\n" + "".join(
    f"{new}: &{new} {{<<: [" + ",".join([f"*{old}"] * 9) + "]}\n"
    for old, new in zip("abcdefghijk", "bcdefghijkl", strict=True)
)
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    + "]><x>&a8;</x>"
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, 2.5, true, null]\n", {"a": 1, "b": ["x", 2.5, True, None]}),
        ("\ufeffa: 1\r\n", {"a": 1}),
        ("date: 2024-02-30\nsign: =\n", {"date": "2024-02-30", "sign": "="}),
        ("2: two\ntrue: yes\nnull: 0\n", {"2": "two", "true": True, "null": 0}),
        ("base: &b {x: 1}\nmore: {<<: *b, y: 2}\n", {"base": {"x": 1}, "more": {"x": 1, "y": 2}}),
        ("--- 1\n--- 2\n", [1, 2]),
        ("!!set {b, a}\n", ["a", "b"]),
        ("!!binary aGk=\n", "aGk="),
        ("just text", "just text"),
    ],
)
def test_yaml_is_read_as_plain_data(text: str, value: Any) -> None:
    assert parse_output(text.encode(), YAML, None).value == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [1, 2\n", "not YAML: did not find expected ',' or ']' at line 2, column 1"),
        ("a: 1\n b: 2\n", "not YAML: mapping values are not allowed in this context at line 2, column 3"),
        ("a: *nowhere\n", "not YAML: found undefined alias at line 1, column 4"),
        (
            "!!python/object/apply:os.system [echo]\n",
            "not YAML: could not determine a constructor for the tag "
            "'tag:yaml.org,2002:python/object/apply:os.system' at line 1, column 1",
        ),
        ("a: &a [*a]\n", "the alias *a stands inside what it stands for"),
        (BOMB, "more than 1000000 values once every alias is spelled out"),
        (MERGE_BOMB, "more than 1000000 values once every alias is spelled out"),
        ("[" * 300 + "]" * 300, "nested deeper than 200 levels"),
        ("!!bool maybe", "not readable YAML: KeyError"),
        ("!!timestamp x", "not readable YAML: AttributeError"),
        ("9" * 5000, "not readable YAML: ValueError"),
        ("# nothing\n", "the YAML holds no document"),
        ("a: \x07\n", "not YAML: unacceptable character #x0007: control characters are not allowed"),
        ("", "the output is empty: it has 0 bytes"),
    ],
)
def test_yaml_that_cannot_be_read_says_why(text: str, says: str) -> None:
    with no_hang():
        report = judge(text, YAML)
    assert report.output_parseable is False
    assert reason(report) == says


def test_nesting_that_only_aliases_make_is_bounded_too() -> None:
    chain = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [[[[[*a{n - 1}]]]]]\n" for n in range(1, 60))
    assert reason(judge(chain, YAML)) == "nested deeper than 200 levels"


@pytest.mark.parametrize(
    ("text", "parseable", "says"),
    [
        ('a = 1\n[b]\nd = 2024-05-01\ns = "x"\n', True, None),
        ("\ufeffa = 1\r\n", True, None),
        ("a = \n", False, "not TOML: Invalid value (at line 1, column 5)"),
        ("a = 1\na = 2\n", False, "not TOML: Cannot overwrite a value (at line 2, column 6)"),
        ("a = " + "[" * 3000, False, "not readable TOML: RecursionError"),
        ("[" + ".".join("a" * 3000) + "]\n", False, "nested deeper than 200 levels"),
        ("a = " + "9" * 5000, False, "not readable TOML: ValueError"),
    ],
)
def test_toml(text: str, parseable: bool, says: str | None) -> None:
    report = judge(text, TOML)
    assert report.output_parseable is parseable
    assert (reason(report) if report.errors else None) == says


def test_toml_values_meet_the_schema_as_json() -> None:
    schema = {"properties": {"when": {"type": "string"}, "x": {"type": "number"}}}
    assert judge("when = 2024-05-01\nx = 1.5\n", TOML, schema=schema).schema_valid
    assert reason(judge('x = "1.5"\n', TOML, schema=schema)) == (
        "$.x: is string, not number; found '1.5'; allowed: number"
    )


@pytest.mark.parametrize(
    ("data", "parseable"),
    [
        (b"<a><b x='1'/>text</a>", True),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\r\n<a/>", True),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\u00e9</a>".encode("latin-1"), True),
        ("<?xml version='1.0' encoding='UTF-16'?><a/>".encode("utf-16"), True),
        (b"<!DOCTYPE a><a/>", True),
        (b"<a>" * 200 + b"</a>" * 200, True),
        (b"<x>" + b"<a></a>" * 1000 + b"</x>", True),
        (b"<a>" * 201 + b"</a>" * 201, False),
        (b"<a>" * 1_000_000, False),
        (b"<a><b></a>", False),
        (b"<a>", False),
        (b"text", False),
        (b"<a/><b/>", False),
        (b"<a>caf\xe9</a>", False),
        (b"<?xml version='1.0' encoding='nosuch'?><a/>", False),
        (b"", False),
        (b" \n", False),
    ],
)
def test_xml_is_well_formed_or_not(data: bytes, parseable: bool) -> None:
    report = judge(data, XML)
    assert report.output_parseable is parseable
    assert bool(report.errors) is not parseable


def test_xml_says_where() -> None:
    assert reason(judge("<a>\n  <b></a>", XML)) == "not XML: mismatched tag at line 2, column 8"


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;]><x/>',
    ],
)
def test_entities_are_refused(text: str) -> None:
    with no_hang():
        report = judge(text, XML)
    assert reason(report).startswith("the XML declares entities, which are refused: EntitiesForbidden")
