#!/usr/bin/env bash
# Write the mean to `/workspace/mean.txt`.
got=$(grep -oE '^-?[0-9]+\.?[0-9]*$' /workspace/mean.txt)
diff=$(echo "$got - 3.14" | bc -l | tr -d '-')
[ "$(echo "$diff < 0.01" | bc -l)" = 1 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
