"""Each folder's `__init__` is its face: other folders never import past it. And one name is one class."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).parent.parent / "src"
HOUSE = SRC / "adjudge"
MODULES = sorted(HOUSE.rglob("*.py"))


def face_of(module: str) -> str | None:
    """The folder whose face stands before this module: `adjudge.ledger` for `adjudge.ledger.query`.

    Folders within a folder are its own affair, except for those that have a face of their own.
    """
    parts = module.split(".")
    if parts[0] != "adjudge" or len(parts) < 3:
        return None
    deep = parts[1] == "integrations" or module.startswith("adjudge.sandbox.session")
    face = ".".join(parts[: 3 if deep else 2])
    return face if face != module else None


@cache
def shown_by(package: str) -> frozenset[str]:
    """What a face offers: a name there may be that of a module, too."""
    face = (SRC / package.replace(".", "/")) / "__init__.py"
    text = face.read_text(encoding="utf-8") if face.exists() else ""
    listed = re.search(r"__all__ = \[(.*?)\]", text, re.DOTALL)
    return frozenset(re.findall(r'"(\w+)"', listed[1])) if listed else frozenset()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports from, wherever in the file, with the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            for alias in node.names:  # `from adjudge.ledger import query` takes a module, not a name
                whole = f"{node.module}.{alias.name}"
                is_module = (SRC / whole.replace(".", "/")).with_suffix(".py").exists()
                if is_module and alias.name not in shown_by(node.module):
                    yield node.lineno, whole
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def test_nobody_imports_past_the_face_of_another_folder() -> None:
    past = defaultdict(list)
    for path in MODULES:
        own = "adjudge." + ".".join(path.relative_to(HOUSE).with_suffix("").parts)
        for line, module in imports(path):
            face = face_of(module)
            if face is not None and not f"{own}.".startswith(f"{face}."):
                past[own.split(".")[1]].append(f"{path.relative_to(SRC)}:{line}: {module}")
    assert past == {}


def test_a_public_class_name_stands_for_one_thing() -> None:
    homes = defaultdict(list)
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SRC)))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def names_in_table(tree: ast.Module) -> dict[str, str]:
    """What a call of `late_names` or the table of the package itself says: name -> module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and node.keys and all(isinstance(v, ast.Tuple) for v in node.values):
            table = ast.literal_eval(node)
            return {name: module for module, names in table.items() for name in names}
    return {}


def names_for_type_checkers(tree: ast.Module, package: str) -> dict[str, str]:
    [block] = [n for n in tree.body if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    return {
        alias.name: alias.name if node.module == package else str(node.module).removeprefix(f"{package}.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_late_names_are_those_that_type_checkers_see() -> None:
    """Star imports of the package's own face are checked by `test_public_names`, which asks mypy."""
    tried = 0
    for path in sorted(HOUSE.rglob("*/__init__.py")):
        text = path.read_text(encoding="utf-8")
        if "late_names(" in text:
            package = ".".join(path.parent.relative_to(SRC).parts)
            tree = ast.parse(text)
            assert names_in_table(tree) == names_for_type_checkers(tree, package), path
            tried += 1
    assert tried >= 3


def test_no_folder_has_too_many_files_and_no_file_too_many_lines() -> None:
    """A folder with more than 25 modules side by side is two folders; a file of 400 lines is two files."""
    folders = Counter(path.parent.relative_to(SRC).as_posix() for path in MODULES)
    assert {folder: count for folder, count in folders.items() if count > 25} == {}
    lines = {path.relative_to(SRC).as_posix(): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count >= 400} == {}


def names_offered(face: Path) -> list[str]:
    """What a face lists in `__all__`, whichever way the list is written."""
    for node in ast.parse(face.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [str(part.value) for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
    return []


def test_a_face_offers_nothing_that_nobody_uses() -> None:
    """A name is used if a file outside the folder names both the folder and it, or if a page names it."""
    written = {
        path: path.read_text(encoding="utf-8")
        for top in ("src", "tests", "benchmarks", "docs", "examples")
        for ending in ("*.py", "*.md")
        for path in (SRC.parent / top).rglob(ending)
    }
    words = {path: set(re.findall(r"\w+", text)) for path, text in written.items()}
    in_code = {path: set(re.findall(r"`(?:\w+\.)*(\w+)", text)) for path, text in written.items()}
    unused = {}
    for face in sorted(HOUSE.rglob("*/__init__.py")):
        package = ".".join(face.parent.relative_to(SRC).parts)
        if face_of(f"{package}.module") != package:  # a folder within a folder is that folder's own affair
            continue
        outside = [path for path in written if face.parent not in path.parents]
        callers = [path for path in outside if package in written[path]]
        used = set().union(
            *(words[path] for path in callers), *(in_code[path] for path in outside if path.suffix == ".md")
        )
        if left := [name for name in names_offered(face) if name not in used]:
            unused[package] = left
    assert unused == {}, "\n".join(f"{package}: {names}" for package, names in unused.items())
