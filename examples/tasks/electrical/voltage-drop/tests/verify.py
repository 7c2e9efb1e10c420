"""Scores /workspace/output.md; the reference values are those worked out in solution/solve.sh."""

from adjudge_kit import Verifier

with Verifier.from_file("/workspace/output.md") as v:
    v.number("voltage_drop_v", 4.67758, rel=0.02, unit="V")
    v.number("voltage_drop_pct", 2.03373, rel=0.02, unit="%")
    v.choice("compliance", "compliant", among=["compliant", "non_compliant"])
