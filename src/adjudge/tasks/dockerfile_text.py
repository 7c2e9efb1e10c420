"""The one reader of Dockerfiles: their instructions, with line numbers, variables filled in.

What an instruction means for a task is for others to say: `dockerfile` for what a verifier would find in the
image, Harbor's environment for what can be set up without it. Lines that go on are joined, comments dropped,
here-documents kept beside their instruction. Values of `ARG` and `ENV` are filled in as they were set before,
those of `ENV` in their own stage only; a variable that nobody set stays as it is written. Never raises.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from adjudge._lazy import late_pattern

_MOST_LINES = 5000
_INSTRUCTION = late_pattern(r"\s*(?P<name>[A-Za-z]+)\s+(?P<rest>.*)", re.DOTALL)
_CONTINUED = late_pattern(r"\\[ \t]*$")
_VARIABLE = late_pattern(r"\$(?:\{(?P<braced>\w+)(?::-(?P<default>[^}]*))?\}|(?P<plain>\w+))")
_PLAIN = late_pattern(r"[^'\"\\]*")
_COMMAND_ENDS = frozenset({"&&", ";", "||", "|", "&", "(", ")"})
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
_ESCAPE = late_pattern(r"\\(.?)", re.DOTALL)
_LONGEST_COMMAND = 65_536
HEREDOC = late_pattern(r"<<-?[\"']?(?P<mark>\w+)[\"']?")
CAT = late_pattern(
    r"(?:^|&&|;)\s*cat\s+(?:(?P<more>>>?)\s*(?P<path>[^\s<>|&;]+)\s*<<(?P<tabs>-?)(?P<quote>[\"']?)\w+[\"']?"
    r"|<<(?P<tabs2>-?)(?P<quote2>[\"']?)\w+[\"']?\s*(?P<more2>>>?)\s*(?P<path2>[^\s<>|&;]+))\s*$"
)
_WORKED_OUT = late_pattern(r"[$`\\]")


class Instruction(NamedTuple):
    """One instruction of a Dockerfile."""

    line: int
    """Where it begins, from 1."""
    name: str
    """In capitals."""
    written: str
    """Its arguments as they are written; the shell of a `RUN` fills in its own variables."""
    value: str
    """The same with the values of variables."""
    documents: tuple[str, ...] = ()
    """The texts of its here-documents, in their order."""


def read_instructions(text: str) -> Iterator[Instruction]:
    """The instructions of a Dockerfile in their order; none for text that has none."""
    arguments: dict[str, str] = {}
    variables: dict[str, str] = {}
    for line, name, written, documents in _joined(text):
        value = _filled_in(written, {**arguments, **variables})
        if name == "FROM":
            variables = {}
        elif name == "ARG":
            key, _, default = value.strip().partition("=")
            arguments.setdefault(key, default.strip("\"'"))
        elif name == "ENV":
            variables |= {key: known for key, known in instruction_pairs(value) if "$" not in known}
        yield Instruction(line, name, written, value, documents)


def instruction_words(value: str) -> list[str]:
    """The words of `COPY a b` or `COPY ["a", "b"]`; options stay in front."""
    if value.strip().startswith("["):
        try:
            listed = json.loads(value)
        except (ValueError, RecursionError):
            return []
        return [word for word in listed if isinstance(word, str)]
    if _PLAIN.fullmatch(value):  # which is most of them, and a lexer is slow
        return value.split()
    try:
        return shlex.split(value, comments=False)
    except ValueError:
        return value.split()


def instruction_pairs(value: str) -> Iterator[tuple[str, str]]:
    """`ENV A=1 B="x y"`, or the old `ENV A the rest`; what is no pair is passed over."""
    words = instruction_words(value)
    if words and "=" not in words[0]:
        yield words[0], " ".join(words[1:])
        return
    for word in words:
        key, equals, known = word.partition("=")
        if equals and re.fullmatch(r"[A-Za-z_]\w*", key) and "\0" not in known:
            yield key, known


def _joined(text: str) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    lines = iter(enumerate(text.splitlines()[:_MOST_LINES], 1))
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        whole = line
        while _CONTINUED.search(whole):
            _, following = next(lines, (0, ""))
            if following.lstrip().startswith("#"):
                continue
            whole = f"{_CONTINUED.sub('', whole).rstrip()} {following.strip()}"
        documents: list[str] = []
        for mark in HEREDOC.findall(whole):
            held: list[str] = []
            for _, inside in lines:
                if inside.strip() == mark:
                    break
                held.append(inside)
            documents.append("".join(f"{one}\n" for one in held))
        match = _INSTRUCTION.fullmatch(whole)
        if match is not None:
            yield number, match["name"].upper(), match["rest"].strip(), tuple(documents)


def _filled_in(text: str, known: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        default = match["default"] if match["default"] is not None else match[0]
        return known.get(match["braced"] or match["plain"], default)

    return _VARIABLE.sub(value, text)


def document_written(command: str, documents: tuple[str, ...]) -> tuple[str, bytes, bool] | None:
    """The file that `cat > FILE <<'END'` at the end of a command line writes: path, text, and if it is
    appended. None for any other, and for a text that a shell would work out."""
    match = CAT.search(command) if len(documents) == 1 else None
    if match is None:
        return None
    quoted, tabs = match["quote"] or match["quote2"], match["tabs"] or match["tabs2"]
    path, more = match["path"] or match["path2"], match["more"] or match["more2"]
    text = documents[0]
    if (not quoted and _WORKED_OUT.search(text)) or "$" in path:
        return None
    text = re.sub(r"(?m)^\t+", "", text) if tabs else text
    return path.strip("\"'"), text.encode("utf-8", "surrogateescape"), more == ">>"


def texts_written(command: str) -> Iterator[tuple[str, bytes, bool]]:
    """Of each file that a command line writes out: its path as written, the text, and if it is appended.

    `printf 'a,b\\n1,2\\n' > data.csv`: only `printf` and `echo` of plain text count. Text that holds
    variables, formats or anything else that a shell would work out is passed over.
    """
    if len(command) > _LONGEST_COMMAND or not re.search(r"\b(?:printf|echo)\b", command):
        return
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    one: list[str] = []
    try:
        for word in words:
            if word not in _COMMAND_ENDS:
                one.append(word)
                continue
            if word != "|" and (found := _written(one)) is not None:
                yield found
            one = []
    except ValueError:  # a quotation mark that is never closed
        return
    if (found := _written(one)) is not None:
        yield found


def _written(words: list[str]) -> tuple[str, bytes, bool] | None:
    if len(words) < 4 or words[0] not in ("printf", "echo") or words[-2] not in (">", ">>"):
        return None
    said = words[1:-2]
    if any(mark in word for word in (*said, words[-1]) for mark in "$`") or ">" in said:
        return None
    text = _printed(said) if words[0] == "printf" else _echoed(said)
    return None if text is None else (words[-1], text.encode("utf-8", "surrogateescape"), words[-2] == ">>")


def _printed(said: list[str]) -> str | None:
    return _unescaped(said[0]) if len(said) == 1 and "%" not in said[0] else None


def _echoed(said: list[str]) -> str | None:
    options = "".join(word[1:] for word in said[:1] if re.fullmatch(r"-[en]{1,2}", word))
    plain = " ".join(said[1:] if options else said)
    if "\\" in plain and "e" not in options:
        return None  # shells differ
    text = _unescaped(plain) if "e" in options else plain
    return text if text is None or "n" in options else f"{text}\n"


def _unescaped(text: str) -> str | None:
    if any(match[1] not in _ESCAPES for match in _ESCAPE.finditer(text)):
        return None
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], text)
