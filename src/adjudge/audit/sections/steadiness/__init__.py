"""Does a verifier give the same answer the same reward: again, and under another clock, user, seed, place?"""

from adjudge.audit.sections.steadiness.determinism import (
    HALF,
    MOSTLY,
    NEARLY,
    audit_determinism,
    determinism_probes,
)
from adjudge.audit.sections.steadiness.hash_seeds import check_hash_seeds
from adjudge.audit.sections.steadiness.perturbations import HASH_SEEDS

__all__ = [
    "HALF",
    "HASH_SEEDS",
    "MOSTLY",
    "NEARLY",
    "audit_determinism",
    "check_hash_seeds",
    "determinism_probes",
]
