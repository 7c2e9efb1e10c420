#!/usr/bin/env bash
# Write the five numbers, one per line, to `/workspace/n.txt`.
n=0
for i in 1 2 3 4 5; do
  [ "$(sed -n "${i}p" /workspace/n.txt)" = "$(sed -n "${i}p" /tests/n.txt)" ] && n=$((n + 1))
done
[ "$(wc -l < /workspace/n.txt)" -eq 5 ] || n=0
echo "$n" | awk '{ print $1 / 5 }' > /logs/verifier/reward.txt
