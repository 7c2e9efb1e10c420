#!/usr/bin/env bash
# IEC 60364-5-52 Annex G:  u = b (ρ1 L/S cosφ + λ L sinφ) I_B,  b = 1 for three phases;  Δu = 100 u / U0
#
# By hand:  cosφ = 0.85, sinφ = sqrt(1 - 0.7225) = 0.526783
#           R = 0.0225 · 60 / 16          = 0.084375 Ω      R cosφ = 0.071719 Ω
#           X = 0.08e-3 · 60              = 0.0048 Ω        X sinφ = 0.002529 Ω
#           u = 0.074247 Ω · 63 A         = 4.6776 V
#           Δu = 100 · 4.6776 / 230       = 2.0337 %  < 3 %: compliant
set -euo pipefail
python3 - <<'PYTHON'
import json
import math

current, length, area, cos_phi, phase_voltage, limit_pct = 63.0, 60.0, 16.0, 0.85, 230.0, 3.0
resistance = 0.0225 * length / area
reactance = 0.08e-3 * length
drop = (resistance * cos_phi + reactance * math.sqrt(1 - cos_phi**2)) * current
percent = 100 * drop / phase_voltage
answer = {
    "voltage_drop_v": round(drop, 4),
    "voltage_drop_pct": round(percent, 4),
    "compliance": "compliant" if percent <= limit_pct else "non_compliant",
}
note = f"""# Voltage drop of the lighting feeder

R = {resistance:.6f} ohm, X = {reactance:.4f} ohm, so u = {drop:.4f} V phase to neutral, {percent:.4f} % of U0.

```json
{json.dumps(answer, indent=2)}
```
"""
with open("/workspace/output.md", "w", encoding="utf-8") as file:
    file.write(note)
PYTHON
