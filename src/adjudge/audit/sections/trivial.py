"""Trivial agents: what those earn that solve nothing. Their rewards are the base line of every agent.

Nothing, `{}`, the instruction copied, its example, every candidate listed, the template filled with zeros,
the inputs echoed, a note that says nothing. Where adjudge's own gates would take the reward away again (text
that does not parse), a flaw of the verifier is still named, as medium: other runners have no gates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    get,
    in_format,
    leaves,
    lists,
    nonsense,
    open_document,
    options_shown,
    shape,
    skeleton,
)
from adjudge.audit.given import given_files
from adjudge.audit.probes import (
    Bench,
    BudgetSpent,
    InputText,
    Probe,
    Seen,
    answer_of,
    every_candidate,
    every_name,
)
from adjudge.audit.sections.given_texts import input_texts
from adjudge.audit.sections.guesses import every_choice, one_label
from adjudge.audit.sections.measure import fair_share
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import OutputFormat, Severity, Task
from adjudge.tasks import provided_files

_HERE = Section.TRIVIAL
_PROSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON, OutputFormat.TEXT})
_MAX_INPUT = 1 << 20
_MOST_COPIED = 100_000
_ABOUT = 0.15
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_MOST_CHOICES = 3
_MOST_NAMED = 8
_F1 = re.compile(r"\bF[-_ ]?1\b|\bprecision\b.{1,40}\brecall\b|\bJaccard\b", re.I | re.S)
_HALF, _MUCH, _FULL = 0.5, 0.7, 0.95
_LIKE_THE_EXAMPLE = ("instruction", "zeros", "everything")
"""They hold the example, or what it shows: where they earn no more, the example is the cause."""
_OWN_RULES = (Cause.HEDGED, Cause.GUESSED)
_SAY_NOTHING = ("nothing", "note", "empty-object", "empty-list", "long-note")
_HEADINGS = (
    "Summary",
    "Background",
    "Method",
    "Assumptions",
    "Results",
    "Discussion",
    "Conclusion",
    "References",
)
_LONG = "".join(
    f"## {heading}\n\n" + "- This was looked into with care, and the details follow below.\n" * 12 + "\n"
    for heading in _HEADINGS
)
"""For whoever counts words, headings and items."""
_ADVICE_UNTOUCHED = "Give nothing for what is right before anything was done."
_ADVICE = {
    Cause.QUOTED: "Do not look for words that the instruction holds; ask for values in a named place.",
    Cause.EXAMPLE: "Make the example of the instruction score nothing: none of its values may be right.",
    Cause.EMPTY: "Compare with a relative tolerance, and give nothing for empty fields.",
    Cause.NOTHING: "Give 0.0 if the output is missing or says nothing, before any other check.",
    Cause.HEDGED: "Let every item that is not asked for cost enough that listing all of them does not pay.",
    Cause.GUESSED: "Give little for a choice among few, or only beside what it follows from.",
    Cause.ANYWHERE: "Look each value up under its own name: whoever lists everything has answered nothing.",
}


class TrivialAgent(Struct, frozen=True):
    """One way of not solving a task."""

    name: str
    what: str
    probe: Probe
    cause: Cause
    least: float = 0.2
    """The reward from which on it is a finding; more if a part of it is fair."""
    fair: float = 0.0
    """What precision and recall together leave of a list of everything."""


def audit_trivial(bench: Bench, right: RightAnswer | None, result: SectionResult) -> dict[str, float]:
    """Score every trivial agent; needs no right answer. The rewards are by the agent's name."""
    agents = list(_agents(bench, right))
    result.probes += [agent.probe for agent in agents]
    lucky = _right_by_chance(bench, right)
    full = right.reward if right else 1.0
    tried, spent = _tried(bench, agents)
    agents = [agent for agent in agents if agent.name in tried]
    shown = tried["example"].reward if "example" in tried else 0.0
    nothing = max((tried[name].reward for name in _SAY_NOTHING if name in tried), default=0.0)
    for agent in agents:
        seen = tried[agent.name]
        explained = agent.name in _LIKE_THE_EXAMPLE and seen.reward <= shown + 0.005
        if agent.name not in _SAY_NOTHING:  # if nothing at all earns as much, that is the cause
            explained = explained or seen.reward <= nothing + 0.005
        if agent.cause is Cause.GUESSED and "zeros" in tried:  # a choice adds little to what is empty
            explained = explained or seen.reward <= tried["zeros"].reward + 0.05
        gain = seen.reward - (nothing if agent.cause is Cause.QUOTED else 0.0)
        if gain >= agent.least and not explained:
            by_chance = lucky and seen.reward < 0.9 * full and agent.cause is not Cause.HEDGED
            by_chance = by_chance or 0 < seen.reward <= agent.fair + _ABOUT
            if agent.name == "empty-list":  # nothing may be what is right, unless something is as well
                by_chance = right is None and shown < _HALF
            if agent.cause is Cause.QUOTED:  # a word to be written is no quotation
                by_chance = by_chance or gain < _HALF or _is_told(bench, right)
            _report(bench, agent, seen, result, by_chance=by_chance)
    rewards = {name: round(seen.counted, 4) for name, seen in tried.items()}
    _report_little(bench, agents, result)
    if spent is not None:
        raise spent
    return rewards


def _tried(bench: Bench, agents: list[TrivialAgent]) -> tuple[dict[str, Seen], BudgetSpent | None]:
    """What became of as many agents as the time suffices for, the plainest first."""
    tried: dict[str, Seen] = {}
    try:
        for agent, [seen] in zip(agents, bench.run_groups([[agent.probe] for agent in agents]), strict=True):
            tried[agent.name] = seen
    except BudgetSpent as event:
        return tried, event
    return tried, None


def _agents(bench: Bench, right: RightAnswer | None) -> Iterator[TrivialAgent]:
    task, kind = bench.task, bench.task.output.format

    def agent(name: str, what: str, data: bytes, cause: Cause, fair: float | None = None) -> TrivialAgent:
        probe = bench.answer(f"trivial/{name}", what, data)
        least = 0.2 if fair is None else _least_of_all(fair, task.instruction)
        return TrivialAgent(name, what, probe, cause, least, fair or 0.0)

    untouched = "the workspace as the task gives it" if provided_files(task) else "an empty workspace"
    yield TrivialAgent("nothing", "no output at all", Probe("trivial/nothing", untouched, ()), Cause.NOTHING)
    for name, what, copied_out, cause in _plain(task, right):
        yield agent(name, what, copied_out, cause)
    blank = shape(task.output.json_schema)
    if blank and kind not in (OutputFormat.CSV, OutputFormat.TOML):
        yield agent("zeros", "the expected keys with nothing in them", in_format(blank, kind), Cause.EMPTY)
    for number in range(_MOST_CHOICES) if blank else ():
        chosen = every_choice(blank, options_shown(task.instruction), number)
        if chosen is not None and kind not in (OutputFormat.CSV, OutputFormat.TOML):
            what = f"option {number + 1} in every field that has options, nothing else"
            yield agent(f"option-{number + 1}", what, in_format(chosen, kind), Cause.GUESSED)
    if kind in _PROSE and (right is None or right.document is None or not right.document.structured):
        yield agent("long-note", "a long report that says nothing", _LONG.encode(), Cause.NOTHING)
    yield agent("everything", "every number and word that could be meant", _everything(task), Cause.ANYWHERE)
    if right is not None and right.document is not None:
        listed = every_candidate(task.instruction, right.document.value)
        if listed is not None:
            what = "every number of the range that is asked about"
            fair = _fair_of(right.document.value, listed)
            yield agent("every-candidate", what, right.document.render(listed), Cause.HEDGED, fair)
        same = one_label(right.document.value) if right.document.structured else None
        if same is not None:
            what = f"`{same.label}` in each of {same.places} places"
            probe = bench.answer("trivial/one-label", what, right.document.render(same.value))
            yield TrivialAgent("one-label", what, probe, Cause.GUESSED, _HALF)
        named = every_name(right.document.value, [InputText("", task.instruction), *input_texts(task)])
        if named is not None and right.document.structured:
            what = "every name of the inputs that could be meant"
            yield agent("every-name", what, right.document.render(named[0]), Cause.HEDGED, named[1])
    echoes = {answer_of(task, right.files) if right else None}
    for path in _inputs(task)[:2]:
        echoed = path.read_bytes()
        if echoed not in echoes:
            echoes.add(echoed)
            yield agent(f"echo-{path.name}"[:60], f"the input {path.name} echoed", echoed, Cause.NOTHING)
    copied = "\n\n".join(given.text for given in input_texts(task))[:_MOST_COPIED].encode()
    if kind in _PROSE and copied and copied not in echoes:
        yield agent("inputs", "the inputs copied out", copied, Cause.NOTHING)


def _least_of_all(fair: float, instruction: str) -> float:
    """What listing everything must earn to be a finding: precision and recall leave some of it, but three
    quarters for no work are too much by any rule, unless the task itself says that this is the rule."""
    return max(0.5, fair + _ABOUT) if _F1.search(instruction) else min(0.75, max(0.5, fair + _ABOUT))


def _fair_of(value: Any, listed: Any) -> float:
    """The most that precision and recall together leave of a list in which more stands than is right."""
    pairs = [(get(value, path), get(listed, path)) for path in lists(value)]
    longer = [(len(set(one)), len(other)) for one, other in pairs if len(other) > len(one)]
    return max((fair_share(right, given) for right, given in longer), default=0.0)


def _everything(task: Task) -> bytes:
    """All numbers of the instruction, all options, and all whole numbers up to a hundred, in one text."""
    words = [
        part.strip()
        for options in options_shown(task.instruction).values()
        for part in re.split(r"\||/", options)
    ]
    numbers = list(dict.fromkeys(_NUMBER.findall(task.instruction)))[:200]
    told = " ".join([*words, *numbers, *map(str, range(101)), "yes no true false pass fail compliant"])
    if task.output.format in _PROSE:
        return f"{told}\n\n```json\n{json.dumps({'answer': told})}\n```\n".encode()
    return in_format({"answer": told}, task.output.format)


def _inputs(task: Task) -> list[Path]:
    """Files that the agent is given, of the kind of its answer."""
    suffix = PurePosixPath(task.verifier.expected_output_path).suffix
    found = [path for path in given_files(task) if path.name.endswith(suffix or "\0")]
    return [path for path in found if path.stat().st_size <= _MAX_INPUT]


def _right_by_chance(bench: Bench, right: RightAnswer | None) -> bool:
    """Is any value of the right answer one that the example shows, or that nothing has: 0, false, empty?"""
    if right is None or right.document is None:
        return False
    shown = skeleton(bench.task.instruction) or ""
    example = open_document(shown.encode(), OutputFormat.JSON)
    values = {leaf.path: leaf.value for leaf in leaves(example.value)} if example else {}
    return any(
        leaf.value in (0, False, "") or (leaf.path in values and values[leaf.path] == leaf.value)
        for leaf in leaves(right.document.value)
    )


def _plain(task: Task, right: RightAnswer | None) -> Iterator[tuple[str, str, bytes, Cause]]:
    """(name, what, bytes, cause) of what says nothing, and of what the instruction itself holds.

    An empty list is tried where one is shown, if it is not what is right.
    """
    kind, shown = task.output.format, skeleton(task.instruction)
    yield "note", "an answer that says nothing", nonsense(kind), Cause.NOTHING
    yield "empty-object", "an empty object", in_format({}, kind), Cause.NOTHING
    value = right.document.value if right is not None and right.document is not None else None
    if shown is not None and shown.lstrip().startswith("[") and value != []:
        yield "empty-list", "an empty list", in_format([], kind), Cause.NOTHING
    yield "instruction", "the instruction itself", task.instruction.encode(), Cause.QUOTED
    if shown is not None:
        text = f"```json\n{shown}\n```\n" if kind in _PROSE else f"{shown}\n"
        yield "example", "the example from the instruction", text.encode(), Cause.EXAMPLE


def _is_told(bench: Bench, right: RightAnswer | None) -> bool:
    """Does the right answer stand in the instruction, word for word?"""
    own = (answer_of(bench.task, right.files) or b"").split() if right is not None else []
    return bool(own) and b" ".join(own) in b" ".join(bench.task.instruction.encode().split())


def _report(bench: Bench, agent: TrivialAgent, seen: Seen, result: SectionResult, *, by_chance: bool) -> None:
    """`by_chance`: right values that are zero, false or those of the example explain part of it, or most of a
    list of everything is right."""
    severity = Severity.HIGH if seen.reward >= 0.5 and not by_chance else Severity.MEDIUM
    if agent.name == "one-label":  # a share of right labels is fair, full marks for reading nothing are not
        severity = Severity.HIGH if seen.reward >= _FULL else Severity.MEDIUM
        severity = severity if seen.reward >= _MUCH else Severity.LOW
    elif agent.cause is Cause.GUESSED:  # luck is no work, and no flaw that others could rely on
        severity = Severity.MEDIUM if seen.reward >= 0.5 else Severity.LOW
    held = ""
    if seen.held and agent.name != "nothing":
        severity = Severity.MEDIUM
        held = " adjudge itself gives 0.0, because the output does not parse; other runners would not."
    title, advice = agent.what, _ADVICE[agent.cause]
    if agent.name == "nothing":
        title = agent.probe.what
        advice = _ADVICE_UNTOUCHED if provided_files(bench.task) else advice
    result.findings.append(
        bench.finding(
            severity,
            _HERE,
            f"{title} earns {seen.reward:g}",
            cause=agent.cause,
            seen=f"An agent that solves nothing gets {seen.reward:g}.{held}{_passed(seen)}",
            advice=advice,
            probe=agent.probe,
            before=0.0,
        )
    )


def _passed(seen: Seen) -> str:
    """The checks of a breakdown that give full marks, by name: each may hold before anything was done."""
    scores = {name: part for name, part in (seen.breakdown or {}).items() if isinstance(part, dict)}
    full = [
        name
        for name, part in scores.items()
        if isinstance(part.get("score"), int | float) and part["score"] > 0
        if part["score"] >= (part.get("max_score") or 1)
    ]
    if not full or len(full) == len(scores):
        return ""
    more = f" and {len(full) - _MOST_NAMED} more" if len(full) > _MOST_NAMED else ""
    return f" Full marks: {', '.join(full[:_MOST_NAMED])}{more}."


def _report_little(bench: Bench, agents: list[TrivialAgent], result: SectionResult) -> None:
    """One finding for all that earns a little, such as points for JSON that parses."""
    seen = [(agent, bench.log[agent.probe.name][1].reward) for agent in agents]
    little = [(a, reward) for a, reward in seen if 0.05 <= reward < 0.2 and a.cause not in _OWN_RULES]
    if not little:
        return
    most, reward = max(little, key=lambda pair: pair[1])
    result.findings.append(
        bench.finding(
            Severity.LOW,
            _HERE,
            f"{len(little)} outputs that answer nothing earn up to {reward:g}",
            cause=most.cause,
            seen=f"They are: {'; '.join(agent.what for agent, _ in little[:4])}.",
            advice="Points for form are points for everybody: they raise every agent alike.",
            probe=most.probe,
            before=0.0,
        )
    )
