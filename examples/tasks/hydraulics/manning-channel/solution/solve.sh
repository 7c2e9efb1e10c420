#!/usr/bin/env bash
# Q = A R^(2/3) sqrt(S0) / n;  A = (b + z y) y;  P = b + 2 y sqrt(1 + z²);  Fr = v / sqrt(g A / T)
#
# By hand, the last two trials (AR^(2/3) must be Q n / sqrt S0 = 8.5 · 0.025 / 0.0346410 = 6.13435):
#   y = 1.3400:  A = 5.0100 · 1.3400 = 6.7134,  P = 7.8314,  R = 0.8572,  A R^(2/3) = 6.7134 · 0.90240 = 6.0582  too low
#   y = 1.3487:  A = 5.02305 · 1.3487 = 6.7746, P = 7.8628,  R = 0.8616,  A R^(2/3) = 6.7746 · 0.90546 = 6.1341  it is
#   v = 8.5 / 6.7746 = 1.2547 m/s;  T = 3 + 3 · 1.3487 = 7.0461 m, A / T = 0.96147 m;  Fr = 1.2547 / 3.0712 = 0.4085
set -euo pipefail
python3 - <<'PYTHON'
import json
import math

discharge, bottom, side, slope, roughness, gravity = 8.5, 3.0, 1.5, 0.0012, 0.025, 9.81


def section(depth):
    area = (bottom + side * depth) * depth
    return area, area / (bottom + 2 * depth * math.sqrt(1 + side**2))


def carried(depth):
    area, radius = section(depth)
    return area * radius ** (2 / 3) * math.sqrt(slope) / roughness


low, high = 0.0, 10.0  # what is carried grows with the depth, so halving the interval finds the one root
for _ in range(60):
    middle = (low + high) / 2
    low, high = (middle, high) if carried(middle) < discharge else (low, middle)
area, radius = section(low)
velocity = discharge / area
froude = velocity / math.sqrt(gravity * area / (bottom + 2 * side * low))
answer = {
    "geometry": {
        "normal_depth_m": round(low, 4),
        "area_m2": round(area, 4),
        "hydraulic_radius_m": round(radius, 4),
    },
    "flow": {
        "velocity_m_s": round(velocity, 4),
        "froude": round(froude, 4),
        "regime": "subcritical" if froude < 1 else "supercritical",
    },
}
with open("/workspace/answer.json", "w", encoding="utf-8") as file:
    json.dump(answer, file, indent=2)
PYTHON
