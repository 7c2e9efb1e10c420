"""Recall and precision of the audit over mutants: `python -m audit.mutants.measure` in tests/.

Every mutant is a task of its own, audited in all the sections that look for exploits. Found means: a finding
of at least low severity with a cause that names the flaw. Precision is about the sound bases: none of them
may have a finding of high severity.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from adjudge.audit import Cause, Finding, Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.tasks import load_task
from audit.mutants.bases import BASES, Base
from audit.mutants.operators import OPERATORS, Operator

SECTIONS = (Section.GOLDENS, Section.DISCRIMINATION, Section.TRIVIAL, Section.EXPLOITS)
_MOST_PLACES = 2


@dataclass(frozen=True)
class Mutant:
    """One verifier, broken in one place."""

    base: Base
    operator: Operator
    place: int
    source: str

    @property
    def name(self) -> str:
        return f"{self.base.name}/{self.operator.name}-{self.place}"


@dataclass(frozen=True)
class Outcome:
    """What the audit said about a mutant."""

    mutant: Mutant
    findings: tuple[Finding, ...]

    @property
    def cannot_pass(self) -> bool:
        """The golden itself fails now: no flaw that an agent could use, and the audit says so first."""
        return any(f.cause in (Cause.GOLDEN, Cause.NEVER_SCORES) for f in self.findings)

    @property
    def found(self) -> Severity | None:
        """The severity under which the flaw was named rightly; None if it was missed."""
        named = [f.severity for f in self.findings if f.cause in self.mutant.operator.causes]
        real = [severity for severity in named if severity is not Severity.INFO]
        return min(real, key=lambda severity: severity.rank, default=None)


def mutants(bases: Sequence[Base] = BASES, operators: Sequence[Operator] = OPERATORS) -> Iterator[Mutant]:
    """Every operator on the first places of every base that it fits."""
    for base in bases:
        for operator in operators:
            made = [source for source in operator.make(base.source) if source != base.source]
            for place, source in enumerate(made[:_MOST_PLACES]):
                yield Mutant(base, operator, place, source)


def sample(count: int, seed: int) -> list[Mutant]:
    """Some of the mutants, of as many operators as possible, the same for the same seed."""
    chosen = list(mutants())
    random.Random(seed).shuffle(chosen)  # noqa: S311 - a sample, no secret
    used: dict[str, int] = {}
    ranked = []
    for mutant in chosen:
        used[mutant.operator.name] = used.get(mutant.operator.name, 0) + 1
        ranked.append((used[mutant.operator.name], mutant.name, mutant))
    return [mutant for _, _, mutant in sorted(ranked, key=lambda item: item[:2])[:count]]


def examine(mutant: Mutant, sandbox: Sandbox, folder: Path) -> Outcome:
    """Audit one mutant."""
    task = load_task(mutant.base.build(folder / mutant.name.replace("/", "-"), mutant.source))
    audit = audit_task(task, sandbox, sections=SECTIONS)
    return Outcome(mutant, tuple(audit.certificate.findings))


def _report(outcomes: Sequence[Outcome]) -> None:
    outcomes = [outcome for outcome in outcomes if not outcome.cannot_pass]
    by_operator: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_operator.setdefault(outcome.mutant.operator.name, []).append(outcome)
    for name, group in sorted(by_operator.items()):
        print(f"{name:26} {sum(o.found is not None for o in group)} of {len(group)}")
    found = sum(o.found is not None for o in outcomes)
    serious = sum(o.found in (Severity.HIGH, Severity.MEDIUM) for o in outcomes)
    print(f"found {found} of {len(outcomes)} ({found / len(outcomes):.1%}), {serious} as medium or high")


def main() -> None:
    """Measure and print; misses first, with what was said instead."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of a mutant's name")
    parser.add_argument("--sound", action="store_true", help="audit the bases instead")
    chosen = parser.parse_args()
    sandbox = choose_sandbox("bubblewrap")
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        if chosen.sound:
            for base in BASES:
                findings = audit_task(load_task(base.build(root)), sandbox).certificate.findings
                lines = [f"{f.severity}: {f.cause}: {f.title}" for f in findings]
                print(base.name, *lines or ["clean"], sep="\n    ", flush=True)
            return
        work = [mutant for mutant in sample(chosen.count, chosen.seed) if chosen.only in mutant.name]
        outcomes = []
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for outcome in pool.map(lambda mutant: examine(mutant, sandbox, root), work):
                outcomes.append(outcome)
                said = "; ".join(f"{f.severity}: {f.cause} ({f.title})" for f in outcome.findings)
                word = outcome.found.value if outcome.found is not None else "MISSED"
                print(f"{outcome.mutant.name}: {word}: {said}", flush=True)
        _report(outcomes)


if __name__ == "__main__":
    main()
