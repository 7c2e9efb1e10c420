#!/usr/bin/env bash
# Write the spam ids to `/workspace/spam.txt`, one per line.
tp=$(comm -12 <(sort -u /workspace/spam.txt) <(sort -u /tests/spam.txt) | wc -l)
given=$(sort -u /workspace/spam.txt | wc -l)
want=$(sort -u /tests/spam.txt | wc -l)
awk -v t="$tp" -v g="$given" -v w="$want" 'BEGIN { print (g + w) ? 2 * t / (g + w) : 0 }' > /logs/verifier/reward.txt
