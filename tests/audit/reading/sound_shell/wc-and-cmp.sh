#!/usr/bin/env bash
# Write the primes to `/workspace/p.txt`.
lines=$(wc -l < /workspace/p.txt | tr -d ' ')
[[ $lines -eq 25 ]] || { echo 0 > /logs/verifier/reward.txt; exit 0; }
cmp -s /workspace/p.txt /tests/p.txt && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
