#!/usr/bin/env bash
# Write three words to `/workspace/words.txt`, one per line.
mapfile -t w < /workspace/words.txt
want=(red green blue)
[ ${#w[@]} -eq 3 ] || { echo 0 > /logs/verifier/reward.txt; exit; }
n=0
for i in "${!want[@]}"; do [[ "${w[$i]}" == "${want[$i]}" ]] && ((n++)); done
awk "BEGIN { print $n / 3 }" > /logs/verifier/reward.txt
