#!/usr/bin/env bash
# Write `/workspace/sum.sh`, which prints the sum of its arguments.
got=$(timeout 5 bash /workspace/sum.sh 2 3 2>/dev/null)
if [ "$got" = "5" ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
