"""Every link of the docs leads somewhere, and every file and test they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.doc_pages import PAGES, ROOT, anchors, links

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_and_anchors_resolve(page: Path) -> None:
    broken = []
    for line, target in links(page):
        if re.match(r"[a-z]+:", target):
            continue  # the network is nobody's to test
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            broken.append(f"line {line}: {target}: no such file")
        elif anchor and anchor not in anchors(file):
            broken.append(f"line {line}: {target}: no such heading; there are {sorted(anchors(file))}")
        elif not file.is_relative_to(ROOT):
            broken.append(f"line {line}: {target}: leads out of the project")
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_merge_was_left_half_done(page: Path) -> None:
    assert not re.search(r"^(?:<{7}|>{7}) ", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_files_of_the_project_named_in_code_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    ours = r"(?:tests/(?:\w+/)*test_\w+|(?:src|benchmarks|examples|docs)/[\w./-]+)"  # a task has tests/ too
    named = set(re.findall(rf"`({ours}\.\w+)(?:::\w+)?`", text))
    assert {name for name in named if not (ROOT / name).exists()} == set()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_tests_named_by_function_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w./-]+\.py)::(\w+)`", text)
    assert [(f, n) for f, n in named if f"def {n}(" not in (ROOT / f).read_text(encoding="utf-8")] == []


def test_every_page_is_linked_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for _, target in links(index)}
    pages = {page for page in (ROOT / "docs").glob("*.md") if page != index}
    assert {page.name for page in pages - linked} == set()


def test_the_readme_links_the_index() -> None:
    readme = ROOT / "README.md"
    assert "docs/index.md" in {target for _, target in links(readme)}


def test_nothing_remote_is_shown() -> None:
    """Pictures come from the project itself: docs read the same offline."""
    shown = re.compile(r"!\[[^\]]*\]\(https?:|(?:src|srcset)=\"https?:")
    assert [page.name for page in PAGES if shown.search(page.read_text(encoding="utf-8"))] == []


def test_every_asset_is_shown_somewhere() -> None:
    shown = {(page.parent / target).resolve() for page in PAGES for _, target in links(page)}
    assets = {path for path in (ROOT / "docs" / "assets").iterdir() if path.suffix in (".svg", ".png")}
    assert {path.name for path in assets - shown} == set()
