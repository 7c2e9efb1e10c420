#!/usr/bin/env bash
# Write the mean with two decimals to `/workspace/mean.txt`.
want=$(awk '{ s += $1 } END { printf "%.2f", s / NR }' /tests/data.txt)
got=$(cat /workspace/mean.txt)
[ "${got%$'\n'}" = "$want" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
