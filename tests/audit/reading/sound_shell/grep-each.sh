#!/usr/bin/env bash
# Write the facts to `/workspace/facts.txt`, lines `key=value`.
score=0; n=0
while read -r line; do
  n=$((n + 1))
  grep -Fxq -- "$line" /workspace/facts.txt && score=$((score + 1))
done < /tests/facts.txt
[ "$(grep -c . /workspace/facts.txt)" -le "$n" ] || score=0
echo "scale=3; $score / $n" | bc > /logs/verifier/reward.txt
