"""What a section of an audit hands back, and one rule that all of them share: nothing may break the verifier.

An agent's mistake must be scored. A verifier that breaks on one has its trials counted apart, and nobody
learns what the answer was worth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, Probe
from adjudge.contracts import Severity


@dataclass
class SectionResult:
    """What a section tried, what it found, or why it could not be run."""

    probes: list[Probe] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    reason: str | None = None


def check_breakage(bench: Bench, section: Section, result: SectionResult) -> None:
    """One finding for all the probes of a section on which the verifier broke, if there are any."""
    silent = [p for p in result.probes if bench.log[p.name][1].claimed is None]
    crashed = [p for p in result.probes if bench.log[p.name][1].suspected]
    if silent:
        counted = [p for p in silent if not bench.log[p.name][1].held]
        example = (counted or silent)[0]
        why = bench.log[example.name][1].problem or "no reward"
        result.findings.append(
            bench.finding(
                Severity.MEDIUM if counted else Severity.LOW,
                section,
                f"{len(silent)} wrong answer{'' if len(silent) == 1 else 's'} left the verifier "
                f"without a reward",
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
