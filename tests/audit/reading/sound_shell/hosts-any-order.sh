#!/usr/bin/env bash
# Write the hosts to `/workspace/hosts.txt`, one per line, in any order.
norm() { tr -d '\r' < "$1" | sed 's/[[:space:]]*$//' | grep -v '^$' | LC_ALL=C sort; }
if diff -q <(norm /workspace/hosts.txt) <(norm /tests/hosts.txt) >/dev/null 2>&1; then r=1.0; else r=0.0; fi
printf '{"reward": %s}\n' "$r" > /logs/verifier/reward.json
