"""Scores /workspace/answer.json; the reference values are those worked out in solution/solve.sh.

The tolerance is narrow on purpose: adding apparent powers as if they were in phase gives 625.1 kVA, which is
0.4 % too much. The answer's shape is declared in output.schema.json, which adjudge checks before this runs.
"""

from adjudge_kit import Verifier

with Verifier.from_file("/workspace/answer.json") as v:
    v.number("demand_kva", 622.546, rel=0.002, figures=4)
    v.number("design_kva", 747.055, rel=0.002, figures=4)
    v.number("rating_kva", 800)
    v.number("rated_current_a", 1154.70, rel=0.002, figures=4)
    v.number("loading_pct", 77.8182, rel=0.002, figures=4)
    v.number("fault_current_ka", 19.2450, rel=0.002, figures=4)
