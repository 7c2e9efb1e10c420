"""What trivial agents earn on the tasks of a report, from the certificates that the ledger keeps.

An agent is worth what it earns above them. A task without a certificate has no base line, and is counted as
such: no zero is put in its place.
"""

from __future__ import annotations

import json

from adjudge.audit import Certificate
from adjudge.ledger import Ledger, TrialFilter


def read_baselines(ledger: Ledger, wanted: TrialFilter) -> tuple[str, ...]:
    """Sentences: the mean reward of each trivial agent over the audited tasks, the best first."""
    digests = ledger.columns(wanted).task_digest.categories
    found = [stored for digest in digests if (stored := ledger.certificate(digest)) is not None]
    rewards: dict[str, list[float]] = {}
    for stored in found:
        for name, reward in Certificate.model_validate_json(json.dumps(stored)).baselines.items():
            kind = "echo" if name.startswith("echo-") else name
            rewards.setdefault(kind, []).append(reward)
    if not rewards:
        return ("No base lines: none of these tasks has a certificate with them; `adjudge audit` makes one.",)
    means = sorted(((sum(r) / len(r), name) for name, r in rewards.items()), reverse=True)
    earned = ", ".join(f"{name} {mean:.3f}" for mean, name in means)
    return (
        f"Trivial agents earn, in the mean over {len(found)} of {len(digests)} task versions with a "
        f"certificate: {earned}. An agent that earns no more has shown nothing.",
    )
