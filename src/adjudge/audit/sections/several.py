"""Several answers in one text, the right one among them: whoever takes any of them takes all."""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Path, find_block, leaves, replaced, write_json
from adjudge.audit.probes import Probe, Seen, answer_of, wrong_everywhere
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.sentences import check_sentences
from adjudge.audit.sections.weighing import LEAST_SHARE, by_chance, numbers_count, weigh_share
from adjudge.contracts import OutputFormat

PROSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT})
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_ELEMENT = re.compile(r"<([\w:.-]+)(?: [^<>]*)?(?<!/)>[^<]*</\1>|<[\w:.-]+(?: [^<>]*)?/>")
"""One that holds no other."""
_PROSE_WORDS = 5
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t][^:=]*$")
_ITEM = re.compile(
    r"[ \t]*(?:[-*][ \t]+)?(?:(?:question|answer|item|task|part|step|case|problem|q|no\.?)[ \t]*)?"
    r"\d+[.):](?=[ \t])",
    re.I,
)
"""The number by which a line says which of several it is."""


def check_several(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Three answers in one text, the right one in the middle."""
    task = wrongs.bench.task
    if task.output.format not in PROSE or isinstance(wrongs.document.value, list):
        return  # more lines in a list of names are junk, and tried as such
    text = (answer_of(task, wrongs.right.files) or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n")
    before, after = (
        wrongs.document.render(wrong_everywhere(wrongs.document.value, number)).decode("utf-8", "replace")
        for number in (0, 2)
    )
    joined = f"{_named_as(before, text)}\n{text}\n{_named_as(after, text)}"
    block = find_block(text)
    if block is not None and wrongs.document.structured:
        fences = [wrong_everywhere(block.value, 0), block.value, wrong_everywhere(block.value, 2)]
        joined = "\n\n".join(f"```json\n{write_json(value)}\n```" for value in fences) + "\n"
    if block is None:
        said = any(leaf.kind == "number" for leaf in leaves(wrongs.document.value))  # else lines of words
        denials = said and not numbers_count(wrongs)
        check_sentences(wrongs.bench, text, wrongs.base, result, denials=denials)
    probe = wrongs.bench.answer(
        "discrimination/several-answers", "three answers, the right one in the middle", joined.encode()
    )
    _weigh_several(wrongs, probe, result)


def _named_as(wrong: str, right: str) -> str:
    """A wrong text under the headings and item numbers of the right one: what else is no other answer."""
    pairs = list(zip(wrong.splitlines(), right.splitlines(), strict=False))
    if len(pairs) != len(wrong.splitlines()) or len(pairs) != len(right.splitlines()):
        return wrong
    lines = []
    for line, own in pairs:
        item = _ITEM.match(own)
        given = _ITEM.match(line)
        if _HEADING.match(own):
            lines.append(own)
        elif item is not None and given is not None:
            lines.append(item[0] + line[given.end() :])
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def check_lines(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Each line that holds a value three times, the right one in the middle: who takes any takes all.

    The first of several numbers in a line may be its name, as in a table: then lines with another one are
    rows too many, and prove nothing. So wrong lines that begin as the right one does must pay as well.
    """
    value = wrongs.document.value
    if wrongs.document.structured and not (wrongs.document.by_place and isinstance(value, dict)):
        return
    values = (_with_options(value, 0), value, _with_options(value, 2))
    texts = [wrongs.document.render(each).decode("utf-8", "replace") for each in values]
    if wrongs.bench.task.output.format is OutputFormat.XML:
        _check_elements(wrongs, texts, result)
        return
    rows = [text.splitlines() for text in texts]
    if len({len(lines) for lines in rows}) > 1 or len(rows[1]) < 2:
        return
    before, own, after = rows
    what = "every value on three lines, the right one in the middle"
    probe = wrongs.bench.answer("discrimination/several-lines", what, _interleaved(before, own, after))
    seen, share = _try_several(wrongs, probe, result)
    named = [
        [_begun_as(line, right) for line, right in zip(lines, own, strict=True)] for lines in (before, after)
    ]
    if share >= LEAST_SHARE and named != [before, after]:
        said = f"{what}, each under the right first number"
        data = _interleaved(named[0], own, named[1])
        probe = wrongs.bench.answer("discrimination/several-lines-named", said, data)
        seen, again = _try_several(wrongs, probe, result)
        share = min(share, again)
    if seen is not None:
        weigh_share(wrongs, Cause.HEDGED, probe, seen, share - _left_right(before, own), result)


def _left_right(before: list[str], own: list[str]) -> float:
    """The share of lines like those with a wrong one beside them that have none, and so are right.

    Nothing wrong is known of `tls on` beside `timeout_s 30`. Longer lines are prose.
    """
    wrong = [line for line, other in zip(own, before, strict=True) if line != other]
    lengths = {len(line.split()) for line in wrong} & set(range(2, _PROSE_WORDS))
    right = [line for line, other in zip(own, before, strict=True) if line == other]
    alike = [line for line in right if len(line.split()) in lengths and line.lstrip()[0].isalnum()]
    return len(alike) / (len(alike) + len(wrong)) if alike else 0.0


def _with_options(value: Any, number: int) -> Any:
    """Wrong values; for a text those that stand elsewhere, if it is one of few, as a reader that knows what
    may stand there passes over any other."""
    texts = [leaf for leaf in leaves(value) if leaf.kind == "text"]
    changes: list[tuple[Path, Any]] = []
    for leaf in texts:
        alike = [other.value for other in texts if len(other.path) < 2 or other.path[-1] == leaf.path[-1]]
        others = [text for text in dict.fromkeys(alike) if text != leaf.value]
        if others and len(others) + 1 < len(alike):
            changes.append((leaf.path, others[number % len(others)]))
    return replaced(wrong_everywhere(value, number), changes)


def _check_elements(wrongs: WrongAnswers, texts: list[str], result: SectionResult) -> None:
    """Each element that holds a value three times, the right one in the middle."""
    before, own, after = ([match[0] for match in _ELEMENT.finditer(text)] for text in texts)
    if not own or not len(before) == len(own) == len(after):
        return
    thrice = iter(
        right if wrong == right else f"{wrong}{right}{other}"
        for wrong, right, other in zip(before, own, after, strict=True)
    )
    what = "every element with a value three times, the right one in the middle"
    data = _ELEMENT.sub(lambda _: next(thrice), texts[1]).encode()
    _weigh_several(wrongs, wrongs.bench.answer("discrimination/several-elements", what, data), result)


def _interleaved(*rows: list[str]) -> bytes:
    groups = zip(*rows, strict=True)
    lines = [line for group in groups for line in (group if len(set(group)) > 1 else group[:1])]
    return ("\n".join(lines) + "\n").encode()


def _begun_as(line: str, right: str) -> str:
    """A wrong line with the first of the numbers that differ as it is in the right one, if several do."""
    pairs = list(zip(_NUMBER.finditer(line), _NUMBER.finditer(right), strict=False))
    other = [(wrong, own) for wrong, own in pairs if wrong[0] != own[0]]
    if len(other) < 2:
        return line
    wrong, own = other[0]
    return f"{line[: wrong.start()]}{own[0]}{line[wrong.end() :]}"


def _weigh_several(wrongs: WrongAnswers, probe: Probe, result: SectionResult) -> None:
    seen, share = _try_several(wrongs, probe, result)
    if seen is not None:
        weigh_share(wrongs, Cause.HEDGED, probe, seen, share, result)


def _try_several(wrongs: WrongAnswers, probe: Probe, result: SectionResult) -> tuple[Seen | None, float]:
    """What it earns above what is fair, as a share of the reward; (None, 0) if the verifier broke."""
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if seen.broke:
        return None, 0.0
    wrong = wrongs.whole.get("all-wrong", wrongs.whole.get("absurd-numbers"))
    base = wrong[1].reward if wrong else 0.0
    fair = by_chance(wrongs, wrong_everywhere(wrongs.document.value, 2))
    return seen, (seen.reward - max(base, fair)) / wrongs.base
