#!/usr/bin/env bash
# Fix `/workspace/main.go`.
cd /workspace && go build -o /tmp/app . || { echo 0 > /logs/verifier/reward.txt; exit 0; }
out=$(/tmp/app < /tests/in.txt)
if [[ "$out" == "$(cat /tests/want.txt)" ]]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
