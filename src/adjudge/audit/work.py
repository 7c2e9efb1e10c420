"""The sections of one audit, in the order of their worth, and how they share its time.

Each gets the right answer if one was found, and says why it could not be run if it needs one and there is
none. What a section saw until its time was over is kept. Sections that their share did not suffice for are
taken up again at the end with what is left: what was run before costs nothing then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from adjudge.audit.answers import FieldTrial, RightAnswer, Solved
from adjudge.audit.categories import undeclared_categories
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    get,
    in_format,
    leaves,
    name_paths,
    nonsense,
    options_shown,
    replaced,
    shape,
)
from adjudge.audit.probes import (
    Bench,
    BudgetSpent,
    Files,
    Probe,
    all_wrong,
    off_by,
    only_answer,
    verifier_sources,
    with_answer,
)
from adjudge.audit.reading import Remark
from adjudge.audit.sections import (
    HALF,
    MOSTLY,
    NEARLY,
    SectionResult,
    audit_determinism,
    audit_discrimination,
    audit_exploits,
    audit_format,
    audit_goldens,
    audit_honesty,
    audit_source,
    audit_trivial,
    check_agreeing,
    check_hash_seeds,
    check_invented,
    check_other_layouts,
    check_scripts,
    check_shown,
    check_shown_cases,
    determinism_probes,
    honesty_probes,
    lingering_probe,
)
from adjudge.audit.sections.result import in_turn
from adjudge.contracts import Severity
from adjudge.tasks import golden_settings

_NO_ANSWER = (
    "no right answer was found: no golden that passes, no solution that runs, nothing to "
    "put one together from"
)


_NO_VALUES = (
    "Add goldens/fail/ with typical wrong answers: of a program, or a text without values, none can be made."
)
_SHARES = {
    Section.SOURCE: 0.5,
    Section.GOLDENS: 0.5,
    Section.TRIVIAL: 0.5,
    Section.DISCRIMINATION: 0.45,
    Section.EXPLOITS: 0.45,
    Section.FORMAT: 0.3,
    Section.HONESTY: 0.4,
    Section.DETERMINISM: 0.9,
}
"""The order of work, and the share of the time left that each may use.

What lets a wrong answer pass comes first: a budget may end before the last.
"""
_UNSTEADY = re.compile(
    r"\b(?:datetime|strftime|random|shuffle|urandom|uuid[14]|RANDOM|import time|Date\.now)\b"
    r"|\$\(date\b|\bdate \+"
)
_FOURTH = 4
_STEPS = (0.03, 0.1, 0.01, 0.3)
"""By how much the numbers of a nearly right answer are off, in turn."""
_SECOND_SHARE = 0.9
"""For what was cut; the rest is for the second look at what was found."""


class SectionWork:
    """The sections of one audit, and what they leave besides findings."""

    def __init__(
        self,
        bench: Bench,
        right: RightAnswer | None,
        solved: Solved | None,
        learned: Sequence[FieldTrial],
    ) -> None:
        self.bench = bench
        self.learned = learned
        self.right = right
        self.solved = solved
        self.discrimination: float | None = None
        self.deterministic: bool | None = None
        self.baselines: dict[str, float] = {}
        self.remarks: list[Remark] = []

    def run_all(self, sections: Collection[Section]) -> dict[Section, SectionResult]:
        """Each with its share of the time, and once more, with all that is left, what did not end in it."""
        results: dict[Section, SectionResult] = {}
        cut: list[Section] = []
        self._expect(sections)
        for section, share in _SHARES.items():
            if section not in sections:
                continue
            self.bench.budget.give(share)
            results[section], whole = self._run(section)
            cut += [] if whole else [section]
        for section in cut:
            self.bench.budget.give(_SECOND_SHARE)
            results[section], _ = self._run(section)
        self.bench.budget.give(1.0)
        return results

    def _expect(self, sections: Collection[Section]) -> None:
        """Have run aside what comes last and takes a sandbox of its own, or a while."""
        waiting: list[Probe] = []
        if Section.EXPLOITS in sections:
            waiting.append(lingering_probe(self.bench, self.right))
        if Section.HONESTY in sections:
            right, wrong = honesty_probes(self.bench, *self._broken_around())
            waiting += reversed([*right, *wrong[1:]])  # those that wait stand last
        self.bench.expect(lambda: waiting)
        if Section.DETERMINISM in sections:
            self.bench.expect(lambda: determinism_probes(self._outputs()))

    def _run(self, section: Section) -> tuple[SectionResult, bool]:
        """What was found, and whether the time sufficed; what was seen until it was over is kept."""
        sections = {
            Section.GOLDENS: self._goldens,
            Section.DETERMINISM: self._determinism,
            Section.FORMAT: self._format,
            Section.DISCRIMINATION: self._discrimination,
            Section.TRIVIAL: self._trivial,
            Section.EXPLOITS: lambda result: audit_exploits(self.bench, self.right, result),
            Section.HONESTY: self._honesty,
            Section.SOURCE: self._source,
        }
        result = SectionResult()
        try:
            sections[section](result)
        except BudgetSpent as spent:
            result.probes = [probe for probe in result.probes if probe.name in self.bench.log]
            self._not_run(section, str(spent), result, "Give it more time: --budget SECONDS.")
            return result, False
        return result, True

    def _source(self, result: SectionResult) -> None:
        self.remarks = audit_source(self.bench, result)

    def _goldens(self, result: SectionResult) -> None:
        settings = golden_settings(self.bench.task)
        audit_goldens(self.bench, settings, self.solved, self.right, self.learned, result)

    def _trivial(self, result: SectionResult) -> None:
        self.baselines = audit_trivial(self.bench, self.right, result)
        in_turn(
            lambda: check_shown(self.bench, self.right, result),
            lambda: check_shown_cases(self.bench, self.right, result),
            lambda: check_invented(self.bench, self.right, result),
            lambda: check_scripts(self.bench, self.right, result),
            lambda: check_agreeing(self.bench, self.right, result),
        )

    def _determinism(self, result: SectionResult) -> None:
        outputs = [*self._outputs(), *self._half_right(), *self._mostly_right(), *self._nearly_right()]
        self.deterministic = audit_determinism(self.bench, outputs, result, self._thresholds())
        if not check_hash_seeds(self.bench, self.right, result):
            self.deterministic = False

    def _thresholds(self) -> tuple[float, ...]:
        settings = golden_settings(self.bench.task)
        return (0.5, settings.pass_at_least, settings.fail_below)

    def _format(self, result: SectionResult) -> None:
        if self.right is None:
            self._not_run(Section.FORMAT, _NO_ANSWER, result)
        else:
            audit_format(self.bench, self.right, result)
            check_other_layouts(self.bench, self.right, audit_format, result)

    def _discrimination(self, result: SectionResult) -> None:
        if self.right is None:
            self._not_run(Section.DISCRIMINATION, _NO_ANSWER, result)
            return
        options = options_shown(self.bench.task.instruction)
        self.discrimination = audit_discrimination(self.bench, self.right, options, result)
        result.findings += undeclared_categories(self.bench)
        if result.reason is not None:
            self._not_run(Section.DISCRIMINATION, result.reason, result, _NO_VALUES)

    def _honesty(self, result: SectionResult) -> None:
        files, wrong = self._broken_around()
        [plain] = self.bench.run([Probe("honesty/ordinary", "an ordinary run", files)])
        audit_honesty(self.bench, files, plain, wrong, result)

    def _broken_around(self) -> tuple[Files, Files | None]:
        """The answer that the machinery is broken around, and a wrong one if one can be made."""
        return self.right.files if self.right else self._stand_in(), dict(self._outputs()).get("wrong")

    def _not_run(
        self,
        section: Section,
        reason: str,
        result: SectionResult,
        advice: str = "Add goldens/pass/ with one right output, or solution/solve.sh.",
    ) -> None:
        """Say that a section was not run, or not all of it, and why."""
        tried = f"after {len(result.probes)} probes" if result.probes else ""
        result.reason = reason
        result.findings.append(
            self.bench.finding(
                Severity.INFO,
                section,
                f"the section {section} was not finished ({tried})"
                if tried
                else f"the section {section} could not be run",
                cause=Cause.NOT_TRIED,
                seen=f"{reason[:1].upper()}{reason[1:]}.",
                advice=advice,
            )
        )

    def _stand_in(self) -> Files:
        """The nearest thing to an answer if none is known."""
        blank = shape(self.bench.task.output.json_schema)
        kind = self.bench.task.output.format
        return only_answer(self.bench.task, in_format(blank, kind) if blank else nonsense(kind))

    def _outputs(self) -> list[tuple[str, Files]]:
        """A right answer and a wrong one, as far as they are known."""
        if self.right is None:
            return [("blank", self._stand_in())]
        outputs = [("right", self.right.files)]
        document = self.right.document
        if document is not None and document.structured:
            data = document.render(all_wrong(document.value))
            outputs.append(("wrong", with_answer(self.bench.task, self.right.files, data)))
        return outputs

    def _nearly_right(self) -> list[tuple[str, Files]]:
        """Answers whose numbers are off by some percent, if the verifier speaks of time or of chance.

        A tolerance that depends on either shows in no answer that is plainly right or plainly wrong.
        """
        if self.right is None or self.right.document is None:
            return []
        if not self._speaks_of_chance():
            return []
        document, files = self.right.document, self.right.files
        numbers = [leaf for leaf in leaves(document.value) if leaf.kind == "number"]
        outputs = []
        for number, label in enumerate(NEARLY):
            steps = [_STEPS[(place + number) % len(_STEPS)] for place in range(len(numbers))]
            off = [(leaf, off_by(leaf.number, step)) for leaf, step in zip(numbers, steps, strict=True)]
            changes = [(leaf.path, leaf.with_number(new)) for leaf, new in off if new is not None]
            if changes:
                data = document.render(replaced(document.value, changes))
                outputs.append((label, with_answer(self.bench.task, files, data)))
        return outputs

    def _mostly_right(self) -> list[tuple[str, Files]]:
        """An answer with every fourth value wrong, if the verifier speaks of chance and there are so many.

        Of a few values that are drawn by lot, half of them wrong nearly always shows a wrong one.
        """
        if self.right is None or self.right.document is None or not self._speaks_of_chance():
            return []
        document, names = self.right.document, name_paths(self.right.document.value)
        found = [leaf for leaf in leaves(document.value) if leaf.path not in names][::_FOURTH]
        if len(found) < 2:
            return []
        wrong = all_wrong(document.value)
        data = document.render(
            replaced(document.value, [(leaf.path, get(wrong, leaf.path)) for leaf in found])
        )
        return [(MOSTLY, with_answer(self.bench.task, self.right.files, data))]

    def _speaks_of_chance(self) -> bool:
        """Does the verifier's source name the time, or anything that is drawn by lot?"""
        return any(_UNSTEADY.search(text) for text in verifier_sources(self.bench.task))

    def _half_right(self) -> list[tuple[str, Files]]:
        """An answer with every other value wrong, if possible one that earns part of the reward.

        The names of records stay: which of them is looked at may be a matter of luck. Nothing if there are
        fewer than two values.
        """
        if self.right is None or self.right.document is None:
            return []
        document, files = self.right.document, self.right.files
        names = name_paths(document.value)
        found = [leaf for leaf in leaves(document.value) if leaf.path not in names]
        if len(found) < 2:
            return []
        wrong = all_wrong(document.value)
        tried = []
        for first in (1, 0):
            changed = replaced(
                document.value, [(leaf.path, get(wrong, leaf.path)) for leaf in found[first::2]]
            )
            placed = with_answer(self.bench.task, files, document.render(changed))
            tried.append(Probe(f"determinism/{HALF}-{first}", "every other value wrong", placed))
        seen = self.bench.run(tried)
        partly = [p for p, s in zip(tried, seen, strict=True) if 0 < s.reward < self.right.reward]
        return [(HALF, (partly or tried)[0].files)]
