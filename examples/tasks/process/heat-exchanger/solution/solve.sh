#!/usr/bin/env bash
# Q = m c ΔT;  LMTD = (ΔT1 - ΔT2) / ln(ΔT1 / ΔT2), counterflow: ΔT1 = oil in - water out, ΔT2 = oil out - water in
#
# By hand:  Q = 2.5 · 2.1 · 45 = 236.25 kW;  water rises 236.25 / (3 · 4.18) = 18.840 K to 48.840 °C
#           ΔT1 = 61.160, ΔT2 = 35.000;  LMTD = 26.160 / ln 1.74743 = 26.160 / 0.558145 = 46.870 K
#           A = 236250 / (350 · 46.870) = 14.4016 m²;  · 1.15 = 16.562 m²
#           one tube π · 0.01905 · 3 = 0.179542 m²;  16.562 / 0.179542 = 92.25 -> 93
set -euo pipefail
python3 - <<'PYTHON'
import json
import math

duty_kw = 2.50 * 2.10 * (110.0 - 65.0)
outlet = 30.0 + duty_kw / (3.00 * 4.18)
hot_end, cold_end = 110.0 - outlet, 65.0 - 30.0
lmtd = (hot_end - cold_end) / math.log(hot_end / cold_end)
area = 1.15 * duty_kw * 1000 / (350.0 * lmtd)
answer = {
    "duty_kw": round(duty_kw, 3),
    "water_outlet_c": round(outlet, 3),
    "lmtd_k": round(lmtd, 3),
    "area_m2": round(area, 3),
    "tubes": math.ceil(area / (math.pi * 0.01905 * 3.00)),
}
with open("/workspace/output.md", "w", encoding="utf-8") as file:
    file.write("Counterflow, so the temperature differences pair oil inlet with water outlet.\n\n")
    file.write(f"```json\n{json.dumps(answer, indent=2)}\n```\n")
PYTHON
