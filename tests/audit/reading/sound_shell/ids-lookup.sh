#!/usr/bin/env bash
# Write the pairs to `/workspace/pairs.csv`, key,value per line.
ok=1; n=0
while IFS=, read -r k v; do
  n=$((n+1))
  ref=$(awk -F, -v k="$k" '$1 == k { print $2 }' /tests/pairs.csv)
  [ -n "$ref" ] && [ "$ref" = "$v" ] || ok=0
done < <(tr -d '\r' < /workspace/pairs.csv)
[ $n -eq 5 ] || ok=0
echo $ok > /logs/verifier/reward.txt
