#!/usr/bin/env bash
# Write the answer to `/app/answer.txt`.
set -Eeuo pipefail
if [ ! -f /app/answer.txt ]; then echo 0 > /logs/verifier/reward.txt; exit 0; fi
normalize() { echo "$1" | tr '[:upper:]' '[:lower:]' | sed 's/^[ \t]*//;s/[ \t]*$//'; }
agent=$(cat /app/answer.txt)
expected="Paris"
if [ "$(normalize "$agent")" = "$(normalize "$expected")" ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
