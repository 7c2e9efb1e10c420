"""What a section of an audit hands back, and one rule that all of them share: nothing may break the verifier.

An agent's mistake must be scored. A verifier that breaks on one has its trials counted apart, and nobody
learns what the answer was worth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, BudgetSpent, Probe
from adjudge.contracts import Limit, Severity

_APART = frozenset(
    {
        Cause.NOT_TRIED,
        Cause.GOLDEN,
        Cause.PEOPLE,
        Cause.GOLDEN_SETTINGS,
        Cause.CATEGORY,
        Cause.ENVIRONMENT,
        "",
    }
)


class SectionResult(Struct):
    """What a section tried, what it found, or why it could not be run."""

    probes: list[Probe] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    reason: str | None = None
    read: list[str] = field(default_factory=list)
    """The files whose source was read."""


def in_turn(*steps: Callable[[], None]) -> None:
    """Take every step, also if the time did not suffice for one before it; then BudgetSpent of the first."""
    spent: BudgetSpent | None = None
    for step in steps:
        try:
            step()
        except BudgetSpent as event:
            spent = spent or event
    if spent is not None:
        raise spent


def merged(findings: Sequence[Finding]) -> list[Finding]:
    """One finding for each cause, the worst first; what the others show is named in it.

    What could not be tried has a reason each, and is left as it is.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for number, finding in enumerate(findings):
        key = str(number) if finding.cause in _APART else ""
        groups.setdefault((finding.cause, key), []).append(finding)
    return [_one_of(group) for group in groups.values()]


def _one_of(group: Sequence[Finding]) -> Finding:
    main, *others = sorted(group, key=lambda finding: finding.severity.rank)
    if not others:
        return main
    head, _, tail = main.title.partition(": ")
    parts = [f.title.partition(": ") for f in (main, *others)]
    subjects = [one for one, _, other in parts if other == tail]
    whats = [other for one, _, other in parts if one == head]
    title = main.title
    if tail and len(subjects) > 1:  # one thing, seen in several fields
        title = f"{listed(subjects)}: {tail}"
    elif tail and len(whats) > 1:  # one rule, broken in several ways
        title = f"{head}: {listed(whats)}"
    rest = [f.title for f, (one, _, other) in zip(others, parts[1:], strict=True) if tail not in (other, "")]
    rest = [said for said in rest if not (tail and len(whats) > 1 and said.startswith(f"{head}: "))]
    seen = f"{main.seen} Shown as well by: {listed(rest)}." if rest else main.seen
    probes = [name for f in others for name in (f.probe, *f.also) if name is not None]
    also = [name for name in dict.fromkeys((*main.also, *probes)) if name != main.probe]
    return main.model_copy(update={"title": title, "seen": seen, "also": also[:20]})


def listed(names: Sequence[str], most: int = 4) -> str:
    """A few names, and how many more there are."""
    names = list(dict.fromkeys(names))
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


_MAY_BREAK = frozenset({"exploits/endless", "exploits/exit-0", "exploits/exit-124", "exploits/writes-late"})
"""Programs that were cut, or that end a verifier which imports them: no answers that it must read."""
_NO_ANSWERS = ("exploits/link-", "exploits/seeded-", "exploits/background", "exploits/left-behind")
"""Links, and workspaces that were tampered with: adjudge shows a verifier none of them."""
_SHOULD_PASS = ("goldens/pass/", "goldens/solution")
_FAR_FETCHED = frozenset({"discrimination/spoof-long-numbers", "exploits/long-number", "exploits/huge"})
"""What no agent writes by mistake: to break on it is a smaller fault."""


def check_breakage(bench: Bench, section: Section, result: SectionResult) -> None:
    """One finding for all the probes of a section on which the verifier broke, if there are any."""
    if all(seen.claimed is None for _, seen in bench.log.values()):
        return  # it says nothing to anybody, which the goldens tell
    due = [seen for name, (_, seen) in bench.log.items() if name.startswith(_SHOULD_PASS)]
    if due and all(seen.claimed is None for seen in due) and not any(s.reward for _, s in bench.log.values()):
        return  # it breaks on right answers as well: that these are wrong is not why
    answers = [  # side files have their own finding, or none; so has code that ran
        p
        for p in result.probes
        if "/side-files" not in p.name
        and p.name not in _MAY_BREAK
        and not p.name.startswith(_NO_ANSWERS)
        and p.name in bench.log
        and not bench.log[p.name][1].executed
    ]
    silent = [p for p in answers if bench.log[p.name][1].claimed is None]
    crashed = [p for p in answers if bench.log[p.name][1].suspected]
    if silent:
        counted = [p for p in silent if not bench.log[p.name][1].held and p.name not in _FAR_FETCHED]
        example = (counted or silent)[0]
        hung = Limit.WALL_TIME in bench.log[example.name][1].limits_hit
        why = bench.log[example.name][1].problem or "no reward"
        result.findings.append(
            bench.finding(
                Severity.MEDIUM if counted else Severity.LOW,
                section,
                f"{len(silent)} wrong answer{'' if len(silent) == 1 else 's'} left the verifier "
                f"without a reward",
                cause=Cause.HANGS if hung else Cause.CRASHES,
                seen=f"{_named([p.what for p in silent])}. {why}.",
                advice="Treat what the agent wrote as data that may be anything: a missing field, a "
                "wrong type or text that "
                "does not parse is a 0.0 with a reason, not a crash. adjudge_kit does this.",
                probe=example,
            )
        )
    if crashed:
        example = crashed[0]
        result.findings.append(
            bench.finding(
                Severity.LOW,
                section,
                f"{len(crashed)} wrong answer{'' if len(crashed) == 1 else 's'} crashed the verifier",
                cause=Cause.CRASHES,
                seen=f"{_named([p.what for p in crashed])}. A reward was written all the same, and "
                f"adjudge counts the "
                "trial as a suspected verifier failure.",
                advice="Catch what the agent's answer can raise, and write a 0.0 with the reason "
                "into details.json.",
                probe=example,
            )
        )


def _named(whats: list[str]) -> str:
    shown = "; ".join(whats[:4])
    return shown if len(whats) <= 4 else f"{shown}; and {len(whats) - 4} more"
