#!/usr/bin/env bash
# Write `/workspace/config.json`.
norm() { jq -S . "$1" 2>/dev/null; }
if [ "$(norm /workspace/config.json)" = "$(norm /tests/config.json)" ] && [ -s /workspace/config.json ]; then
  reward=1
else
  reward=0
fi
printf '%d\n' "$reward" > /logs/verifier/reward.txt
