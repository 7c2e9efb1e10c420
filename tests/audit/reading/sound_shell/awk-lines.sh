#!/usr/bin/env bash
# Write the levels to `/workspace/levels.txt`, lines `station value`, in the order of the stations.
awk '
  NR == FNR { want[FNR] = $0; n = FNR; next }
  { split(want[FNR], w, " "); if ($1 == w[1] && $2 ~ /^[0-9.]+$/ && ($2 - w[2]) <= 0.05 && ($2 - w[2]) >= -0.05) good++; lines = FNR }
  END { print (lines == n) ? good / n : 0 }
' /tests/levels.txt /workspace/levels.txt > /logs/verifier/reward.txt
