#!/usr/bin/env bash
# Write `/workspace/out.json`.
set -o pipefail
pytest -q /tests/test_out.py 2>&1 | tail -20
status=$?
echo $(( status == 0 )) > /logs/verifier/reward.txt
