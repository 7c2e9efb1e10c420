#!/usr/bin/env bash
# Write the total in EUR to `/workspace/total.txt`.
want=$(awk -F, 'NR > 1 { s += $3 } END { printf "%.2f", s }' /tests/orders.csv)
got=$(tr -d '[:space:]' < /workspace/total.txt)
[ "$got" = "$want" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
