"""What an agent earns that makes its answer up: the form that is shown, and any values that are in bounds.

It does what an agent does that is told what is wrong: fills the example, looks at what is refused, and adds
it, in some twenty runs. A second answer that says something else shows what the first alone may not: of two
that contradict each other, one at least is wrong. Not tried where somebody brought a right answer along.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import leaves, replaced, several_are_right
from adjudge.audit.probes import Bench, BudgetSpent, Files, Probe, Seen, verifier_sources, with_answer
from adjudge.audit.sections.invented.drafts import WAYS, WORD, Draft, drafts, filled, others
from adjudge.audit.sections.invented.exemplars import comment_mark, exemplars, files_asked_for
from adjudge.audit.sections.invented.hearing import hear, with_names
from adjudge.audit.sections.invented.rules import read_rules
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity
from adjudge.gates import OutputFile
from adjudge.tasks import provided_files, written_files

_HERE = Section.TRIVIAL
_HALF, _LEAST, _FULL = 0.5, 0.2, 0.95
_OWN = "/invented-"
_ROUNDS = 12
_MOST_SINGLE = 4
_PASSED = re.compile(r"\b(\d+) passed\b")
_FREE = re.compile(
    r"\b(?:invent|make up|compose|poem|story|essay|haiku|placeholder|arbitrary|dummy)\b"
    r"|\b(?:your|its) own (?:name|words|choice|text)\b|\bof your (?:own )?(?:choice|choosing)\b"
    r"|(?<!\bif )(?<!\bwhen )(?<!\bwhether )(?<!\bcase )(?<!\bwithout )(?<!\bnot )\bany "
    r"(?:text|names?|words?|numbers?|values?|content|strings?)\b",
    re.I,
)
"""Words that leave the answer to the agent; "if any value is missing" leaves nothing to anybody."""
_FACTS = re.compile(
    r"\b(?:analy[sz]e|calculate|compute|count|detect|determine|diagnos|estimate|evaluate|extract|find|identify|"
    r"investigate|measure|parse|predict|process|solve|sum|work out)",
    re.I,
)
_TITLE = "an answer made up in the form that is shown"
_ADVICE = (
    "Compare at least one value of each part with a reference, or with what follows from the inputs: "
    "types, names and bounds are met by whoever reads the task."
)


def check_invented(bench: Bench, right: RightAnswer | None, result: SectionResult) -> None:
    """Try made-up answers if nobody brought a right one along, and tell what they earn."""
    brought = right is not None and not right.recovered
    if brought or _FREE.search(bench.task.instruction) or _known(bench) >= _FULL:
        return
    Inventor(bench, result).run()


class Inventor:
    """The rules so far, the files beside the answer, and what was tried."""

    def __init__(self, bench: Bench, result: SectionResult) -> None:
        self.bench = bench
        self.result = result
        self.tests = bench.task.folder / "tests"
        self.rules = read_rules(self.tests)
        self.source = "\n".join(verifier_sources(bench.task))
        self.beside = companions(bench)
        self.tried: dict[bytes, tuple[Probe, Seen]] = {}

    def run(self) -> None:
        """Fill each draft, listen, and report the best; what was found until the time is over is told."""
        spent: BudgetSpent | None = None
        best: tuple[Draft, object, Probe, Seen] | None = None
        try:
            for draft in drafts(self.bench.task, self.rules):
                found = self._fill(draft)
                best = found if best is None or _worth(found[3]) > _worth(best[3]) else best
                if best[3].reward >= _FULL:
                    break
        except BudgetSpent as event:
            spent = event
        if best is not None:
            self._report(best[0], best[1], best[2], best[3])
        if spent is not None:
            raise spent

    def _fill(self, draft: Draft) -> tuple[Draft, object, Probe, Seen]:
        """The best way to fill a draft, mended by what the verifier says of it."""
        values = [filled(draft, self.rules, way) for way in WAYS]
        probes = self._run(draft, values)
        best = max(zip(values, probes, strict=True), key=lambda pair: _worth(pair[1][1]))
        value, (probe, seen) = best
        way = WAYS[values.index(value)]
        for _ in range(_ROUNDS):
            if seen.reward >= _HALF:
                break
            rules = copy.deepcopy(self.rules)
            if not hear(seen.said, _names(value), self.source, rules):
                break
            self.rules = rules
            changed = Draft(with_names(draft.value, rules, WORD), draft.render)
            new = filled(changed, rules, way)
            [(new_probe, new_seen)] = self._run(draft, [new])
            draft, value = changed, new
            probe, seen = new_probe, new_seen
        return draft, value, probe, seen

    def _run(self, draft: Draft, values: list[object]) -> list[tuple[Probe, Seen]]:
        made = [draft.render(value) for value in values]
        new = [data for data in dict.fromkeys(made) if data not in self.tried]
        probes = []
        for number, data in enumerate(new, len(self.tried) + 1):
            files = with_answer(self.bench.task, self.beside(data), data)
            probes.append(Probe(f"trivial/invented-{number}", f"{_TITLE} ({number})", files))
        for data, probe, seen in zip(new, probes, self.bench.run(probes), strict=True):
            self.tried[data] = (probe, seen)
            self.result.probes.append(probe)
        return [self.tried[data] for data in made]

    def _contradicted(self, draft: Draft, value: object, reward: float) -> Probe | None:
        """Another answer that earns as much and says something else; None if none does.

        Short of full marks all of it must be something else: a part may be what earned nothing.
        """
        changes = others(value, self.rules, self.bench.task.instruction)
        if not changes:
            return None
        tries = [replaced(value, changes)]
        if len(changes) > 1 and reward >= _FULL:
            tries += [replaced(value, [change]) for change in changes[:_MOST_SINGLE]]
        for changed in tries:
            [(probe, seen)] = self._run(draft, [changed])
            if seen.reward >= reward - 0.005:
                return probe
        return None

    def _report(self, draft: Draft, value: object, probe: Probe, seen: Seen) -> None:
        known = _known(self.bench)
        if (
            seen.reward < _LEAST
            or seen.reward <= known + 0.005
            or several_are_right(self.bench.task.instruction)
        ):
            return
        task = self.bench.task
        other = self._contradicted(draft, value, seen.reward) if seen.reward >= _HALF else None
        about = bool(provided_files(task)) or _FACTS.search(task.instruction) is not None
        if other is None:
            severity = Severity.MEDIUM if about else Severity.LOW
            more = (
                "It was made up from the instruction and from the bounds that are checked, without any data."
            )
        else:
            severity = Severity.HIGH if about else Severity.MEDIUM
            more = f"So does one that says something else ({other.name}): they cannot both be right."
        held = ""
        if seen.held:
            severity = max(severity, Severity.MEDIUM, key=lambda s: s.rank)
            held = " adjudge itself gives 0.0, because the output does not parse; other runners would not."
        self.result.findings.append(
            self.bench.finding(
                severity,
                _HERE,
                f"{_TITLE} earns {seen.reward:g}",
                cause=Cause.ANY_VALUE,
                seen=f"{more}{held}",
                advice=_ADVICE,
                probe=probe,
                before=0.0,
                also=[] if other is None else [other],
            )
        )


def companions(bench: Bench) -> Callable[[bytes], Files]:
    """What makes the other files that the verifier asks for: comments with what it looks for in them."""
    task = bench.task
    main = task.verifier.expected_output_path
    given = frozenset({*provided_files(task), *written_files(task)})
    paths = files_asked_for(task.folder / "tests", given, main)
    paths = [p for p in paths if p.rpartition("/")[2] in task.instruction or "/invented." in p]
    words = exemplars(task.folder / "tests") if paths else []

    def beside(answer: bytes) -> Files:
        lines = [*words, *answer.decode("utf-8", "replace").splitlines()]
        return tuple(
            (path, OutputFile("".join(f"{comment_mark(path)}{line}\n" for line in lines).encode()))
            for path in paths
        )

    return beside


def _worth(seen: Seen) -> tuple[float, int]:
    """How far an answer came: its reward, then how many tests it passed by the verifier's own words."""
    return seen.reward, max((int(match[1]) for match in _PASSED.finditer(seen.said)), default=0)


def _known(bench: Bench) -> float:
    """What plainer agents earn: if it is as much, that is the cause."""
    seen = bench.log.items()
    return max((s.reward for n, (_, s) in seen if n.startswith("trivial/") and _OWN not in n), default=0.0)


def _names(value: object) -> set[str]:
    return {str(step) for leaf in leaves(value) for step in leaf.path if isinstance(step, str)}
