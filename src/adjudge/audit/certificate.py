"""A certificate as data: what was tried on a verifier, what was found, and whether it can be trusted.

Nothing here is computed but the verdict. The same task gives the same certificate, byte for byte: it holds no
time, no path of the machine and no measurement that differs from run to run.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from adjudge.contracts import Name, Severity, Sha256, StrictModel

BUDGET_SEC = 60.0
"""How long the audit of one task may take by the command, unless it is told otherwise."""
BUDGET_WORDS = "the budget of"
"""How the reason begins if the time did not suffice for a section."""


class Section(StrEnum):
    """What an audit looks into, in the order in which it does."""

    GOLDENS = "goldens"
    DETERMINISM = "determinism"
    FORMAT = "format"
    DISCRIMINATION = "discrimination"
    TRIVIAL = "trivial agents"
    EXPLOITS = "exploits"
    HONESTY = "failure honesty"
    SOURCE = "source"


class Verdict(StrEnum):
    """A certificate in one word."""

    SOUND = "sound"
    """Nothing worse than low was found, and everything could be tried."""
    UNPROVEN = "unproven"
    """Nothing worse than low was found, but not everything could be tried."""
    QUESTIONABLE = "questionable"
    UNSOUND = "unsound"
    """At least one finding of high severity."""


class Finding(StrictModel):
    """One thing that was seen, with the output that shows it and what to do about it."""

    severity: Severity
    section: Section
    probe: Name | None = None
    """The probe that shows it; None for what no single output shows."""
    cause: str = ""
    """What is wrong, in the fixed words of `Cause`: what findings are grouped by."""
    title: str
    seen: str
    advice: str
    also: list[Name] = Field(default_factory=list)
    """Further probes that show the same."""
    reward_before: float | None = None
    """What the right answer earns, or, for an exploit, what nonsense earns."""
    reward_after: float | None = None
    evidence: Sha256 | None = None
    """The digest of the exact output, kept as a blob if the audit had a ledger."""
    reproduce: str | None = None
    """The command that runs this probe again; to be given in the folder that the task's id is relative to."""


class ProbeResult(StrictModel):
    """One output under one condition, and what the verifier said to it."""

    name: Name
    what: str
    reward: float | None
    """As the verifier wrote it; None if it wrote none that counts."""
    note: str | None = None


class HackRow(StrictModel):
    """One class of known hacks, and how the verifier stood up to it."""

    hack: str
    status: Literal["held", "broken", "not applicable", "not probed"]
    why: str = ""


class SectionReport(StrictModel):
    """What was tried in one section. One that could not be run says why."""

    section: Section
    status: Literal["passed", "findings", "not run"]
    reason: str | None = None
    probes: list[ProbeResult] = Field(default_factory=list)
    read: list[Name] = Field(default_factory=list)
    """The files below `tests/` whose source was read."""


class CertificateSignature(StrictModel):
    """Who vouches for a certificate: an Ed25519 key and its signature of the digest, both in hexadecimal."""

    key: str = Field(pattern="^[0-9a-f]{64}$")
    signature: str = Field(pattern="^[0-9a-f]{128}$")


class Certificate(StrictModel):
    """All that an audit found out about one version of a task."""

    certificate_version: Literal[1] = 1
    task_id: Name
    task_digest: Sha256
    adjudge_version: str
    verdict: Verdict
    answer: str | None
    """Where the right answer came from; None if none was found."""
    answer_reward: float | None = None
    discrimination: float | None = Field(default=None, ge=0, le=1)
    """Of the credit that wrong answers put at stake, the share they lost; None if none was tried."""
    deterministic: bool | None = None
    """The same reward and breakdown under every perturbation; None if that could not be tried."""
    baselines: dict[str, float] = Field(default_factory=dict)
    """What trivial agents earn here, by name: whoever earns as much has shown nothing."""
    hacks: list[HackRow] = Field(default_factory=list)
    """A row for each class in which benchmarks were really gamed."""
    budget_sec: float | None = None
    """The time that the audit was given; what did not fit into it is in `not_tried`. None in old ones."""
    probes_run: int = 0
    not_tried: list[str] = Field(default_factory=list)
    """What was not tried, and why."""
    sandbox: str = ""
    image: str | None = None
    """The image of a container sandbox."""
    packages: list[str] = Field(default_factory=list)
    """Python packages that were shown to the verifier (`--prepare`, `--packages`), as `pytest==8.4.1`."""
    python: str = ""
    """The version that adjudge itself ran with."""
    verifier_python: str | None = None
    """The version that the verifier finds as `python3`; None if it finds none."""
    seeds: list[str] = Field(default_factory=list)
    """The hash seeds that the verifier ran with. Nothing else in an audit is drawn by lot."""
    sections: list[SectionReport]
    findings: list[Finding]
    """The worst first."""
    signature: CertificateSignature | None = None

    @property
    def digest(self) -> str:
        """Of all it says: everything above but the signature and the commands, which name a folder."""
        left_out: dict[str, Any] = {"signature": True, "findings": {"__all__": {"reproduce"}}}
        if self.budget_sec is None:  # signed before certificates had a budget
            left_out["budget_sec"] = True
        if not self.packages:  # signed before certificates had any
            left_out["packages"] = True
        if not self.read:  # signed before sources were read
            left_out["sections"] = {"__all__": {"read"}}
        said = self.model_dump_json(exclude=left_out)
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def read(self) -> list[str]:
        """The files whose source was read, whatever it was read for."""
        return [file for report in self.sections for file in report.read]

    def statement(self) -> str:
        """What the verdict stands on, in one sentence."""
        kinds = [report.section.value for report in self.sections if report.probes]
        many = f"{len(kinds)} kind" if len(kinds) == 1 else f"{len(kinds)} kinds"
        read = f", and by reading {', '.join(self.read)}" if self.read else ""
        tried = f"{self.probes_run} probes of {many} ({', '.join(kinds)}){read}"
        real = any(finding.severity is not Severity.INFO for finding in self.findings)
        return f"Found by {tried}." if real else f"Nothing found by {tried}."

    def time_statement(self) -> str | None:
        """The time it was given, and what that did not suffice for; None if it had no bound."""
        if self.budget_sec is None:
            return None
        cut = [r.section.value for r in self.sections if r.reason and r.reason.startswith(BUDGET_WORDS)]
        given = f"Time given: {self.budget_sec:g} s"
        return f"{given}, too little for all of: {', '.join(cut)}." if cut else f"{given}, and it sufficed."

    def worst(self) -> Severity | None:
        """The highest severity found; None if there are no findings."""
        return self.findings[0].severity if self.findings else None

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(finding.severity is severity for finding in self.findings)


def verdict_of(findings: list[Finding], *, complete: bool) -> Verdict:
    """One high finding makes a verifier unsound, one medium questionable; what was not tried is not sound."""
    worst = min((finding.severity.rank for finding in findings), default=Severity.INFO.rank)
    if worst == Severity.HIGH.rank:
        return Verdict.UNSOUND
    if worst == Severity.MEDIUM.rank:
        return Verdict.QUESTIONABLE
    return Verdict.SOUND if complete else Verdict.UNPROVEN


def ordered(findings: list[Finding]) -> list[Finding]:
    """The worst first, then by section; the order of the audit within."""
    sections = list(Section)
    return sorted(findings, key=lambda f: (f.severity.rank, sections.index(f.section)))
