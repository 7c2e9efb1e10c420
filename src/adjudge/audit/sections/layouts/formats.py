"""Format: a right answer written in another harmless way must not lose its reward.

Only what a format allows is tried, and what adjudge itself would call unparseable is left out. How much a
loss matters depends on who could be blamed for it: nobody sees a line end or the case of a fence's label
(medium); an unusual spelling is at least visible (low); a number in quotes is another type (info).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Block,
    Document,
    compared_by_bytes,
    exact_form,
    find_block,
    get,
    leaves,
    lists,
    name_of,
    raw_number,
    replaced,
    slug,
    unquoted,
    unwrapped,
    write_json,
    write_number,
)
from adjudge.audit.probes import Bench, answer_of, verifier_sources
from adjudge.audit.sections.layouts.allowed import allowed_spellings
from adjudge.audit.sections.layouts.exchanges import check_exchanges
from adjudge.audit.sections.layouts.ordinary_words import check_ordinary_words
from adjudge.audit.sections.layouts.raised import raised
from adjudge.audit.sections.layouts.rewrite import READ, Rewrite
from adjudge.audit.sections.layouts.shown_keys import shown_keys
from adjudge.audit.sections.layouts.styles import other_styles
from adjudge.audit.sections.layouts.told import told_spellings
from adjudge.audit.sections.layouts.unsaid import unsaid_names
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity

_HERE = Section.FORMAT
_EPS = 0.005
_GROUP = 4
_OF_THE_FORMAT = frozenset({Cause.LAYOUT, Cause.ORDER})
"""What a format allows, and a task that asks for one layout to the letter need not."""
_COMMENTED = frozenset({OutputFormat.YAML, OutputFormat.TOML, OutputFormat.TEXT, OutputFormat.BINARY})
_COMMENTS = re.compile(r"\bcomments?\b", re.I)
_PROSE = "\n\nAll values were checked twice. Tell me if you need the working.\n"
_FENCE = "Compare the label of a fence without regard to case, and accept a fence without one."
_TYPE = "Decide and document: adjudge_kit's number(..., strings=True, thousands=True) reads such numbers."


def audit_format(bench: Bench, right: RightAnswer, result: SectionResult) -> None:
    """Score every rewriting. `right` must have an answer in text."""
    if compared_by_bytes(bench.task.instruction):
        _report_bytes(bench, result)
        return
    answer = answer_of(bench.task, right.files) or b""
    original = answer.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    unique: dict[str, Rewrite] = {}
    kind = bench.task.output.format
    words = (unwrapped(bench.task.instruction), original, kind, right.document)
    unsaid = unsaid_names(bench.task, (path for path, _ in right.files), original, right.document)
    keys = shown_keys(bench.task.output.json_schema, right.document, verifier_sources(bench.task))
    told = (*told_spellings(*words), *allowed_spellings(*words), *unsaid)
    exact = exact_form(bench.task.instruction)
    asked = kind in _COMMENTED and _COMMENTS.search(bench.task.instruction) is not None
    for plain in (*keys, *rewrites(original, kind, right.document), *told):
        made = replace(plain, data=_with_comments(plain.data, original)) if asked else plain
        lower = exact and made.cause in _OF_THE_FORMAT and not made.name.startswith("allowed-")
        rewrite = raised(replace(made, severity=Severity.LOW) if lower else made, bench.task.instruction)
        if rewrite.data != answer:
            unique.setdefault(rewrite.name, rewrite)
    tried = list(unique.values())
    probes = [bench.answer(f"format/{r.name}", r.what, r.data, files=right.files) for r in tried]
    groups = [probes[at : at + _GROUP] for at in range(0, len(probes), _GROUP)]
    check_ordinary_words(bench, right, result)
    seen_in_turn = (seen for group in bench.run_groups(groups) for seen in group)
    for rewrite, probe, seen in zip(tried, probes, seen_in_turn, strict=True):
        lost = right.reward - seen.reward
        if lost > _EPS and seen.held:
            continue
        result.probes.append(probe)
        if lost <= _EPS:
            continue
        got = "no reward" if seen.claimed is None else f"{seen.claimed:g}"
        result.findings.append(
            bench.finding(
                rewrite.severity,
                _HERE,
                f"a right answer loses its reward: {rewrite.what}",
                cause=rewrite.cause,
                seen=f"{right.reward:g} became {got}.",
                advice=rewrite.advice,
                probe=probe,
                before=right.reward,
            )
        )
    check_exchanges(bench, right, result)


def _with_comments(data: bytes, original: str) -> bytes:
    """What was written again, with the comments of the right answer before it: a task may ask for them."""
    comments = [line for line in original.splitlines() if line.lstrip().startswith(("#", ";"))]
    if not comments or any(line.encode() in data for line in comments):
        return data
    return "".join(f"{line}\n" for line in comments).encode() + data


def _report_bytes(bench: Bench, result: SectionResult) -> None:
    result.findings.append(
        bench.finding(
            Severity.INFO,
            _HERE,
            "no other way to write the answer was tried",
            cause=Cause.NOT_TRIED,
            seen="The task says that the output is compared byte for byte.",
            advice="Compare what is meant if it need not be the same bytes.",
        )
    )


def rewrites(text: str, kind: OutputFormat, document: Document | None) -> Iterator[Rewrite]:
    """Every harmless rewriting of an answer (LF line ends, no byte order mark) that its format allows."""
    medium, low, info = Severity.MEDIUM, Severity.LOW, Severity.INFO
    if kind is not OutputFormat.BINARY:
        yield Rewrite(
            "line-ends", "Windows line ends", text.replace("\n", "\r\n").encode(), medium, cause=Cause.LINES
        )
        marked = b"\xef\xbb\xbf" + text.encode()
        yield Rewrite("byte-order-mark", "a byte order mark", marked, low, cause=Cause.LINES)
        stripped = text.rstrip("\n")
        yield Rewrite(
            "no-last-line-end", "no line end at the end", stripped.encode(), medium, cause=Cause.LINES
        )
        blanks = f"{stripped}\n\n\n".encode()
        yield Rewrite("blank-lines", "blank lines at the end", blanks, medium, cause=Cause.LINES)
    if kind in (OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON):
        block = find_block(text)
        if block is not None:
            yield from _fences(block)
        yield Rewrite(
            "prose-after",
            "a paragraph after the answer",
            (text.rstrip() + _PROSE).encode(),
            low if document is not None and document.by_place else medium,
            READ,
            Cause.PROSE,
        )
    elif kind is OutputFormat.TEXT:
        yield Rewrite(
            "prose-after",
            "a paragraph after the answer",
            (text.rstrip() + _PROSE).encode(),
            low,
            READ,
            Cause.PROSE,
        )
    if kind in (OutputFormat.YAML, OutputFormat.TOML):
        yield Rewrite("comment", "a comment at the top", f"# checked\n{text}".encode(), low)
    if document is not None and document.structured:
        yield from _values(document, kind)
        yield from other_styles(text, kind, document)
    if document is None or not document.structured:
        return
    quoted = [
        (leaf.path, write_number(leaf.number))
        for leaf in leaves(document.value)
        if leaf.rest is None and leaf.kind == "number"
    ]
    if quoted and kind is not OutputFormat.CSV:
        yield Rewrite(
            "numbers-as-text",
            "numbers in quotes",
            document.render(replaced(document.value, quoted)),
            info,
            _TYPE,
            Cause.NUMBER_FORMAT,
        )
    large = [
        (leaf.path, f"{leaf.number:,}")
        for leaf in leaves(document.value)
        if leaf.kind == "number" and abs(leaf.number) >= 1000
    ]
    if large:
        yield Rewrite(
            "thousands",
            "thousands separators",
            document.render(replaced(document.value, large)),
            info,
            _TYPE,
            Cause.NUMBER_FORMAT,
        )


def _fences(block: Block) -> Iterator[Rewrite]:
    low = Severity.LOW
    medium = Severity.MEDIUM if block.fenced else low  # bare JSON was right; a fence may have been ruled out
    answer = write_json(block.value)
    spellings = (
        ("fence", "the answer in a fence", "```json", "```", medium),
        ("fence-in-capitals", "the fence is labelled JSON", "```JSON", "```", medium),
        ("fence-capitalised", "the fence is labelled Json", "```Json", "```", medium),
        ("fence-with-space", "a space before the fence's label", "``` json", "```", medium),
        ("fence-unlabelled", "the fence has no label", "```", "```", low),
        ("fence-of-tildes", "the fence is made of tildes", "~~~json", "~~~", low),
        ("fence-longer", "the fence has four backticks", "````json", "````", low),
    )
    for name, what, opening, closing, severity in spellings:
        yield Rewrite(
            name, what, block.in_fence(answer, opening, closing).encode(), severity, _FENCE, Cause.FENCE
        )
    lines = ("```json", *answer.split("\n"), "```")
    indented = block.before + "\n".join(f"  {line}" for line in lines) + block.after
    yield Rewrite("fence-indented", "the fence is indented", indented.encode(), low, _FENCE, Cause.FENCE)
    first = f'An example of the shape:\n\n```json\n{{"example": true}}\n```\n\n{block.in_fence(answer)}'
    yield Rewrite(
        "two-fences",
        "another JSON block before the answer",
        first.encode(),
        low,
        "Take the last block.",
        Cause.PROSE,
    )
    bare = f"{answer}\n"
    yield Rewrite("bare-json", "bare JSON without a fence", bare.encode(), low, READ, Cause.FENCE)


def _values(document: Document, kind: OutputFormat) -> Iterator[Rewrite]:
    medium, low = Severity.MEDIUM, Severity.LOW
    value = document.value
    order = "Look fields up by name."
    by_name = low if document.by_place else medium
    yield Rewrite(
        "rewritten", "the same values, written again", document.render(value), by_name, order, Cause.ORDER
    )
    yield Rewrite(
        "key-order",
        "the keys in the opposite order",
        document.render(_reversed(value)),
        by_name,
        order,
        Cause.ORDER,
    )
    extra = _with_extra(value)
    if extra is not None:
        yield Rewrite(
            "extra-key", "one more key", document.render(extra), low, "Ignore keys that were not asked for."
        )
    if kind is OutputFormat.JSON:
        compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        yield Rewrite(
            "compact", "JSON on one line", compact.encode(), medium, "Parse JSON; do not match text."
        )
    whole = [
        (leaf.path, float(leaf.number))
        for leaf in leaves(value)
        if leaf.kind == "number"
        and leaf.rest is None
        and isinstance(leaf.number, int)
        and abs(leaf.number) < 1e15
    ]
    if whole and kind not in (OutputFormat.CSV, OutputFormat.TOML):
        yield Rewrite(
            "whole-as-decimal",
            "whole numbers as 3.0",
            document.render(replaced(value, whole)),
            low,
            "Compare numbers as numbers.",
            Cause.NUMBER_FORMAT,
        )
    decimals = [
        (leaf.path, leaf.number)
        for leaf in leaves(value)
        if leaf.kind == "number" and leaf.rest is None and isinstance(leaf.number, float)
    ]
    plain = [(path, int(number)) for path, number in decimals if number.is_integer() and abs(number) < 1e15]
    if plain and kind is not OutputFormat.TOML:
        yield Rewrite(
            "decimal-as-whole",
            "whole numbers without a decimal point",
            document.render(replaced(value, plain)),
            low,
            "Compare numbers as numbers.",
            Cause.NUMBER_FORMAT,
        )
    longer = [(path, raw_number(f"{number!r}0")) for path, number in decimals if "e" not in repr(number)]
    if longer:
        yield Rewrite(
            "trailing-zeros",
            "decimal numbers with one zero more",
            unquoted(document.render(replaced(value, longer))),
            low,
            "Compare numbers as numbers.",
            Cause.NUMBER_FORMAT,
        )
    powers = [
        (leaf.path, raw_number(re.sub(r"(\.\d+?)0+e", r"\1e", f"{leaf.number:.15e}")))
        for leaf in leaves(value)
        if leaf.kind == "number" and leaf.rest is None and isinstance(leaf.number, float)
    ]
    if powers:
        yield Rewrite(
            "exponents",
            "decimal numbers as 1.25e+01",
            unquoted(document.render(replaced(value, powers))),
            low,
            "Read numbers with a parser; do not match digits.",
            Cause.NUMBER_FORMAT,
        )
    yield from _records(document)


def _records(document: Document) -> Iterator[Rewrite]:
    """Records that name themselves by a text of their own may stand in any order."""
    for path in lists(document.value)[:2]:
        items = get(document.value, path)
        named = [
            key
            for key in (items[0] if isinstance(items[0], dict) else {})
            if all(isinstance(item, dict) and isinstance(item.get(key), str) for item in items)
            and len({item[key] for item in items}) == len(items)
        ]
        if named:
            data = document.render(replaced(document.value, [(path, items[::-1])]))
            what = f"the records of {name_of(path)} in the opposite order"
            advice = f"Match records by {named[0]}, or say in the task that their order counts."
            yield Rewrite(f"record-order.{slug(path)}", what, data, Severity.LOW, advice, Cause.ORDER)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(child) for key, child in reversed(list(value.items()))}
    return [_reversed(child) for child in value] if isinstance(value, list) else value


def _with_extra(value: Any) -> Any:
    if isinstance(value, dict):
        return {**value, "remarks": "rounded at the end"}
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return [{**item, "remarks": "ok"} for item in value]
    return None
