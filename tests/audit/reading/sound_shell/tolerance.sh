#!/usr/bin/env bash
# Write the flow in m3/s to `/workspace/flow.txt`.
read -r got < /workspace/flow.txt || true
awk -v x="$got" 'BEGIN { ok = (x ~ /^[0-9]+(\.[0-9]+)?$/) && x >= 12.4 && x <= 12.6; printf "{\"reward\": %d}", ok }' > /logs/verifier/reward.json
