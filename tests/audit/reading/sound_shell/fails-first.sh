#!/usr/bin/env bash
# Write the answer to `/workspace/answer.txt`.
echo 0 > /logs/verifier/reward.txt
[ -s /workspace/answer.txt ] || { echo "no answer" >&2; exit 0; }
got="$(< /workspace/answer.txt)"
if [ "$got" != "blue" ]; then
  echo "wrong: $got" >&2
  exit 0
fi
echo 1 > /logs/verifier/reward.txt
