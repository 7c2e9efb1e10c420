#!/usr/bin/env bash
# D >= sqrt(4 Q / (π v_limit)), next standard size;  v = Q / (π D² / 4);  Δp = f L / D · ρ v² / 2
#
# By hand:  S1 552.8 -> 560 mm;  S2 494.8 -> 500;  S3 356.8 -> 400 (355 would run at 5.56 m/s);  S4 385.4 -> 400;
#           S5 281.5 -> 315;  S6 208.9 -> 250
#           S1: 1.8 / (π · 0.56² / 4) = 1.8 / 0.246301 = 7.308 m/s;  0.02 · 12 / 0.56 · 0.6 · 7.308² = 13.73 Pa
#           S6: 0.12 / 0.0490874 = 2.4446 m/s;  0.02 · 10 / 0.25 · 0.6 · 2.4446² = 2.869 Pa
set -euo pipefail
python3 - <<'PYTHON'
import math

sizes = (200, 250, 315, 355, 400, 450, 500, 560, 630, 710, 800)
sections = [
    ("S1", 1800, 7.5, 12.0), ("S2", 1250, 6.5, 9.0), ("S3", 550, 5.5, 15.0),
    ("S4", 700, 6.0, 8.5), ("S5", 280, 4.5, 6.0), ("S6", 120, 3.5, 10.0),
]  # fmt: skip


def velocity(flow_l_s, diameter_mm):
    return flow_l_s / 1000 / (math.pi * (diameter_mm / 1000) ** 2 / 4)


with open("/workspace/ducts.csv", "w", encoding="utf-8") as file:
    file.write("section,diameter_mm,velocity_m_s,friction_loss_pa\n")
    for name, flow, limit, length in sections:
        size = next(d for d in sizes if velocity(flow, d) <= limit)
        speed = velocity(flow, size)
        loss = 0.020 * length / (size / 1000) * 1.20 * speed**2 / 2
        file.write(f"{name},{size},{speed:.3f},{loss:.3f}\n")
PYTHON
