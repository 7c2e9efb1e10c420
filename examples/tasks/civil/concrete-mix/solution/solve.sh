#!/usr/bin/env bash
# aggregate volume = 1 - cement/3150 - water/1000 - air; the wet aggregates bring part of the water along
#
# By hand, C25:  cement 180 / 0.60 = 300 kg, 0.09524 m³;  aggregate 1 - 0.09524 - 0.180 - 0.020 = 0.70476 m³
#                fine 0.70476 · 0.42 · 2650 = 784.40 kg dry, · 1.04 = 815.78 kg;  coarse 0.70476 · 0.58 · 2700 = 1103.66, · 1.01 = 1114.69
#                water 180 - 0.04 · 784.40 - 0.01 · 1103.66 = 180 - 31.376 - 11.037 = 137.59 kg
#          C40:  cement 425 kg;  aggregate 1 - 0.13492 - 0.170 - 0.015 = 0.68008 m³;  fine 684.84, coarse 1138.45
#                water 170 - 27.394 - 11.385 = 131.22 kg
set -euo pipefail
python3 - <<'PYTHON'
import json

mixes = [("C25", 180, 0.60, 0.020, 0.42), ("C32", 175, 0.50, 0.020, 0.40), ("C40", 170, 0.40, 0.015, 0.38)]
with open("/workspace/mixes.jsonl", "w", encoding="utf-8") as file:
    for mix, water, ratio, air, share in mixes:
        cement = water / ratio
        aggregate = 1 - cement / 3150 - water / 1000 - air
        fine, coarse = aggregate * share * 2650, aggregate * (1 - share) * 2700
        record = {
            "mix": mix,
            "cement_kg": round(cement, 2),
            "water_kg": round(water - 0.04 * fine - 0.01 * coarse, 2),
            "fine_kg": round(1.04 * fine, 2),
            "coarse_kg": round(1.01 * coarse, 2),
        }
        file.write(json.dumps(record) + "\n")
PYTHON
