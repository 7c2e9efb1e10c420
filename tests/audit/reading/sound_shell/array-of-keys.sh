#!/usr/bin/env bash
# Write `/workspace/env.txt` with lines KEY=value.
declare -A got=()
while IFS='=' read -r key value; do
  [[ $key =~ ^[A-Z_]+$ ]] || continue
  got[$key]=$value
done < /workspace/env.txt
if [[ ${#got[@]} -eq 2 && ${got[HOST]} == "db" && ${got[PORT]} == "5432" ]]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
