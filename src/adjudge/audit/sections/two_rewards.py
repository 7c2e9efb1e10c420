"""Who writes `reward.json` and `reward.txt` should say the same in both: a runner reads one of them."""

from __future__ import annotations

import math

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench
from adjudge.audit.sections.measure import EPS
from adjudge.contracts import Severity

_PLANTED = ("exploits/", "honesty/")
"""Probes that put a reward there themselves, or keep the verifier from writing one."""


def two_rewards(bench: Bench) -> list[Finding]:
    """One finding if any answer got two rewards that differ, shown by the one that differs most."""
    found = []
    for probe, seen in bench.log.values():
        other = _number(seen.artifacts.get("reward.txt"))
        if other is None or seen.claimed is None or "reward.json" not in seen.artifacts:
            continue
        if not probe.name.startswith(_PLANTED) and abs(other - seen.claimed) > EPS:
            found.append((abs(other - seen.claimed), probe, other, seen.claimed))
    if not found:
        return []
    _, probe, other, reward = max(found, key=lambda case: (case[0], case[1].name))
    return [
        bench.finding(
            Severity.LOW,
            Section.GOLDENS,
            "reward.txt and reward.json say different things",
            cause=Cause.TWO_REWARDS,
            seen=f"{probe.what}: reward.json says {reward:g}, reward.txt {other:g}. Which counts depends on "
            "who reads them; adjudge and Harbor take reward.json.",
            advice="Write one of them, or the same number to both.",
            probe=probe,
        )
    ]


def _number(data: bytes | None) -> float | None:
    try:
        number = float((data or b"").decode("ascii", "replace"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
