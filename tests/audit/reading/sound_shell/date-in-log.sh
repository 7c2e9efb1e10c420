#!/usr/bin/env bash
# Write `/workspace/a.txt`.
stamp=$(date +%Y%m%d-%H%M%S)
cp /workspace/a.txt "/logs/verifier/a-$stamp.txt"
if cmp -s /workspace/a.txt /tests/a.txt; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
