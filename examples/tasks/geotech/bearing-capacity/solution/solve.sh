#!/usr/bin/env bash
# q_ult = c' Nc sc + γ Df Nq sq + ½ γ B Nγ sγ
#
# By hand:  tan 30° = 0.57735;  Nq = e^1.81380 · 3 = 6.13371 · 3 = 18.4011
#           Nc = 17.4011 · 1.73205 = 30.1396;  Nγ = 2 · 19.4011 · 0.57735 = 22.4025
#           sc = 1 + 18.4011 / 30.1396 = 1.61053;  sq = 1.57735;  sγ = 0.6
#           5 · 30.1396 · 1.61053            = 242.70 kPa
#           27.75 · 18.4011 · 1.57735        = 805.44 kPa
#           ½ · 18.5 · 2 · 22.4025 · 0.6     = 248.67 kPa
#           q_ult = 1296.81 kPa;  q_all = 432.27 kPa;  applied 1400 / 4 = 350.0 kPa: adequate
set -euo pipefail
python3 - <<'PYTHON'
import math

width, depth, unit_weight, cohesion, phi, load = 2.0, 1.5, 18.5, 5.0, math.radians(30), 1400.0
nq = math.exp(math.pi * math.tan(phi)) * math.tan(math.pi / 4 + phi / 2) ** 2
nc = (nq - 1) / math.tan(phi)
ng = 2 * (nq + 1) * math.tan(phi)
ultimate = (
    cohesion * nc * (1 + nq / nc)
    + unit_weight * depth * nq * (1 + math.tan(phi))
    + 0.5 * unit_weight * width * ng * 0.6
)
allowable, applied = ultimate / 3.0, load / width**2
report = f"""Bearing capacity of the square pad footing

Method: general bearing capacity equation with the factors of Vesic and shape factors for a square base.
Groundwater was taken as deep, so the full unit weight acts above and below the base.

Nq: {nq:.3f}
Nc: {nc:.3f}
Ngamma: {ng:.3f}
Ultimate bearing capacity: {ultimate:.1f} kPa
Allowable bearing capacity: {allowable:.1f} kPa
Applied pressure: {applied:.1f} kPa
Conclusion: {"adequate" if applied <= allowable else "inadequate"}
"""
with open("/workspace/report.txt", "w", encoding="utf-8") as file:
    file.write(report)
PYTHON
