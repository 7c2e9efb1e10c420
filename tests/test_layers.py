"""Data flows one way: a folder imports only from folders before it in the house."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "adjudge"
ORDER = [
    *(
        "_version",
        "_lazy",
        "_python",
        "_files",
        "_kept",
        "_escape",
        "_secrets",
        "_spawn",
        "_forked",
        "errors",
        "_confined",
        "contracts",
        "client",
        "tasks",
        "gates",
        "sandbox",
        "evidence",
        "packages",
        "scoring",
        "preflight",
        "ledger",
        "traces",
        "runs",
    ),
    *("audit", "stats", "judges", "redteam", "reports", "api", "web", "integrations", "standby", "cli"),
]
ONLY_CONTRACTS = {
    "contracts": {"errors", "contracts", "_lazy"},
    "stats": {"errors", "_confined", "_lazy", "contracts", "stats"},
}


def imported_rooms(path: Path) -> set[str]:
    """The folders of adjudge that a module imports, wherever in the module it does so."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; name the folder in full"
            if node.module == "adjudge":
                names.update(f"adjudge.{alias.name}" for alias in node.names)
            elif node.module:
                names.add(node.module)
    return {name.split(".")[1] for name in names if name.startswith("adjudge.")}


@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda p: str(p.relative_to(SRC)))
def test_a_folder_imports_only_from_folders_before_it(path: Path) -> None:
    room = path.relative_to(SRC).parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    allowed = ONLY_CONTRACTS.get(room, set(ORDER[: ORDER.index(room) + 1]))
    # A name imported from the package itself (`from adjudge import contracts`) counts as its folder;
    # lazily exported names have no folder and are caught here too.
    assert imported_rooms(path) <= allowed


def test_every_folder_has_a_place_in_the_order() -> None:
    rooms = {p.parent.name for p in SRC.glob("*/__init__.py")}
    assert rooms <= set(ORDER)


def test_the_table_of_the_house_names_the_rooms_within_rooms() -> None:
    text = (SRC.parent.parent / "docs" / "design" / "house.md").read_text(encoding="utf-8")
    rows = {row[1]: row[2] for row in re.finditer(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE)}
    inner = {(path.parts[-3], path.parts[-2]) for path in SRC.glob("*/*/__init__.py")}
    inner.discard(("integrations", "harbor"))  # the picture above says that one already
    assert {f"{room}/{name}" for room, name in inner if f"`{name}`" not in rows.get(room, "")} == set()


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/design/house.md"])
def test_the_picture_of_the_house_shows_every_room_in_order(page: str) -> None:
    """A picture may show a room that is still to come, but none that is out of order, and it lacks none."""
    text = (SRC.parent.parent / page).read_text(encoding="utf-8")
    picture = text.split("```text\n")[1].split("```")[0]
    rooms = [room for room in ORDER if not room.startswith("_")]
    shown = [word for word in re.findall(r"[a-z]+", picture) if word in rooms]
    there = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert there - set(shown) == set()
    assert list(dict.fromkeys(shown)) == [room for room in rooms if room in shown]
