#!/usr/bin/env bash
# M = w L² / 8;  M_c,Rd = W_pl f_y / γ_M0;  δ = 5 q L⁴ / (384 E I)
#
# By hand:  w = 1.35 · 6 + 1.5 · 9 = 21.6 kN/m;  M_Ed = 21.6 · 56.25 / 8 = 151.875 kNm
#           M_c,Rd = 888e3 · 275 = 244.2 kNm;  utilisation 0.62193
#           L⁴ = 7500⁴ = 3.164063e15 mm⁴;  δ = 5 · 9 · 3.164063e15 / (384 · 210000 · 1.57e8)
#             = 1.423828e17 / 1.266048e16 = 11.2463 mm;  limit 7500 / 360 = 20.833 mm: within
set -euo pipefail
python3 - <<'PYTHON'
import json

span_mm, permanent, variable = 7500.0, 6.0, 9.0  # a load in kN/m is the same number in N/mm
inertia_mm4, plastic_modulus_mm3 = 15_700e4, 888e3
moment_knm = (1.35 * permanent + 1.5 * variable) * (span_mm / 1000) ** 2 / 8
resistance_knm = plastic_modulus_mm3 * 275 / 1e6
deflection_mm = 5 * variable * span_mm**4 / (384 * 210_000 * inertia_mm4)
answer = {
    "design_moment_knm": round(moment_knm, 3),
    "moment_utilisation": round(moment_knm / resistance_knm, 4),
    "deflection_mm": round(deflection_mm, 3),
    "deflection_limit_mm": round(span_mm / 360, 3),
    "deflection_ok": deflection_mm <= span_mm / 360,
}
with open("/workspace/answer.json", "w", encoding="utf-8") as file:
    json.dump(answer, file, indent=2)
PYTHON
