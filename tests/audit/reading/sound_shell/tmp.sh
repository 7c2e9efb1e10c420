#!/usr/bin/env bash
# Write the answer to `/workspace/a.txt`.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
log="/tmp/log.$RANDOM"
tr -d '\r' < /workspace/a.txt > "$tmp/a"
if cmp -s "$tmp/a" /tests/a; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
