"""Whatever the bytes, whatever the format: a report, never an exception."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.contracts import Origin, OutputFormat
from support.output_reports import judge

SCHEMA = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "number"}},
    "items": {"properties": {"a": {"type": "string"}}},
}

pieces = (
    *("{", "}", "[", "]", ":", ",", '"', "'", "\n", "\r\n", "\t", " ", "a", "1", "-", ".", "e9", "#"),
    *("NaN", "null", "true", "\\u", "\\ud800", "```", "```json", "~~~", "\0", "\ufeff", "é", "inf"),
    *("&a ", "*a", "!!int ", "!!set ", "!!bool ", "!!timestamp ", "!!float ", "!!binary ", "!!omap "),
    *("!!null ", "<<: ", "? ", "- ", "---", "|", ">", "%YAML 1.1", "=", "1:30", "2024-13-99", ".nan"),
    *("<a>", "</a>", "<!DOCTYPE", "<![CDATA[", "&amp;", "0x", "0o7", '"""'),
)
fragments = st.lists(st.sampled_from(pieces), max_size=25).map("".join)


@pytest.mark.parametrize("kind", list(OutputFormat))
@given(data=st.binary(max_size=60) | fragments.map(str.encode))
def test_there_is_always_a_report(kind: OutputFormat, data: bytes) -> None:
    for schema in (None, SCHEMA):
        report = judge(data, kind, schema=schema, origin=Origin.INFERRED)
        assert report.output_parseable or not report.schema_valid
        assert bool(report.errors) is not report.schema_valid
        json.dumps(report.errors).encode()
        assert all(error.isprintable() for error in report.errors)


def test_binary_only_has_to_be_there() -> None:
    assert judge(b"", OutputFormat.BINARY).output_parseable
    assert judge(b"\x00\xff", OutputFormat.BINARY).output_parseable
