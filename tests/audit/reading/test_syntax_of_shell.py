"""Shell scripts are taken apart as the shell does it, and what is beyond that is passed over."""

from __future__ import annotations

import pytest

from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step, parse
from adjudge.audit.reading.shell.words import Kind, NotShellError, pieces


def _commands(script: str) -> list[list[str]]:
    return [stage.words for step in parse(script) for stage in step.stages if isinstance(stage, ShellCommand)]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('echo \'a b\' "c $(cat "d e")" # no', [["echo", "'a b'", '"c $(cat "d e")"']]),
        ("timeout -k 1 5 python3 x.py", [["python3", "x.py"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("[[ $a =~ ^(x|y)$ && -n $b ]]", [["[[", "$a", "=~", "^(x|y)$", "&&", "-n", "$b", "]]"]]),
        ("(( n++ ))", [["((", " n++ "]]),
        ("cat <<'END'\nit's\nEND\necho", [["cat"], ["echo"]]),
        ("a=(1 2) b=$(c d) e", [["e"]]),
    ],
)
def test_words_keep_their_quotes(script: str, words: list[list[str]]) -> None:
    assert _commands(script) == words


def test_steps_know_how_they_are_joined() -> None:
    steps = parse("! a | b && c || d; e")
    assert [(step.joined, step.negated, len(step.stages)) for step in steps] == [
        (";", True, 2),
        ("&&", False, 1),
        ("||", False, 1),
        (";", False, 1),
    ]


def test_blocks_hold_their_parts() -> None:
    [step] = parse("if a; then b; elif c; then d; else e; fi > out")
    block = _block(step)
    assert (block.kind, len(block.conditions), len(block.bodies)) == ("if", 2, 3)
    assert block.redirects == [(">", "out")]
    [step] = parse("case $x in\n  a|'b c') one ;;\n  (*) two\nesac")
    block = _block(step)
    assert (block.heads, block.patterns) == (["$x"], [["a", "'b c'"], ["*"]])
    [step] = parse("while read -r line; do a; done < <(b)")
    assert _block(step).redirects == [("<", "<(b)")]
    [step] = parse("check() { a; b; }")
    assert (_block(step).kind, _block(step).heads) == ("function", ["check"])


def _block(step: Step) -> ShellBlock:
    [stage] = step.stages
    assert isinstance(stage, ShellBlock)
    return stage


def test_lines_are_counted_through_here_documents_and_long_lines() -> None:
    steps = parse("a <<END\n1\n2\nEND\nb \\\n  c\nd '\n'\ne")
    assert [step.line for step in steps] == [1, 5, 7, 9]


@pytest.mark.parametrize(
    "script", ["echo 'open", "if a; then b", "a $(b", "cat <<END\nno end", "fi", "case x in", "[[ a", "|"]
)
def test_what_is_not_closed_is_no_script(script: str) -> None:
    with pytest.raises(NotShellError):
        parse(script)


def test_pieces_tell_what_is_quoted() -> None:
    found = list(pieces("a\"$b\"'$c'${d%.*}$(e)$((f + 1))"))
    assert [(piece.kind, piece.text, piece.quote) for piece in found] == [
        (Kind.TEXT, "a", ""),
        (Kind.VARIABLE, "b", '"'),
        (Kind.TEXT, "$c", "'"),
        (Kind.VARIABLE, "d%.*", ""),
        (Kind.COMMAND, "e", ""),
        (Kind.SUM, "f + 1", ""),
    ]
