"""Scores /workspace/mixes.jsonl: records matched by mix, by precision and recall.

A record's credit is the mean of its fields. The reference is computed by solution/solve.sh, which shows two
of the mixes by hand.
"""

from adjudge_kit import Verifier

MIXES = [
    {"mix": "C25", "cement_kg": 300.0, "water_kg": 137.587, "fine_kg": 815.776, "coarse_kg": 1114.694},
    {"mix": "C32", "cement_kg": 350.0, "water_kg": 134.338, "fine_kg": 764.943, "coarse_kg": 1135.341},
    {"mix": "C40", "cement_kg": 425.0, "water_kg": 131.222, "fine_kg": 712.234, "coarse_kg": 1149.837},
]

with Verifier.from_file("/workspace/mixes.jsonl", strings=True) as v:
    v.records("mixes", MIXES, key="mix", rel=0.005)
