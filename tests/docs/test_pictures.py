"""The terminal pictures show what the commands print today, and refer to nothing outside themselves."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from docs.pictures import ASSETS, COLUMNS, PICTURES, captured, draw

from support.demo_run import PRINTED, copy_ledger
from support.doc_pages import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[tuple[str | None, str]]:
    """(style, text) of every run of text, durations left out; where it stands moves with their digits."""
    texts = ET.fromstring(svg).iter(f"{SVG}text")  # noqa: S314 - our own
    return [(text.get("class"), re.sub(r"\d+ ms", "N ms", text.text or "")) for text in texts]


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_picture_shows_what_is_printed_today(name: str, scored: Path, tmp_path: Path) -> None:
    shutil.copytree(scored / "examples", tmp_path / "examples")
    copy_ledger(scored, tmp_path / "examples")
    scenes = []
    for command in PICTURES[name]:
        if command.startswith("adjudge run "):  # the demo run, made once for all tests
            scenes.append((command, (scored / PRINTED).read_text(encoding="utf-8")))
        else:
            scenes.append((command, captured(command, tmp_path / "examples")))
    assert words(draw(scenes)) == words((ASSETS / name).read_text(encoding="utf-8")), "run `make docs`"


DRAWN_BY_HAND = ["concepts.svg", "outcome-tree.svg"]


@pytest.mark.parametrize("name", [*sorted(PICTURES), *DRAWN_BY_HAND])
def test_a_picture_stands_alone(name: str) -> None:
    """Nothing is fetched or run when a reader opens it, and it has both sets of colours."""
    svg = (ASSETS / name).read_text(encoding="utf-8")
    assert re.findall(r"https?://[^\"' ]+", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<image|<foreignObject|@import|@font-face|url\(|\son\w+=|href", svg)
    assert "prefers-color-scheme: dark" in svg
    elements = {element.tag.removeprefix(SVG) for element in ET.fromstring(svg).iter()}  # noqa: S314 - our own
    assert elements - {"path", "desc"} == {"svg", "title", "style", "rect", "text"}


@pytest.mark.parametrize("name", DRAWN_BY_HAND)
def test_a_drawing_is_described_in_words(name: str) -> None:
    """For whoever cannot see it, and its words are those of the program."""
    root = ET.fromstring((ASSETS / name).read_text(encoding="utf-8"))  # noqa: S314 - our own
    assert len(root.findtext(f"{SVG}desc") or "") > 100
    written = {text.text for text in root.iter(f"{SVG}text")}
    assert {"nothing usable", "machinery failed"} <= written


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_the_readme_shows_it(name: str) -> None:
    assert f"](docs/assets/{name})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_styles_and_columns_are_kept() -> None:
    svg = draw([("show", "a  \x1b[32mgreen\x1b[0m \x1b[1;31m<b>\x1b[0m")])
    assert words(svg) == [
        ("prompt", "$"),
        ("command", "show"),
        (None, "a"),
        ("green", "green"),
        ("bold red", "<b>"),
    ]
    places = {text.text: text.get("x") for text in ET.fromstring(svg).iter(f"{SVG}text")}  # noqa: S314
    assert places["green"] == f"{18 + 3 * 8.4:.1f}"  # after "a" and two blanks
    assert places["<b>"] == f"{18 + 9 * 8.4:.1f}"  # after "a  green "
    assert ET.fromstring(svg).get("width") == str(round(COLUMNS * 8.4 + 36))  # noqa: S314
