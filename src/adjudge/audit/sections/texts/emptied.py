"""Texts of several lines made empty, or cut to their first lines: a beginning is not the whole.

A verifier that compares line by line ends with the shorter side. What is cut to its first lines fairly keeps
the share of lines that are left, or of the places that have no more than one; what is empty keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Passage, text_blocks, value_blocks
from adjudge.audit.probes import Probe, answer_of
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report_gain
from adjudge.contracts import OutputFormat

_WORTH = 0.1
_ABOUT = 0.2
_MOST_TEXT = 200_000
_TEXTS = frozenset({OutputFormat.XML, OutputFormat.MARKDOWN, OutputFormat.TEXT, OutputFormat.BINARY})
_ADVICE = "Compare the number of lines first: zip() ends with the shorter list, and all() of nothing is true."


def check_emptied(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try every kind of block, in all its places at once."""
    kind, document = wrongs.bench.task.output.format, wrongs.document

    def as_text(name: str, what: str, text: Any) -> Probe:
        return wrongs.bench.answer(f"discrimination/{name}", what, text.encode(), files=wrongs.right.files)

    if document.structured and not document.by_place:
        found, make = value_blocks(document.value), wrongs.probe
        for block in found:
            _try_block(wrongs, block, make, result)
    elif kind in _TEXTS:
        text = (answer_of(wrongs.bench.task, wrongs.right.files) or b"").decode("utf-8-sig", "replace")
        xml = text.lstrip().startswith("<")
        for block in text_blocks(text[:_MOST_TEXT], xml=xml) if len(text) <= _MOST_TEXT else []:
            _try_block(wrongs, block, as_text, result)


def _try_block(
    wrongs: WrongAnswers, block: Passage, make: Callable[[str, str, Any], Probe], result: SectionResult
) -> None:
    ways = {
        "wrong": ("wrong", block.wrong, 0.0),
        "empty": ("left out", block.empty, 0.0),
        "first": ("cut to the first of each", block.first, block.places / block.lines),
        "blank": ("made empty", block.blank, 0.0),
    }
    if block.lines == block.places:
        del ways["first"]
    if block.blank is None:
        del ways["blank"]
    probes = {
        way: make(f"block.{block.name}/{way}"[:90], f"every {block.name} {what}", changed)
        for way, (what, changed, _) in ways.items()
    }
    seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
    result.probes += probes.values()
    worth = wrongs.base - seen["wrong"].reward
    if worth < _WORTH * wrongs.base or seen["wrong"].broke:
        return
    for way, (_, _, fair) in list(ways.items())[1:]:
        if seen[way].broke:
            continue
        kept = min(1.0, max(0.0, (seen[way].reward - seen["wrong"].reward) / worth))
        wrongs.lost.append(1 - max(0.0, kept - fair))
        if kept <= fair + max(_ABOUT, (1 - fair) / 2):
            continue
        gain = (kept - fair) * worth / wrongs.base
        cause = Cause.EMPTY if way == "blank" or block.lines == block.places else Cause.FEW_ITEMS
        told = f"The right answer earns {wrongs.base:g}, wrong texts there {seen['wrong'].reward:g}."
        report_gain(wrongs, gain, cause, probes[way], seen[way], result, told=told, advice=_ADVICE)
