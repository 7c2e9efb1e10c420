#!/usr/bin/env bash
# F_i = 0.75 S_p A_t;  T = K F_i d;  F_b = F_i + C P;  F_m = F_i - (1 - C) P;  n_sep = F_i / ((1 - C) P)
#
# By hand:  proof load 600 · 245 = 147.00 kN;  F_i = 0.75 · 147.00 = 110.25 kN
#           T = 0.20 · 110 250 N · 0.020 m = 441.0 N·m
#           F_b = 110.25 + 0.2 · 40 = 118.25 kN;  F_m = 110.25 - 0.8 · 40 = 78.25 kN;  n = 110.25 / 32 = 3.4453
set -euo pipefail
python3 - <<'PYTHON'
import json

diameter_m, area_mm2, proof_mpa, nut_factor, external_kn, share = 0.020, 245.0, 600.0, 0.20, 40.0, 0.20
preload_kn = 0.75 * proof_mpa * area_mm2 / 1000
answer = {
    "preload_kn": round(preload_kn, 3),
    "torque_nm": round(nut_factor * preload_kn * 1000 * diameter_m, 2),
    "bolt_load_kn": round(preload_kn + share * external_kn, 3),
    "clamp_force_kn": round(preload_kn - (1 - share) * external_kn, 3),
    "separation_factor": round(preload_kn / ((1 - share) * external_kn), 4),
}
with open("/workspace/answer.json", "w", encoding="utf-8") as file:
    json.dump(answer, file, indent=2)
PYTHON
