"""What stands beside the reward must not cost it: a second file that says another number, or other values.

Who writes `reward.json` and `reward.txt` should say the same in both: a runner reads one of them. And Harbor
takes numbers only in `reward.json`: a text, a list or an object there ends the trial without a reward.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench
from adjudge.audit.sections.measure import EPS
from adjudge.contracts import Severity
from adjudge.errors import show
from adjudge.scoring import beside_the_reward
from adjudge.tasks import declarations_of

_PLANTED = ("exploits/", "honesty/")
"""Probes that put a reward there themselves, or keep the verifier from writing one."""
_FILE = "reward.json"
_MOST_KEYS = 4
_OF_HARBOR = ("version", "schema_version", "agent", "steps")
"""Keys of a task.toml that only Harbor reads."""


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


def other_values(bench: Bench) -> list[Finding]:
    """One finding if `reward.json` holds a value that Harbor cannot read, shown by the first such answer.

    Medium if the task is Harbor's; adjudge keeps such values as evidence.
    """
    for probe, seen in bench.log.values():
        if seen.claimed is None or probe.name.startswith(_PLANTED):
            continue
        wrong = _unread(beside_the_reward(seen.artifacts.get(_FILE)))
        if wrong:
            key, value = next(iter(wrong.items()))
            declared = declarations_of(bench.task)
            harbors = any(name in declared for name in _OF_HARBOR)
            return [
                bench.finding(
                    Severity.MEDIUM if harbors else Severity.LOW,
                    Section.GOLDENS,
                    f"{_FILE} holds values that are no numbers: {', '.join(list(wrong)[:_MOST_KEYS])}",
                    cause=Cause.OTHER_VALUES,
                    seen=f"{probe.what}: {key} is {show(value)}. adjudge keeps it as evidence; Harbor takes "
                    "numbers only, and ends the trial without a reward.",
                    advice=f"Write numbers to {_FILE}, and all else to details.json.",
                    probe=probe,
                )
            ]
    return []


def _unread(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is no number and does not read as one."""
    return {
        key: value
        for key, value in values.items()
        if not isinstance(value, int | float) and not (isinstance(value, str) and _is_number(value))
    }


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(data: bytes | None) -> float | None:
    try:
        number = float((data or b"").decode("ascii", "replace"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
