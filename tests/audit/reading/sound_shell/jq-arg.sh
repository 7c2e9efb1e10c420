#!/usr/bin/env bash
# Write `/workspace/out.json` with the list of users.
if jq -e --slurpfile want /tests/want.json '(.users | type == "array") and (.users | sort) == ($want[0] | sort)' /workspace/out.json > /dev/null; then
  echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
