"""What in a shell script holds something of the agent's answer, and how much freedom it leaves.

A value is followed from the output's file through pipes, variables, copies and functions until nothing new is
found. Of what no rule is known for, it is assumed that it holds nothing of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import PurePosixPath
from typing import NamedTuple

from adjudge.audit.reading.shell.filters import Level, filtered
from adjudge.audit.reading.shell.syntax import Block, Command, Step, parse
from adjudge.audit.reading.shell.words import Kind, NotShell, Piece, pieces

_ROUNDS = 5
_AGENTS = re.compile(r"work|out|agent|result|answer|submi|app|dir$|ws", re.I)
_NOT_AGENTS = re.compile(r"test|here|ref|gold|expect|want|script|truth|self", re.I)
_REFUSES_LETTERS = re.compile(r"\[[!^](?:-?0-9|\[:digit:\])|\+\(\[0-9")
_DIGITS = re.compile(r"\[(?:0-9|:digit:)|\\d")
_ALLOWS = re.compile(r"\.\*|\.\+|\[\^")
_OPERATORS = ("=", "==", "!=", "=~", "<", ">")
_NAMELESS = re.compile(r"\$\{\d?\}")
_SAYS = ("echo", "printf", "cat")
_RUNNERS = ("python", "python3", "bash", "sh", "node", "perl", "ruby", "php", "lua", "Rscript")
PROGRAMS = (".py", ".sh", ".js", ".mjs", ".pl", ".rb", ".awk", ".sql", ".c", ".cpp", ".go", ".rs", ".jq", ".lua")
_COPIES = ("cp", "mv", "install", "ln")
Given = dict[str, tuple[Level, bool]]
"""Of each positional parameter: how free its text is, and whether it is a file of the answer."""


class Place(NamedTuple):
    """Where a step stands: in which part of which block, and after which other steps."""

    block: Block | None
    role: str
    """condition, body, top, or inside (of `$(...)`)."""
    part: int
    steps: Sequence[Step]
    index: int


class Use(NamedTuple):
    """A command where it stands, with what is piped into it."""

    command: Command
    scope: str
    """The function that it is in."""
    piped: Level
    stage: int
    around: tuple[Place, ...]
    """The nearest last."""

    @property
    def step(self) -> Step:
        """The pipeline that it is part of."""
        place = self.around[-1]
        return place.steps[place.index]


class Held:
    """The answer's way through one script."""

    def __init__(self, steps: Sequence[Step], path: PurePosixPath) -> None:
        self.path = path
        self.steps = steps
        self.files = {str(path)}
        self.levels: dict[str, Level] = {}
        self.values: dict[str, list[str]] = {}
        self.loops: dict[str, list[str]] = {}
        self.functions: dict[str, Block] = {}
        self.given: dict[str, Given] = {}
        self.checked: set[str] = set()
        self.file_checked = False
        self.at_work = False
        self._parsed: dict[str, list[Step]] = {}
        self.uses: list[Use] = []
        self._follow()
        for use in self.uses:
            self._learn_checks(use.command, use.scope, use.piped)
        self.levels, self.given, self.files = {}, {}, {str(path)}
        self._follow()

    def _follow(self) -> None:
        """Until nothing new is found."""
        for _ in range(_ROUNDS):
            before = repr((self.levels, self.files, self.given, self.functions.keys()))
            top = Place(None, "top", 0, self.steps, 0)
            self.uses = list(self._uses(self.steps, "", Level.NONE, (), top))
            for use in self.uses:
                self._learn(use.command, use.scope, use.piped)
            if repr((self.levels, self.files, self.given, self.functions.keys())) == before:
                break

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
        if len(held) == 1 and held[0].kind is Kind.VARIABLE and self.given.get(scope, {}).get(held[0].name, (0, False))[1]:
            return True
        if any(p.kind is Kind.COMMAND and self._of_text(p.text, scope, Level.NONE) > 0 for p in held) and word.startswith("<("):
            return True
        name = self.expand(word)
        if name in self.files or (self.path.suffix == "" and name.startswith(f"{self.path}/")):
            return True
        head, _, tail = name.rpartition("/")
        if tail != self.path.name:
            return False
        bare = re.fullmatch(r"\$\{(\w+)\}", head)
        return head in ("", ".") and "/" not in name[1:].replace("./", "") or bool(
            bare and _AGENTS.search(bare[1]) and not _NOT_AGENTS.search(bare[1])
        )

    def level(self, word: str, scope: str = "") -> Level:
        """How free the text of the answer in this word is; NONE if it holds nothing of it."""
        return max((self.of_piece(piece, scope) for piece in pieces(word)), default=Level.NONE)

    def of_piece(self, piece: Piece, scope: str) -> Level:
        """The same of one piece of a word."""
        if piece.kind is Kind.COMMAND:
            return self._of_text(piece.text, scope, Level.NONE)
        if piece.kind is Kind.SUM:
            names = self.names_in(piece.text, scope)
            return min(Level.NUMBER, max((self.of_name(n.lstrip("$"), scope) for n in names), default=Level.NONE))
        if piece.kind is Kind.TEXT:
            return Level.NONE
        if piece.text.startswith("#") and len(piece.text) > 1:
            return min(Level.COUNT, self.of_name(piece.name, scope))
        level = self.of_name(piece.name, scope)
        emptied = re.fullmatch(r"\w+//\[\^([^\]]*)\]", piece.text.rstrip("/"))
        return min(level, Level.NUMBER) if emptied and not re.search("[a-z]", emptied[1].replace("e", "")) else level

    def of_name(self, name: str, scope: str) -> Level:
        """How free a variable's text is."""
        if name.isdigit() or name in ("@", "*"):
            given = self.given.get(scope, {})
            if name.isdigit():
                return given.get(name, (Level.NONE, False))[0]
            return max((level for level, _ in given.values()), default=Level.NONE)
        level = self.levels.get(name, Level.NONE)
        return min(level, Level.NUMBER) if name in self.checked else level

    def names_in(self, text: str, scope: str, least: Level = Level.COUNT) -> list[str]:
        """The variables of at least this freedom that a sum names, with and without a dollar."""
        names = re.findall(r"[A-Za-z_]\w*|\$[0-9]", re.sub(r"\$\(.*?\)", "", text))
        return [n for n in names if self.of_name(n.lstrip("$"), scope) >= least]

    # what a command gives

    def incoming(self, command: Command, scope: str, piped: Level) -> Level:
        """What a command reads: its standard input, and what its words name."""
        found = piped
        for operator, target in command.redirects:
            kind = operator.lstrip("0123456789")
            if kind == "<":
                found = Level.TEXT if self.is_file(target, scope) else Level.NONE
            elif kind in ("<<<", "<<"):
                found = self.level(target if kind == "<<<" else f'"{_no_quotes(target)}"', scope)
        for word in command.words[1:]:
            found = max(found, self.level(word, scope))
            if self.is_file(word, scope):
                found = max(found, self.of_file())
        return found

    def of_file(self) -> Level:
        """How free the output's text is: a number, if the whole of it was looked at."""
        return Level.NUMBER if self.file_checked else Level.TEXT

    def gives(self, command: Command, scope: str, piped: Level) -> Level:
        """What of the answer a command writes to its standard output."""
        if self.runs_answer(command, scope):
            return Level.TEXT
        if not command.words or command.name in ("[[", "((", "[", "test", "read", "mapfile", "readarray"):
            return Level.NONE
        held = self.incoming(command, scope, piped)
        if command.name in self.functions:
            function = self.functions[command.name]
            inside = command.name if held or any(self.is_file(w, scope) for w in command.words) else "-"
            return self._of_steps(function.bodies[0], inside, held)
        return min(held, filtered([self.expand(word) for word in command.words], held)) if held else Level.NONE

    def runs_answer(self, command: Command, scope: str) -> bool:
        """Is the output a program that is started here?"""
        named = command.words[:1] if command.name not in _RUNNERS else command.words[1:]
        return self.path.suffix in PROGRAMS and any(self.is_file(word, scope) for word in named)

    def of_step(self, step: Step, scope: str, piped: Level = Level.NONE) -> Level:
        """What of the answer a pipeline writes."""
        for stage in step.stages:
            if isinstance(stage, Command):
                piped = self.gives(stage, scope, piped)
                if any(o.lstrip("1") in (">", ">>", "&>") for o, _ in stage.redirects):
                    piped = Level.NONE
            else:
                inner = [s for part in (*stage.conditions, *stage.bodies) for s in part]
                function = stage.kind == "function"
                piped = Level.NONE if function else self._of_steps(inner, scope, self._into(stage, scope, piped))
        return piped

    def _of_steps(self, steps: Sequence[Step], scope: str, piped: Level) -> Level:
        return max((self.of_step(step, scope, piped) for step in steps), default=Level.NONE)

    def _of_text(self, script: str, scope: str, piped: Level) -> Level:
        text = script.strip()
        if text.startswith("<"):
            return self.of_file() if self.is_file(text[1:].strip(), scope) else Level.NONE
        return self._of_steps(self.parsed(script), scope, piped)

    def parsed(self, script: str, line: int = 1) -> list[Step]:
        """The steps inside of `$(...)`, the same ones each time."""
        if script not in self._parsed:
            try:
                self._parsed[script] = parse(script, line)
            except NotShell:
                self._parsed[script] = []
        return self._parsed[script]

    # every command, wherever it stands

    def _uses(
        self, steps: Sequence[Step], scope: str, piped: Level, around: tuple[Place, ...], place: Place
    ) -> Iterator[Use]:
        """Each command with the function it stands in and what is piped into it."""
        for index, step in enumerate(steps):
            held, here = piped, (*around, place._replace(steps=steps, index=index))
            for number, stage in enumerate(step.stages):
                if isinstance(stage, Command):
                    use = Use(stage, scope, held, number, here)
                    yield use
                    for word in _words_of(stage):
                        yield from self._inside(word, stage.line, scope, here)
                    held = self.gives(stage, scope, held)
                else:
                    yield from self._block_uses(stage, scope, held, here)
                    held = self.of_step(Step(";", False, [stage], step.line), scope, held)

    def _block_uses(self, block: Block, scope: str, held: Level, around: tuple[Place, ...]) -> Iterator[Use]:
        if block.kind == "function":
            self.functions[block.heads[0]] = block
            scope = block.heads[0]
        if block.kind == "for":
            self._loop(block, scope)
        if block.kind == "case" and any(_REFUSES_LETTERS.search(p) for part in block.patterns for p in part):
            self.checked |= set(self._names(block.heads[0]))
        held = self._into(block, scope, held)
        for role, parts in (("condition", block.conditions), ("body", block.bodies)):
            for number, part in enumerate(parts):
                yield from self._uses(part, scope, held, around, Place(block, role, number, part, 0))
        heads = block.heads if block.kind in ("for", "case") else ()
        for word in (*heads, *(target for operator, target in block.redirects if "<<" not in operator)):
            yield from self._inside(word, block.line, scope, around)

    def _into(self, block: Block, scope: str, held: Level) -> Level:
        """What a block reads from its standard input."""
        for operator, target in block.redirects:
            if operator == "<":
                return self.of_file() if self.is_file(target, scope) else Level.NONE
            if operator == "<<<":
                return self.level(target, scope)
        return held

    def _inside(self, word: str, line: int, scope: str, around: tuple[Place, ...]) -> Iterator[Use]:
        for piece in pieces(word):
            if piece.kind is Kind.COMMAND:
                steps = self.parsed(piece.text, line)
                yield from self._uses(steps, scope, Level.NONE, around, Place(None, "inside", 0, steps, 0))

    # learning

    def _loop(self, block: Block, scope: str) -> None:
        words = block.heads[2:]
        self.loops[block.heads[0]] = words
        held = max((self.level(word, scope) for word in words), default=Level.NONE)
        if held:
            self._holds(block.heads[0], min(held, Level.WORD))

    def _holds(self, name: str, level: Level) -> None:
        if name and level > self.levels.get(name, Level.NONE):
            self.levels[name] = level

    def _learn(self, command: Command, scope: str, piped: Level) -> None:
        for name, value in command.assigned:
            inner = value[1:-1] if value.startswith("(") and value.endswith(")") else value
            held = max((self.level(word, scope) for word in inner.split() or [""]), default=Level.NONE) if inner != value else self.level(value, scope)
            self._holds(name, held)
            if inner == value and value not in self.values.setdefault(name, []):
                self.values[name].append(value)
        words, name = command.words, command.name
        if name in ("read", "mapfile", "readarray"):
            self._learn_read(command, scope, piped)
        elif name in self.functions:
            given = self.given.setdefault(name, {})
            for number, word in enumerate(words[1:], 1):
                level, file = given.get(str(number), (Level.NONE, False))
                given[str(number)] = (max(level, self.level(word, scope)), file or self.is_file(word, scope))
        elif name == "cd" and len(words) == 2:
            self.at_work = self.at_work or self.expand(words[1]) == str(self.path.parent)
        held = self.gives(command, scope, piped)
        targets = [t for o, t in command.redirects if o.lstrip("1") in (">", ">>", ">|", "&>")]
        targets += [w for w in words[1:] if name == "tee" and not w.startswith("-")]
        if name in _COPIES and any(self.is_file(w, scope) for w in words[1:-1]):
            held, targets = Level.TEXT, words[-1:]
        for target in targets:
            known = self.expand(target)
            if held >= Level.WORD and not known.startswith(("/dev/", "/logs/")) and not _NAMELESS.search(known):
                self.files.add(known)

    def _learn_read(self, command: Command, scope: str, piped: Level) -> None:
        held = self.incoming(command, scope, piped)
        if not held:
            return
        words = [w for w in command.words[1:] if re.fullmatch(r"[A-Za-z_]\w*", w)]
        parts = len(words) > 1 and not any(name == "IFS" for name, _ in command.assigned)
        for number, name in enumerate(words or ["REPLY" if command.name == "read" else "MAPFILE"]):
            self._holds(name, min(held, Level.WORD) if parts and number < len(words) - 1 else held)

    def _learn_checks(self, command: Command, scope: str, piped: Level) -> None:
        """A value that was held against a pattern of digits is a number from there on."""
        words, name = command.words, command.name
        if name == "[[":
            for left, operator, right in triples(words):
                numeric = operator == "=~" and _is_numeric(self.expand(right))
                if numeric or (operator in ("=", "==", "!=") and _REFUSES_LETTERS.search(right)):
                    self.checked |= set(self._names(left))
        elif name in ("grep", "egrep"):
            patterns = [self.expand(word) for word in words[1:] if not word.startswith("-")][:1]
            whole = any(re.match(r"-\w*x", word) for word in words[1:])
            if not any(_is_numeric(f"^{p}$" if whole else p) for p in patterns):
                return
            if any(self.is_file(word, scope) for word in words[1:]) or (piped and not self._piped_names(command)):
                self.file_checked = True
            self.checked |= set(self._piped_names(command))

    def _piped_names(self, command: Command) -> list[str]:
        """The variables that were said into a command: `echo "$got" | grep`, `grep <<< "$got"`."""
        found = [name for operator, target in command.redirects if operator == "<<<" for name in self._names(target)]
        for use in self.uses:
            if command in use.step.stages and use.command.name in _SAYS:
                found += [name for word in use.command.words[1:] for name in self._names(word)]
        return found

    def _names(self, word: str) -> list[str]:
        return [p.name for p in pieces(word) if p.kind is Kind.VARIABLE]


def triples(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(left, operator, right) of each comparison in `[ ... ]` and `[[ ... ]]`."""
    for at in range(1, len(words) - 1):
        if words[at] in _OPERATORS or re.fullmatch(r"-(?:eq|ne|lt|le|gt|ge)", words[at]):
            yield words[at - 1], words[at], words[at + 1]


def _is_numeric(pattern: str) -> bool:
    return pattern.startswith("^") and pattern.endswith("$") and bool(_DIGITS.search(pattern)) and not _ALLOWS.search(pattern)


def _is_known(value: str) -> bool:
    """Is it more than what a command will say?"""
    return not any(piece.kind in (Kind.COMMAND, Kind.SUM) for piece in pieces(value))


def _no_quotes(text: str) -> str:
    return text.replace('"', "'")


def _words_of(command: Command) -> list[str]:
    """Every word in which there may be a command: also what is assigned and where to it goes."""
    targets = [target for operator, target in command.redirects if operator.lstrip("0123456789") not in ("<<", "<<'")]
    values = [value for _, value in command.assigned] if not command.words else []
    return [*command.words, *values, *targets]
