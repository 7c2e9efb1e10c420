#!/usr/bin/env bash
# Write the numbers to `/workspace/numbers.txt`, one per line, in order.
paste -d' ' /tests/numbers.txt <(tr -d '\r' < /workspace/numbers.txt) | awk '{ n++; if (NF == 2 && $1 == $2) g++ } END { print (n == 5 && g == 5) ? 1 : 0 }' > /logs/verifier/reward.txt
