#!/usr/bin/env bash
# Write `/workspace/run.log`, the log of the run.
if grep -q "ERROR" /workspace/run.log; then echo 0 > /logs/verifier/reward.txt; exit 0; fi
if cmp -s <(grep -v '^#' /workspace/run.log) /tests/run.log; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
