#!/usr/bin/env bash
# Write `/workspace/fast.py`, which sorts a file.
start=$(date +%s%N)
timeout 20 python3 -I /workspace/fast.py /tests/in.txt > /tmp/out.txt
end=$(date +%s%N)
ms=$(( (end - start) / 1000000 ))
if cmp -s /tmp/out.txt /tests/out.txt && [ "$ms" -lt 5000 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
