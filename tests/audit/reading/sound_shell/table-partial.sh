#!/usr/bin/env bash
# Write `/workspace/loads.csv` with the columns beam and kN, one row per beam.
total=0; good=0
declare -A want=([B1]=12.5 [B2]=33.1 [B3]=7.9)
declare -A seen
while IFS=, read -r beam load _; do
  load=${load%$'\r'}
  [[ $beam == beam ]] && continue
  [[ -n ${want[$beam]:-} && -z ${seen[$beam]:-} ]] || { total=$((total + 1)); continue; }
  seen[$beam]=1
  if [[ $load =~ ^-?[0-9]+(\.[0-9]+)?$ ]] && awk -v a="$load" -v b="${want[$beam]}" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= 0.01 * b) }'; then
    good=$((good + 1))
  fi
  total=$((total + 1))
done < /workspace/loads.csv
[ "$total" -lt 3 ] && total=3
awk -v g="$good" -v t="$total" 'BEGIN { printf "{\"reward\": %.4f}\n", g / t }' > /logs/verifier/reward.json
