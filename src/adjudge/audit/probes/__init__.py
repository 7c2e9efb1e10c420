"""Outputs to try on a verifier, and the bench that tries them in the sandbox."""

from adjudge.audit.probes.bench import Bench
from adjudge.audit.probes.clock import YEARS, shifted_clock
from adjudge.audit.probes.hostile import CODE, REWARD_LIKE, executable_outputs, heavy_outputs, planted_modules
from adjudge.audit.probes.mutations import (
    WORDS,
    absurd,
    all_numbers,
    all_wrong,
    blank,
    list_variants,
    number_changes,
    only_key,
    swapped,
    text_changes,
    without,
)
from adjudge.audit.probes.probe import (
    CLOCK_MARK,
    MARK,
    Conditions,
    Files,
    Probe,
    Seen,
    answer_of,
    only_answer,
    with_answer,
)

__all__ = [
    "CLOCK_MARK",
    "CODE",
    "MARK",
    "REWARD_LIKE",
    "WORDS",
    "YEARS",
    "Bench",
    "Conditions",
    "Files",
    "Probe",
    "Seen",
    "absurd",
    "all_numbers",
    "all_wrong",
    "answer_of",
    "blank",
    "executable_outputs",
    "heavy_outputs",
    "list_variants",
    "number_changes",
    "only_answer",
    "only_key",
    "planted_modules",
    "shifted_clock",
    "swapped",
    "text_changes",
    "with_answer",
    "without",
]
