"""What in a shell script holds something of the agent's answer, and how much freedom it leaves.

A value is followed from the output's file through pipes, variables, copies and functions until nothing new is
found. Of what no rule is known for, it is assumed that it holds nothing of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from adjudge.audit.reading.shell.filters import OutputLevel, filtered
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step, parse
from adjudge.audit.reading.shell.words import Kind, NotShellError, Piece, pieces

_AGENTS = re.compile(r"work|out|agent|result|answer|submi|app|dir$|ws", re.I)
_NOT_AGENTS = re.compile(r"test|here|ref|gold|expect|want|script|truth|self", re.I)
_RUNNERS = ("python", "python3", "bash", "sh", "node", "perl", "ruby", "php", "lua", "Rscript")
PROGRAMS = (
    *(".py", ".sh", ".js", ".mjs", ".pl", ".rb", ".awk", ".sql", ".c", ".cpp", ".go", ".rs", ".jq", ".lua"),
)
"""An answer of this kind has to be run."""
Given = dict[str, tuple[OutputLevel, bool]]
"""Of each positional parameter: how free its text is, and whether it is a file of the answer."""


class Held:
    """The answer's way through one script."""

    def __init__(self, path: PurePosixPath) -> None:
        self.path = path
        self.files = {str(path)}
        self.levels: dict[str, OutputLevel] = {}
        self.values: dict[str, list[str]] = {}
        self.loops: dict[str, list[str]] = {}
        self.functions: dict[str, ShellBlock] = {}
        self.given: dict[str, Given] = {}
        self.checked: set[str] = set()
        self.file_checked = False
        self.at_work = False
        self._parsed: dict[str, list[Step]] = {}
        self._known: dict[tuple[int, str, OutputLevel], OutputLevel] = {}

    def state(self) -> str:
        """All that was learned so far; what was worked out from less is forgotten."""
        self._known.clear()
        return repr((self.levels, sorted(self.files), self.given, sorted(self.functions), self.checked))

    def forget(self) -> None:
        """Begin again, with what is known of checks and functions."""
        self.levels, self.given, self.files = {}, {}, {str(self.path)}

    def holds(self, name: str, level: OutputLevel) -> None:
        """A variable was given something of the answer."""
        if name and level > self.levels.get(name, OutputLevel.NONE):
            self.levels[name] = level

    # what a word holds

    def expand(self, word: str, deep: int = 0) -> str:
        """A word as it will be, as far as that is known; what is not stays as `${name}`."""
        made = ""
        for piece in pieces(word):
            values = self.values.get(piece.name, [])
            _, default, rest = piece.text.partition(":-")
            if piece.kind is Kind.TEXT:
                made += piece.text
            elif piece.kind is Kind.VARIABLE and len(values) == 1 and deep < 4 and _is_known(values[0]):
                made += self.expand(values[0], deep + 1)
            elif piece.kind is Kind.VARIABLE and default and not values:
                made += self.expand(rest, deep + 1) if deep < 4 else rest
            else:
                made += f"${{{piece.name}}}"
        return made

    def is_file(self, word: str, scope: str = "") -> bool:
        """Does this word name the output, or a copy of it?"""
        held = list(pieces(word))
        if (
            len(held) == 1
            and held[0].kind is Kind.VARIABLE
            and self.given.get(scope, {}).get(held[0].name, (0, False))[1]
        ):
            return True
        if any(
            p.kind is Kind.COMMAND and self._of_text(p.text, scope, OutputLevel.NONE) > 0 for p in held
        ) and word.startswith("<("):
            return True
        name = self.expand(word)
        if name in self.files or (self.path.suffix == "" and name.startswith(f"{self.path}/")):
            return True
        head, _, tail = name.rpartition("/")
        if tail != self.path.name:
            return False
        bare = re.fullmatch(r"\$\{(\w+)\}", head)
        return (head in ("", ".") and "/" not in name[1:].replace("./", "")) or bool(
            bare and _AGENTS.search(bare[1]) and not _NOT_AGENTS.search(bare[1])
        )

    def level(self, word: str, scope: str = "") -> OutputLevel:
        """How free the text of the answer in this word is; NONE if it holds nothing of it."""
        return max((self.of_piece(piece, scope) for piece in pieces(word)), default=OutputLevel.NONE)

    def of_piece(self, piece: Piece, scope: str) -> OutputLevel:
        """The same of one piece of a word."""
        if piece.kind is Kind.COMMAND:
            return self._of_text(piece.text, scope, OutputLevel.NONE)
        if piece.kind is Kind.SUM:
            names = self.names_in(piece.text, scope)
            return min(
                OutputLevel.NUMBER,
                max((self.of_name(n.lstrip("$"), scope) for n in names), default=OutputLevel.NONE),
            )
        if piece.kind is Kind.TEXT:
            return OutputLevel.NONE
        if piece.text.startswith("#") and len(piece.text) > 1:
            return min(OutputLevel.COUNT, self.of_name(piece.name, scope))
        level = self.of_name(piece.name, scope)
        emptied = re.fullmatch(r"\w+//\[\^([^\]]*)\]", piece.text.rstrip("/"))
        return (
            min(level, OutputLevel.NUMBER)
            if emptied and not re.search("[a-z]", emptied[1].replace("e", ""))
            else level
        )

    def of_name(self, name: str, scope: str) -> OutputLevel:
        """How free a variable's text is."""
        if name.isdigit() or name in ("@", "*"):
            given = self.given.get(scope, {})
            if name.isdigit():
                return given.get(name, (OutputLevel.NONE, False))[0]
            return max((level for level, _ in given.values()), default=OutputLevel.NONE)
        level = self.levels.get(name, OutputLevel.NONE)
        return min(level, OutputLevel.NUMBER) if name in self.checked else level

    def names_in(self, text: str, scope: str, least: OutputLevel = OutputLevel.COUNT) -> list[str]:
        """The variables of at least this freedom that a sum names, with and without a dollar."""
        names = re.findall(r"[A-Za-z_]\w*|\$[0-9]", re.sub(r"\$\(.*?\)", "", text))
        return [n for n in names if self.of_name(n.lstrip("$"), scope) >= least]

    # what a command gives

    def incoming(self, command: ShellCommand, scope: str, piped: OutputLevel) -> OutputLevel:
        """What a command reads: its standard input, and what its words name."""
        found = piped
        for operator, target in command.redirects:
            kind = operator.lstrip("0123456789")
            if kind == "<":
                found = OutputLevel.TEXT if self.is_file(target, scope) else OutputLevel.NONE
            elif kind in ("<<<", "<<"):
                found = self.level(target if kind == "<<<" else f'"{_no_quotes(target)}"', scope)
        for word in command.words[1:]:
            found = max(found, self.level(word, scope))
            if self.is_file(word, scope):
                found = max(found, self.of_file())
        return found

    def of_file(self) -> OutputLevel:
        """How free the output's text is: a number, if the whole of it was looked at."""
        return OutputLevel.NUMBER if self.file_checked else OutputLevel.TEXT

    def gives(self, command: ShellCommand, scope: str, piped: OutputLevel) -> OutputLevel:
        """What of the answer a command writes; a function that calls itself adds nothing."""
        key = (id(command), scope, piped)
        if key not in self._known:
            self._known[key] = OutputLevel.NONE
            self._known[key] = self._gives(command, scope, piped)
        return self._known[key]

    def _gives(self, command: ShellCommand, scope: str, piped: OutputLevel) -> OutputLevel:
        if self.runs_answer(command, scope):
            return OutputLevel.TEXT
        if not command.words or command.name in ("[[", "((", "[", "test", "read", "mapfile", "readarray"):
            return OutputLevel.NONE
        held = self.incoming(command, scope, piped)
        if command.name in self.functions:
            function = self.functions[command.name]
            inside = command.name if held or any(self.is_file(w, scope) for w in command.words) else "-"
            return self._of_steps(function.bodies[0], inside, held)
        return (
            min(held, filtered([self.expand(word) for word in command.words], held))
            if held
            else OutputLevel.NONE
        )

    def runs_answer(self, command: ShellCommand, scope: str) -> bool:
        """Is the output a program that is started here?"""
        named = command.words[:1] if command.name not in _RUNNERS else command.words[1:]
        return self.path.suffix in PROGRAMS and any(self.is_file(word, scope) for word in named)

    def of_step(self, step: Step, scope: str, piped: OutputLevel = OutputLevel.NONE) -> OutputLevel:
        """What of the answer a pipeline writes."""
        for stage in step.stages:
            if isinstance(stage, ShellCommand):
                piped = self.gives(stage, scope, piped)
                if any(o.lstrip("1") in (">", ">>", "&>") for o, _ in stage.redirects):
                    piped = OutputLevel.NONE
            else:
                inner = [s for part in (*stage.conditions, *stage.bodies) for s in part]
                function = stage.kind == "function"
                piped = (
                    OutputLevel.NONE
                    if function
                    else self._of_steps(inner, scope, self.into(stage, scope, piped))
                )
        return piped

    def _of_steps(self, steps: Sequence[Step], scope: str, piped: OutputLevel) -> OutputLevel:
        return max((self.of_step(step, scope, piped) for step in steps), default=OutputLevel.NONE)

    def _of_text(self, script: str, scope: str, piped: OutputLevel) -> OutputLevel:
        text = script.strip()
        if text.startswith("<"):
            return self.of_file() if self.is_file(text[1:].strip(), scope) else OutputLevel.NONE
        return self._of_steps(self.parsed(script), scope, piped)

    def parsed(self, script: str, line: int = 1) -> list[Step]:
        """The steps inside of `$(...)`, the same ones each time."""
        if script not in self._parsed:
            try:
                self._parsed[script] = parse(script, line)
            except NotShellError:
                self._parsed[script] = []
        return self._parsed[script]

    def into(self, block: ShellBlock, scope: str, held: OutputLevel) -> OutputLevel:
        """What a block reads from its standard input."""
        for operator, target in block.redirects:
            if operator == "<":
                return self.of_file() if self.is_file(target, scope) else OutputLevel.NONE
            if operator == "<<<":
                return self.level(target, scope)
        return held


def _is_known(value: str) -> bool:
    """Is it more than what a command will say?"""
    return not any(piece.kind in (Kind.COMMAND, Kind.SUM) for piece in pieces(value))


def _no_quotes(text: str) -> str:
    return text.replace('"', "'")
