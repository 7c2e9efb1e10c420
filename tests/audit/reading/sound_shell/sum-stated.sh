#!/usr/bin/env bash
# Write the table `/workspace/t.csv` with id,value and a last line total.
tail -n +2 /workspace/t.csv | tr -d '\r' > /tmp/rows
awk -F, 'NR==FNR { w[$1]=$2; next } ($1 in w) && w[$1] == $2 && !s[$1]++ { g++ } END { printf "%.3f", g/length(w) }' /tests/t.csv /tmp/rows > /logs/verifier/reward.txt
