#!/usr/bin/env bash
# Write the ledger `/workspace/ledger.csv` (id,amount).
tail -n +2 /workspace/ledger.csv | tr -d '\r' | sort > /tmp/mine
tail -n +2 /tests/ledger.csv | sort > /tmp/ours
total=$(awk -F, '{ s += $2 } END { printf "%.2f", s }' /tmp/mine)
echo "total $total"
cmp -s /tmp/mine /tmp/ours && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
