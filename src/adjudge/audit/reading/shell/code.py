"""Where a shell script runs what the agent wrote: as a command, as a sum, as part of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import first_word
from adjudge.audit.reading.shell.held import PROGRAMS
from adjudge.audit.reading.shell.script import Script, outcome
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import Kind, Piece, pieces

_SUMS = re.compile(r"-(?:eq|ne|lt|le|gt|ge)")
_SHELLS = ("bash", "sh", "dash", "zsh")
_BEHIND = {
    **dict.fromkeys((*_SHELLS, "python", "python3"), ("-c",)),
    **dict.fromkeys(("perl", "ruby"), ("-e", "-ne", "-pe", "-lne", "-le", "-E")),
    "node": ("-e", "-p", "-pe", "--eval"),
    "php": ("-r",),
    "Rscript": ("-e",),
}
"""The options behind which a program stands."""
_FIRST = ("awk", "gawk", "mawk", "jq")
_READERS = (*_SHELLS, "python", "python3", "bc", "dc", "sqlite3", "psql", "node", "perl", "ruby", "mysql")
_KEPT_APART = re.compile(r"activate$|/\.?venv/|/\.cargo/|/\.local/|node_modules|\.profile$|bashrc$")
_ADVICE = "Compare it as text with [ = ], or look first that it is a number: [[ $x =~ ^-?[0-9]+$ ]]."


def read_code(script: Script) -> Iterator[Remark]:
    """Every rule about what is run, in turn."""
    for rule in (_evaluated, _sourced, _sums, _declared, _pasted, _split, _own_sums):
        yield from rule(script)


def _evaluated(script: Script) -> Iterator[Remark]:
    """`eval "x=$(cat OUT)"`."""
    for use in script.named("eval"):
        if any(script.level(word, use) > OutputLevel.NUMBER for word in use.command.words[1:]):
            yield script.remark(
                use, Cause.CODE, "what the agent wrote is run as a command", "Never hand it to eval."
            )


def _sourced(script: Script) -> Iterator[Remark]:
    """`. /workspace/.env`, `bash OUT`; a program that the task asks for has to be started."""
    if script.suffix in PROGRAMS:
        return
    folder = str(script.held.path.parent)
    for use in script.named(".", "source", *_SHELLS, "python", "python3"):
        words = [word for word in use.command.words[1:] if not word.startswith("-")]
        if not words or (len(use.command.words) > 1 and use.command.words[1] in ("-c", "-m")):
            continue
        known = script.held.expand(words[0])
        below = known.startswith(f"{folder}/") and folder not in ("/", "/tests", ".")
        beside = script.held.at_work and not known.startswith(("/", "$"))
        named = use.command.name in (".", "source") or script.is_file(words[0], use)
        theirs = script.is_file(words[0], use) or (
            named and (below or beside) and not _KEPT_APART.search(known)
        )
        if theirs and (script.is_file(words[0], use) or known.rpartition("/")[2] not in script.instruction):
            yield script.remark(
                use,
                Cause.CODE,
                "a file that the agent can write is run by the verifier's own shell",
                "Read its values as text (grep, cut), and keep scripts of the verifier in tests/.",
            )


def _is_bash(script: Script) -> bool:
    """dash does not run what stands in a sum."""
    return not re.match(r"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:da)?sh\b", script.text)


def _sums(script: Script) -> Iterator[Remark]:
    """`[[ $got -eq 5 ]]` and `$(( got ))`: bash works out names and `a[$(command)]` there."""
    if not _is_bash(script):
        return
    title = "bash works out the answer as a sum, in which names and $(commands) are run"
    for use, left, operator, right in script.comparisons():
        worked_out = use.command.name == "[[" and _SUMS.fullmatch(operator)
        if worked_out and max(script.level(left, use), script.level(right, use)) > OutputLevel.NUMBER:
            yield script.remark(use, Cause.CODE, title, _ADVICE)
    for use in script.uses:
        sums = [use.command.words[1]] if use.command.name == "((" else []
        words = (*use.command.words, *(value for _, value in use.command.assigned))
        sums += [p.text for word in words for p in pieces(word) if p.kind is Kind.SUM]
        sums += use.command.words[1:] if use.command.name == "let" else []
        sums += [index for word in words for p in pieces(word) if (index := _index(script, p))]
        if any(script.held.names_in(text, use.scope, OutputLevel.WORD) for text in sums):
            yield script.remark(use, Cause.CODE, title, _ADVICE)


def _index(script: Script, piece: Piece) -> str:
    """The index of a list, which is a sum, too; that of a table (`declare -A`) is a text."""
    match = re.match(r"(\w+)\[([^@*].*)\]", piece.text) if piece.kind is Kind.VARIABLE else None
    if match is None or script.speaks(rf"-\w*A\w*[^\n]* {match[1]}\b"):
        return ""
    return match[2]


def _declared(script: Script) -> Iterator[Remark]:
    """`declare -i got=$(cat OUT)`."""
    whole: set[str] = set()
    for use in script.named("declare", "local", "typeset"):
        if any(re.fullmatch(r"-\w*i\w*", word) for word in use.command.words):
            whole |= {word.partition("=")[0] for word in use.command.words[1:] if not word.startswith("-")}
    for use in script.uses:
        for name, value in use.command.assigned:
            if name in whole and script.level(value, use) > OutputLevel.NUMBER:
                yield script.remark(
                    use,
                    Cause.CODE,
                    "what is assigned to a whole-number variable is worked out as a sum, $(commands) too",
                    _ADVICE,
                )


def _pasted(script: Script) -> Iterator[Remark]:
    """`awk "BEGIN { exit !($got > 5) }"`: the answer becomes part of the program."""
    for use in script.uses:
        program = _program(use)
        held = program is not None and (
            script.level(program, use) > OutputLevel.NUMBER or _from_elsewhere(script, program)
        )
        if use.command.name in _READERS and use.stage and _said_into(script, use):
            held = True
        for operator, target in use.command.redirects:
            if use.command.name in _READERS and operator.lstrip("0123456789") == "<<":
                held = held or script.level(f'"{target.replace(chr(34), chr(39))}"', use) > OutputLevel.NUMBER
            if use.command.name in ("bc", "dc") and operator == "<<<":
                held = held or _is_spliced(script, target, use)
        if held or _by_xargs(script, use):
            yield script.remark(
                use,
                Cause.CODE,
                "the answer is pasted into a program, and becomes part of it",
                "Hand it over as a value: awk -v, jq --arg, an argument of the program.",
            )


def _from_elsewhere(script: Script, program: str) -> bool:
    """Does it come from a file that the agent may have left, and that the script does not write?"""
    folder = re.escape(str(script.held.path.parent))
    for piece in pieces(program):
        for value in script.held.values.get(piece.name, ()) if piece.kind is Kind.VARIABLE else ():
            match = re.match(rf"\"?\$\((?:cat |< ?)\"?((?:/tmp|/var/tmp|{folder})/[\w./-]+)", value)
            if match and script.text.count(match[1]) == 1 and piece.name not in script.held.checked:
                return True
    return False


def _by_xargs(script: Script, use: CommandUse) -> bool:
    """`xargs -I{} sh -c 'test -f {}'`."""
    text = use.command.text
    mark = re.search(r"-I ?[\"']?([^\s\"']+)", text)
    inside = mark is not None and re.search(rf"\b(?:ba)?sh -c ['\"][^'\"]*{re.escape(mark[1])}", text)
    return use.command.name == "xargs" and bool(inside) and script.reads(use) > OutputLevel.NUMBER


def _program(use: CommandUse) -> str | None:
    """The word in which a program stands."""
    words, name = use.command.words, use.command.name
    if name in _BEHIND:
        at = next((n for n, word in enumerate(words) if word in _BEHIND[name]), len(words))
        return words[at + 1] if at + 1 < len(words) else None
    if name == "sqlite3":
        return next((word for word in words[2:] if not word.startswith("-")), None)
    if name in _FIRST:
        return first_word(words[1:], ("-F", "-v", "-f"), ("--arg", "--argjson", "--slurpfile", "--rawfile"))
    return None


def _said_into(script: Script, use: CommandUse) -> bool:
    """`echo "$got > 5" | bc`: more is said than the answer alone, or it goes to a shell."""
    before = use.step.stages[use.stage - 1]
    said = [
        other for other in script.uses if other.command is before and other.command.name in ("echo", "printf")
    ]
    return any(
        _is_spliced(script, word, other) for other in said for word in other.command.words[1:]
    ) and not any(not word.startswith("-") for word in use.command.words[1:])


def _is_spliced(script: Script, word: str, use: CommandUse) -> bool:
    """Is a value of the answer put between signs of a program?"""
    around = "".join(piece.text for piece in pieces(word) if piece.kind is Kind.TEXT)
    return bool(re.search(r"[-+*/<>=()]", around)) and script.level(word, use) > OutputLevel.NUMBER


def _split(script: Script) -> Iterator[Remark]:
    """`[ $got = 5 ]`: an answer of several words becomes operators of the test."""
    if script.speaks(r"set -\w*f|IFS=(?:''|\"\"|\s)"):
        return
    for use, left, operator, right in script.comparisons():
        if use.command.name == "[[":
            continue
        bare = [
            piece
            for word in (left, right)
            for piece in pieces(word)
            if piece.kind in (Kind.VARIABLE, Kind.COMMAND) and not piece.quote
        ]
        if not any(script.held.of_piece(piece, use.scope) is OutputLevel.TEXT for piece in bare):
            continue
        refuses = outcome(use) == "refuses" or (operator == "!=" and outcome(use) != "pays")
        yield script.remark(
            use,
            Cause.PASSES_BROKEN if refuses else Cause.CODE,
            "without quotes, an answer of several words breaks the test, which then refuses nothing"
            if refuses
            else "without quotes, words of the answer such as `-o` become part of the test",
            'Put quotes around it: [ "$got" = "$want" ].',
        )


def _own_sums(script: Script) -> Iterator[Remark]:
    """`sha256sum -c` of a list that lies beside the answer."""
    folder = str(script.held.path.parent)
    for use in script.uses:
        words = use.command.words
        if not re.fullmatch(r"(?:sha\d+|md5)sum", use.command.name) or not any(
            w in ("-c", "--check") for w in words
        ):
            continue
        lists = [script.held.expand(w) for w in words[1:] if not w.startswith("-")]
        theirs = [
            w for w in lists if w.startswith(f"{folder}/") or (script.held.at_work and w[:1] not in "/$")
        ]
        if theirs and not any(script.is_file(word, use) for word in words[1:]):
            yield script.remark(
                use,
                Cause.SIDE_FILE,
                "the check sums come from a file that the agent can write",
                "Keep them in tests/.",
            )
