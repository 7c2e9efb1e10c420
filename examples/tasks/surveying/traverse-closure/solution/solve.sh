#!/usr/bin/env bash
# ΔN = d cos β, ΔE = d sin β; Bowditch: each line takes -misclosure · d / Σd
#
# By hand:  line   ΔN (m)      ΔE (m)
#           A-B   180.3900    122.6952
#           B-C   -78.5048    268.5621
#           C-D  -259.2586     49.5865
#           D-E   -52.2968   -292.2792
#           E-A   209.7428   -148.5367
#           sum     0.0726      0.0279    length 0.0778 m;  1315.854 / 0.07776 = 16 921
#           B: 1000 + 180.3900 - 0.0726 · 218.162 / 1315.854 = 1180.378;  5000 + 122.6952 - 0.0046 = 5122.691
set -euo pipefail
python3 - <<'PYTHON'
import json
import math

lines = [
    ("B", (34, 13, 20), 218.162), ("C", (106, 17, 40), 279.801), ("D", (169, 10, 20), 263.958),
    ("E", (259, 51, 20), 296.921), ("A", (324, 41, 40), 257.012),
]  # fmt: skip
legs = []
for station, (degrees, minutes, seconds), distance in lines:
    bearing = math.radians(degrees + minutes / 60 + seconds / 3600)
    legs.append((station, distance, distance * math.cos(bearing), distance * math.sin(bearing)))
total = sum(leg[1] for leg in legs)
north, east = sum(leg[2] for leg in legs), sum(leg[3] for leg in legs)
linear = math.hypot(north, east)
closure = {
    "misclosure_n_m": round(north, 4),
    "misclosure_e_m": round(east, 4),
    "linear_misclosure_m": round(linear, 4),
    "precision_denominator": round(total / linear, 1),
    "accepted": total / linear >= 10_000,
}
with open("/workspace/closure.json", "w", encoding="utf-8") as file:
    json.dump(closure, file, indent=2)
with open("/workspace/coordinates.csv", "w", encoding="utf-8") as file:
    file.write("station,northing_m,easting_m\n")
    northing, easting = 1000.0, 5000.0
    for station, distance, delta_n, delta_e in legs[:-1]:
        northing += delta_n - north * distance / total
        easting += delta_e - east * distance / total
        file.write(f"{station},{northing:.3f},{easting:.3f}\n")
PYTHON
