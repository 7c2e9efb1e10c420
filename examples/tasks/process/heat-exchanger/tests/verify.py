"""Scores /workspace/output.md; the reference values are those worked out in solution/solve.sh."""

from adjudge_kit import Verifier

with Verifier.from_file("/workspace/output.md", strings=True) as v:
    v.number("duty_kw", 236.25, rel=0.005, unit="kW")
    v.number("water_outlet_c", 48.8397, abs=0.1, unit="°C")
    v.number("lmtd_k", 46.8696, rel=0.005, unit="K")
    v.number("area_m2", 16.5619, rel=0.005, unit="m2")
    v.number("tubes", 93)
