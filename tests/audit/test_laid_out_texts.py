"""A table in Markdown and lines of names and values are read as data and written as they were."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.audit.documents import open_document
from adjudge.contracts import OutputFormat

TABLE = "# Cup\n\n| Rank | Crew |\n| --- | --- |\n| 1 | Heron |\n| 2 | Otter |\n"
FORM = "## Ship\n- name: Alba\n- tonnes: 5300\n\n## Berth\n- quay: C4\n"
INI = "[limits]\nflow = 12.50\nhead=3\n; a remark\nmode = fast\n"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (
            TABLE.replace("# Cup\n\n", ""),
            OutputFormat.MARKDOWN,
            [{"Rank": 1, "Crew": "Heron"}, {"Rank": 2, "Crew": "Otter"}],
        ),
        (FORM, OutputFormat.MARKDOWN, {"Ship": {"name": "Alba", "tonnes": 5300}, "Berth": {"quay": "C4"}}),
        (INI, OutputFormat.BINARY, {"limits": {"flow": 12.5, "head": 3, "mode": "fast"}}),
        ("1.50\n2.25\n3\n", OutputFormat.TEXT, [1.5, 2.25, 3]),
    ],
    ids=["table", "form", "ini", "numbers"],
)
def test_what_is_read_is_written_again(text: str, kind: OutputFormat, value: Any) -> None:
    document = open_document(text.encode(), kind)
    assert document is not None
    assert document.structured
    assert document.by_place
    assert document.value == value
    assert document.render(document.value).decode() == text.replace("; a remark\n", "")


@pytest.mark.parametrize(
    "text",
    [
        f"{TABLE}\nIn 2024 there were 5 crews.\n",  # numbers beside the table
        f"{TABLE}\n{TABLE}",  # two of them
        "| a | a |\n|---|---|\n| 1 | 2 |\n",  # columns of one name
        "| a | b |\n|---|---|\n| 1 |\n",  # a row that is too short
        "name: Alba\nname: Nova\nflag: Malta 1\n",  # a name that stands twice
        "The pump: 3 kW is enough.\nIt runs.\n",  # prose
    ],
)
def test_other_texts_are_none(text: str) -> None:
    document = open_document(text.encode(), OutputFormat.MARKDOWN)
    assert document is None or not document.structured


def test_columns_are_added_and_left_out() -> None:
    document = open_document(TABLE.encode(), OutputFormat.MARKDOWN)
    assert document is not None
    rows = [{"Rank": 1, "Crew": "Heron", "note": "x"}, {"Rank": 2, "Crew": "Otter"}]
    assert "| Rank | Crew | note |" in document.render(rows).decode()
    assert "| Crew |" in document.render([{"Crew": "Heron"}]).decode()
    assert document.render([{"Crew": "Heron"}]).decode().startswith("# Cup\n\n")
