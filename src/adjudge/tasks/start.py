"""Start a new task from a template: a whole small task that passes both `check` and `audit`.

The template for pytest needs a package, so it is `check` and `audit --prepare` for that one.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from adjudge.errors import UsageError
from adjudge.tasks.kit_copy import KIT, UNTRUSTED, write_kit

_TEMPLATES = Path(__file__).parent / "template"
_SUFFIX = ".tmpl"
"""Ends the names of the template's files, so that no tool takes them for part of adjudge."""


class TemplateFormat(StrEnum):
    """What the agent is asked to write, and for `pytest` how it is checked."""

    JSON = "json"
    MARKDOWN = "markdown"
    CSV = "csv"
    REPORT = "report"
    """Prose with results in it, scored by a file of dimensions and weights."""
    FOLDER = "folder"
    """Several files."""
    CODE = "code"
    """A program, which the verifier runs."""
    PYTEST = "pytest"
    """JSON, checked by tests of pytest."""


_COPIES = {
    TemplateFormat.CODE: (KIT, UNTRUSTED),
    TemplateFormat.PYTEST: (),
}
"""What is copied beside the verifier; the kit alone if nothing is said."""


def start_task(folder: Path, form: TemplateFormat) -> list[Path]:
    """Write the template of a format into a new folder; the paths written. UsageError if it is not new."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("this exists already", file=folder, remedy="Name a folder that is new or empty.")
    if not folder.name.strip(". "):
        raise UsageError("a task needs a name", found=str(folder), allowed="the path of a new folder")
    title = folder.name.replace("-", " ").replace("_", " ").capitalize()
    source = _TEMPLATES / form.value
    written = []
    for path in sorted(source.rglob(f"*{_SUFFIX}")):
        target = folder / str(path.relative_to(source)).removesuffix(_SUFFIX)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text(encoding="utf-8").replace("@TITLE@", title), encoding="utf-8")
        if target.suffix == ".sh":
            target.chmod(0o755)
        written.append(target)
    copies = _COPIES.get(form, (KIT,))
    for name in copies:
        write_kit(folder, name)
    return [*written, *(folder / "tests" / name for name in copies)]
