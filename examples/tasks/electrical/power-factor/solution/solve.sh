#!/usr/bin/env bash
# Q = P tan(arccos pf); bank = ceil((Q1 - Q2) / 25) · 25;  I = P / (sqrt 3 U pf)
#
# By hand:  Q1 = 420 · 0.963863 = 404.82 kvar;  Q2 = 420 · 0.328684 = 138.05 kvar;  needed 266.77 kvar
#           266.77 / 25 = 10.67 -> 11 steps, 275 kvar;  left over 404.82 - 275 = 129.82 kvar
#           S = sqrt(420² + 129.82²) = 439.61 kVA;  pf = 420 / 439.61 = 0.95540
#           before: 420 / (1.73205 · 0.4 · 0.72) = 841.97 A;  after: 439.61 / 0.69282 = 634.52 A
set -euo pipefail
python3 - <<'PYTHON'
import math

active, step = 420.0, 25
before = active * math.tan(math.acos(0.72))
required = before - active * math.tan(math.acos(0.95))
steps = math.ceil(required / step)
apparent = math.hypot(active, before - steps * step)
answer = {
    "required_kvar": round(required, 2),
    "steps": steps,
    "installed_kvar": steps * step,
    "corrected_power_factor": round(active / apparent, 4),
    "current_before_a": round(active / 0.72 / (math.sqrt(3) * 0.4), 2),
    "current_after_a": round(apparent / (math.sqrt(3) * 0.4), 2),
}
with open("/workspace/answer.yaml", "w", encoding="utf-8") as file:
    file.writelines(f"{name}: {value}\n" for name, value in answer.items())
PYTHON
