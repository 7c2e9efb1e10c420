#!/usr/bin/env bash
# Write `/workspace/plan.json`.
set +e
python3 -I /tests/check.py > /tmp/out 2> /tmp/err
rc=$?
set -e
echo "check ended with $rc"
if [ "$rc" -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
