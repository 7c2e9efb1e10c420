#!/usr/bin/env bash
# Write `/workspace/out.csv` with a header and rows sorted by id.
f=/workspace/out.csv
head -1 "$f" | grep -qx 'id,name,qty' || { echo 0 > /logs/verifier/reward.txt; exit 0; }
if diff -q <(tail -n +2 "$f") /tests/rows.csv >/dev/null; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
