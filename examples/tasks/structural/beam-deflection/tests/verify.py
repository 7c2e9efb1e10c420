"""Scores /workspace/answer.json by its worst field; solution/solve.sh works out the references.

The numbers fade: just outside the tolerance is a slip of rounding and costs part of the reward, further away
all of it. The utilisation fades with the moment that it follows from, else the worst field would undo it.
"""

from adjudge_kit import Verifier

with Verifier.from_file("/workspace/answer.json", rollup="min", strings=True) as v:
    v.number("design_moment_knm", 151.875, rel=0.005, fade=4)
    v.number("moment_utilisation", 0.621929, rel=0.005, fade=4)
    v.number("deflection_mm", 11.2463, rel=0.005, fade=4)
    v.number("deflection_limit_mm", 20.8333, rel=0.005, fade=4)
    v.boolean("deflection_ok", True)
