"""What an audit looks into, a file or a folder for each section."""

from adjudge.audit.sections.attacks import audit_exploits, lingering_probe
from adjudge.audit.sections.discrimination import audit_discrimination
from adjudge.audit.sections.files import check_other_layouts
from adjudge.audit.sections.goldens import audit_goldens
from adjudge.audit.sections.guesses import check_shown_cases
from adjudge.audit.sections.honesty import audit_honesty, honesty_probes
from adjudge.audit.sections.invented import check_agreeing, check_invented, check_scripts, check_shown
from adjudge.audit.sections.layouts import audit_format
from adjudge.audit.sections.result import SectionResult, merged
from adjudge.audit.sections.source import audit_source, weighed_by_probes
from adjudge.audit.sections.steadiness import (
    HALF,
    HASH_SEEDS,
    MOSTLY,
    NEARLY,
    audit_determinism,
    check_hash_seeds,
    determinism_probes,
)
from adjudge.audit.sections.stilled import stilled
from adjudge.audit.sections.trivial import audit_trivial
from adjudge.audit.sections.two_rewards import other_values, two_rewards

__all__ = [
    "HALF",
    "HASH_SEEDS",
    "MOSTLY",
    "NEARLY",
    "SectionResult",
    "audit_determinism",
    "audit_discrimination",
    "audit_exploits",
    "audit_format",
    "audit_goldens",
    "audit_honesty",
    "audit_source",
    "audit_trivial",
    "check_agreeing",
    "check_hash_seeds",
    "check_invented",
    "check_other_layouts",
    "check_scripts",
    "check_shown",
    "check_shown_cases",
    "determinism_probes",
    "honesty_probes",
    "lingering_probe",
    "merged",
    "other_values",
    "stilled",
    "two_rewards",
    "weighed_by_probes",
]
