#!/usr/bin/env bash
# Write `/workspace/sum.py`, which reads numbers and prints their sum.
pass=0
for t in 1 2 3; do
  if timeout 5 python3 -I /workspace/sum.py < /tests/in$t.txt > /tmp/out$t.txt 2>/dev/null && cmp -s /tmp/out$t.txt /tests/out$t.txt; then pass=$((pass+1)); fi
done
python3 -I -c "import sys; print(int(sys.argv[1]) / 3)" "$pass" > /logs/verifier/reward.txt
