#!/usr/bin/env bash
# Write three numbers to `/workspace/n.txt`, one per line.
mapfile -t n < /workspace/n.txt
want=(3 5 8); ok=1
[ "${#n[@]}" -eq "${#want[@]}" ] || ok=0
for ((i = 0; i < 3; i++)); do
  [ "${n[i]}" = "${want[i]}" ] || ok=0
done
echo $ok > /logs/verifier/reward.txt
