#!/usr/bin/env bash
# By hand:  K = (14 / 200 · 100 %) / 10 % = 0.7;  τ = 1.5 (185 - 95) = 135 s;  θ = 185 - 135 = 50 s
#           Kc = 135 / (0.7 · (50 + 50)) = 1.92857;  Ti = min(135, 4 · 100) = 135 s
#           more output heats more, so a rising temperature must lower the output: reverse
set -euo pipefail
python3 - <<'PYTHON'
gain = (74.0 - 60.0) / 200.0 * 100 / (50 - 40)
time_constant = 1.5 * (185 - 95)
dead_time = 185 - time_constant
kc = time_constant / (gain * (dead_time + dead_time))
ti = min(time_constant, 4 * (dead_time + dead_time))
with open("/workspace/controller.toml", "w", encoding="utf-8") as file:
    file.write(f"[process]\ngain = {gain:.4f}\ntime_constant_s = {time_constant:.1f}\n")
    file.write(f"dead_time_s = {dead_time:.1f}\n\n[controller]\nkc = {kc:.4f}\nti_s = {ti:.1f}\n")
    file.write('action = "reverse"\n' if gain > 0 else 'action = "direct"\n')
PYTHON
