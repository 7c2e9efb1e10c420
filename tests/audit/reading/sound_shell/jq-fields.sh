#!/usr/bin/env bash
# Write `/workspace/result.json` with the keys mean, unit and samples.
f=/workspace/result.json
jq -e 'type == "object"' "$f" > /dev/null 2>&1 || { echo 0 > /logs/verifier/reward.txt; exit 0; }
s=0
jq -e '.mean | type == "number" and . > 4.99 and . < 5.01' "$f" > /dev/null && s=$((s + 1))
jq -e '.unit == "kPa"' "$f" > /dev/null && s=$((s + 1))
jq -e '.samples == [1, 2, 3]' "$f" > /dev/null && s=$((s + 1))
echo "scale=2; $s / 3" | bc > /logs/verifier/reward.txt
