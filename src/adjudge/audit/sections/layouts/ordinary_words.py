"""Right programs that lose for a word in a comment: bans by text that ordinary words run into.

A verifier that looks for `reference`, `eval` or `pty.` anywhere in a program, to keep agents from its own
files, refuses a right one that says "evaluated" or "empty." in a comment. Nobody can foresee that who was not
told. So ordinary words that hold a text of the verifier's source are added to the right program, as a comment
and as a text of its own, all at once and then one by one. Words that the task itself forbids are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import sentences
from adjudge.audit.probes import Bench, BudgetSpent, Probe, answer_of
from adjudge.audit.sections.invented.exemplars import SCRIPTS, comment_mark
from adjudge.audit.sections.invented.rules import python_trees
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_BAN = re.compile(
    r"\b(?:bann?\w*|forb[ia]d\w*|prohibit\w*|disallow\w*|block\w*|reject\w*|avoid|never|without|no"
    r"|(?:not|cannot|isn't|aren't) (?:be )?(?:allowed|permitted|used?|read|import|call|hold|contain|mention)"
    r"|(?:must|may|do|does|should|shall) not|don't|mustn't|scan(?:ned|s)?)\b"
)
_EPS = 0.005
_SHORTEST = 2
_MOST_WORDS = 60
_MOST_ALONE = 8
_NEUTRAL = "A remark on the next step."
_WORDS = """
 about absolute accumulate adjacent after algorithm allocated answer approximate array assumed atomic average
 background backup balance baseline before best binary border boundary branch broken buffer build bytearray
 bytes cached calculate candidate careful category cell center chain changed character check checked
 chromatic close closed cluster collect column combine compare compiled complete component compute
 condition connected constant contain convert copied copy correct count cover create current cycle data
 database decoded default define degree delete dense depth describe detect device different digit
 direction directly directory discard distance divide document double download dummy duplicate dynamic edge
 element empty encoded enough entry environment error estimate evaluated evaluation even exact example
 executed execution exit expand expected explicit export extract factor fallback false fast field file
 filesystem fill filter final first fixed flag float flood folder follow format forward found fraction frame
 free function generated generator given global golden graph greedy grid ground group guess handle
 hardcoded hash header height helper heuristic hidden hint histogram identical ignore image important
 imported improve index infinite information initial inner input inside integer internal interpolate
 intersection interval inverse isolated iterate join keep label large last layer left length level limit
 line linear list local locally location lookup loop lower magic main many mark mask match matrix maximum
 mean measure median memory merge method middle minimum missing mode model module multiple naive name
 narrow nearest negative neighbour network never next node noise normal note number object offset once open
 opened optimal option order origin other outer output outside overlap padding pair parallel parse
 partial pass passed path pattern pixel plain plateau point pointer position positive possible precise
 prepare previous print process processed product profile program proper random range rank rather ratio
 reader recover recursive reduce reference region regular relative remaining remove reopened repeat replace
 request require reserved reset resolve result retrieve return reverse right round row rule sample scale
 scan score search second secret section seed select sensor sequence shape shared shift short signal
 similar simple simulate single size skip slope small smooth socket solution solve solver sort source
 space sparse special split square stable stack standard start state static statistics step store stream
 string strip structure subset subtract sum symmetric synchronous system table target temporary test tested
 testing tests text thread threshold time timeout together token tolerance total trace track transform tree
 true truncate truth type uniform unique unit unknown update upper valid value variable vector verified
 verify visit volume walk weight while whole wide width window word work write written wrong zero zone
"""
_ADVICE = (
    "Look for what a program does, by its syntax tree and in a sandbox, and not for words in its text; or "
    "name the words that no program may hold."
)


def check_ordinary_words(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    """One finding for all ordinary words that cost a right program its reward."""
    answer = answer_of(bench.task, right.files)
    suffix = PurePosixPath(bench.task.verifier.expected_output_path).suffix
    words = _words_at_risk(bench.task.folder / "tests", bench.task.instruction)
    if answer is None or suffix not in SCRIPTS or not words:
        return

    def probe(name: str, what: str, said: list[str]) -> Probe:
        return bench.answer(f"format/{name}", what, _remarked(answer, suffix, said), files=right.files)

    plain = probe("remark", "a right program with a remark", [_NEUTRAL])
    every = probe("remarks", f"a right program with {len(words)} ordinary words in remarks", words)
    result.probes += [plain, every]
    kept, lost = bench.run([plain, every])
    if kept.reward < right.reward - _EPS or lost.reward >= right.reward - _EPS:
        return
    alone = [probe(f"remark-{word}", f"`{word}` in a remark", [word]) for word in words[:_MOST_ALONE]]
    costly: list[tuple[str, Probe]] = []
    spent: BudgetSpent | None = None
    try:
        for word, each, [seen] in zip(words, alone, bench.run_groups([[one] for one in alone]), strict=False):
            result.probes.append(each)
            costly += [(word, each)] if seen.reward < right.reward - _EPS else []
    except BudgetSpent as event:
        spent = event
    shown = ", ".join(f"`{word}`" for word, _ in costly) or f"one of `{'`, `'.join(words[:_MOST_ALONE])}`"
    example = costly[0][1] if costly else every
    result.findings.append(
        bench.finding(
            Severity.MEDIUM,
            Section.FORMAT,
            f"a right program loses its reward for an ordinary word in a remark: {shown}",
            cause=Cause.BANNED,
            seen=f"{right.reward:g} became {bench.log[example.name][1].reward:g}. The task does not "
            "say that such a word may not stand there.",
            advice=_ADVICE,
            probe=example,
            before=right.reward,
            also=[each for _, each in costly[1:]],
        )
    )
    if spent is not None:
        raise spent


def _remarked(program: bytes, suffix: str, words: list[str]) -> bytes:
    """The program with each word in a comment at its end; in Python also in a text that is no comment."""
    mark = comment_mark(f"x{suffix}")
    lines = [f"{mark}{word.rstrip('.')}." for word in words]
    if suffix == ".py":
        lines += [f'"{word.rstrip(".")}."' for word in words]
    return program.rstrip(b"\n") + "".join(f"\n{line}" for line in ["", *lines, ""]).encode()


def _words_at_risk(tests: Path, instruction: str) -> list[str]:
    """Ordinary words that hold a text of the verifier's source; those that are such a text come first."""
    told = " ".join(said for said in sentences(instruction.lower()) if _BAN.search(said))
    parts = sorted({text for tree in python_trees(tests) for text in _short_texts(tree)})
    ranked = []
    for word in _WORDS.split():
        held = [part for part in parts if part in f"{word}."]
        if held and not re.search(rf"(?<!\w){word}(?!\w)", told):
            ranked.append((min(len(word) - len(part) for part in held), word))
    return [word for _, word in sorted(ranked)][:_MOST_WORDS]


def _short_texts(tree: ast.Module) -> Iterator[str]:
    """Texts in a list, or on the left of `in`: among them are those that a program may not hold."""
    for node in ast.walk(tree):
        held: list[ast.expr] = []
        if isinstance(node, ast.List | ast.Set | ast.Tuple):
            held = node.elts
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            held = [node.left]
        for part in held:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                text = part.value.strip().lower()
                if len(text) >= _SHORTEST and any(char.isalpha() for char in text):
                    yield text
