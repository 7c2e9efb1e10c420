"""Where a command's result goes, and as what: `--json`, `--format` and `-o FILE`, the same for every command.

`prints(...)` gives a command these options; its parameter `out` receives an `Out`, checked before any work is
done. The ending of FILE decides the format, and an ending that says nothing is refused. A file appears whole
or not at all; of a link, the file that it leads to. A reader who closes the pipe early, as `head` does, is no
error: the rest is not written, and the command ends with the exit code it has anyway. JSON is written in
characters that print.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge._escape import escape_json
from adjudge.cli.shared import typed
from adjudge.cli.shared.streams import while_read
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from adjudge.reports import Terminal

Shown = TypeVar("Shown", bound="BaseModel")


class Format(StrEnum):
    """How a result is written."""

    TERMINAL = "terminal"
    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


_ENDINGS = {
    Format.TERMINAL: (".txt",),
    Format.MARKDOWN: (".md", ".markdown"),
    Format.HTML: (".html", ".htm"),
    Format.JSON: (".json",),
    Format.JSONL: (".jsonl", ".ndjson"),
    Format.CSV: (".csv",),
}
_FOR_PROGRAMS = (Format.JSON, Format.JSONL)


@dataclass(frozen=True)  # not a Struct: help screens do without msgspec
class Out:
    """A format, and the file to write; stdout without one."""

    format: Format
    path: Path | None = None

    @property
    def for_programs(self) -> bool:
        """Is it JSON, of which nothing else may be printed?"""
        return self.format in _FOR_PROGRAMS

    @property
    def terminal(self) -> Terminal:
        """The terminal to render for; a file has no width that a table would be cut for."""
        from adjudge.reports import UNBOUNDED, Terminal, terminal_of

        return terminal_of() if self.path is None else Terminal(UNBOUNDED)

    def write(self, text: str) -> None:
        """Write the whole result."""
        self.write_lines([text])

    def render(
        self,
        found: Shown,
        terminal: Callable[[Shown, Terminal], str],
        markdown: Callable[[Shown], str],
        html: Callable[[Shown], str] | None = None,
    ) -> str:
        """A result in the format that was asked for; for programs as its model says."""
        if self.for_programs:
            return found.model_dump_json(indent=2) + "\n"
        if self.format is Format.MARKDOWN:
            return markdown(found)
        if self.format is Format.HTML and html is not None:
            return html(found)
        return terminal(found, self.terminal)

    def write_json(self, value: object) -> None:
        """Write a JSON value as the whole result."""
        self.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def write_lines(self, texts: Iterable[str]) -> None:
        """Write the whole result piece by piece, as the pieces come."""
        if self.for_programs:
            texts = map(escape_json, texts)
        if self.path is None:
            with while_read():
                sys.stdout.writelines(texts)
            return
        from adjudge.reports import whole_file

        with whole_file(self.path) as scratch, scratch.open("w", encoding="utf-8", newline="") as stream:
            for text in texts:
                stream.write(text)
        self.say(f"wrote {self.path} ({self.path.stat().st_size:,} bytes)")

    def say(self, text: str) -> None:
        """A remark beside the result, on stderr."""
        from adjudge.errors import printable

        print(printable(text, keep_newlines=True), file=sys.stderr)


def prints(*formats: Format) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command `--json` and `-o FILE`, and `--format` if it writes more than these two formats.

    The first format is the default; one of them is JSON or JSONL, which `--json` asks for.
    """
    program = next(form for form in formats if form in _FOR_PROGRAMS)
    endings = ", ".join(_ENDINGS[form][0] for form in formats)
    what = "one JSON document per line" if program is Format.JSONL else "JSON"
    options = {
        "as_json": typed.Added(bool, typed.Option("--json", help=f"Print {what} and nothing else."), False),
        "to_file": typed.Added(
            Path,
            typed.Option(
                "--output", "-o", metavar="FILE", help=f"Write to this file; its ending decides: {endings}."
            ),
            None,
        ),
    }
    if len(formats) > 2:
        words = ", ".join(formats)
        options["form"] = typed.Added(
            str,
            typed.Option("--format", metavar="WORD", help=f"{words}. [default: by FILE, else {formats[0]}]"),
            None,
        )

    def out(values: dict[str, Any]) -> Out:
        return choose_output(
            formats,
            program=program if values["as_json"] else None,
            path=values["to_file"],
            word=values.get("form"),
        )

    return lambda command: typed.add_options(command, lambda: options, "out", out)


def choose_output(
    formats: tuple[Format, ...], *, program: Format | None, path: Path | None, word: str | None
) -> Out:
    """What these options ask for. UsageError if they contradict each other or nothing can be written."""
    if word is not None and word not in formats:
        raise UsageError("no such format", field="--format", found=word, allowed=", ".join(formats))
    named = program or (None if word is None else Format(word))
    if program is not None and word is not None and program != word:
        raise UsageError("--json and --format ask for two formats", found=word)
    if path is None or str(path) == "-":
        return Out(named or formats[0])
    ending = path.suffix.lower()
    found = next((form for form in formats if ending in _ENDINGS[form]), None)
    if found is None:
        raise UsageError(
            "the ending of this name is none that is known here",
            field="--output",
            found=path.name,
            allowed=", ".join(known for form in formats for known in _ENDINGS[form]),
        )
    if named is not None and named is not found:
        raise UsageError(
            f"the ending of this name asks for {found}, another option for {named}",
            field="--output",
            found=path.name,
        )
    if not path.parent.is_dir():
        raise UsageError("this folder does not exist", field="--output", found=str(path.parent))
    return Out(found, path)
