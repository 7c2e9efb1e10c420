#!/usr/bin/env bash
# Write the report to `/workspace/report.md` with the sections Summary and Findings, and the total.
PASS=0; FAIL=0
OUT=/workspace/report.md
check() { local name="$1"; shift; if "$@"; then PASS=$((PASS+1)); echo "PASS $name"; else FAIL=$((FAIL+1)); echo "FAIL $name"; fi; }
has_heading() { grep -qE "^## +$1[[:space:]]*$" "$OUT"; }
total_right() { [ "$(grep -oE '^Total: [0-9]+$' "$OUT" | head -1 | cut -d' ' -f2)" = "4711" ]; }
check summary has_heading Summary
check findings has_heading Findings
check total total_right
awk -v p="$PASS" -v f="$FAIL" 'BEGIN { printf "%.3f\n", p/(p+f) }' > /logs/verifier/reward.txt
