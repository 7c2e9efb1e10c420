#!/usr/bin/env bash
# Write the version to `/workspace/version.txt`.
set -e
echo 0 > /logs/verifier/reward.txt
got=$(head -c 100 /workspace/version.txt | tr -d '[:space:]')
test "$got" = "2.14.0"
echo 1 > /logs/verifier/reward.txt
