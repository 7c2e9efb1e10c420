#!/usr/bin/env bash
# Write the free ports to `/workspace/ports.txt`, one per line.
a=$(comm -23 <(sort /workspace/ports.txt) <(sort /tests/ports.txt) | wc -l)
b=$(comm -13 <(sort /workspace/ports.txt) <(sort /tests/ports.txt) | wc -l)
[ "$a" -eq 0 ] && [ "$b" -eq 0 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
