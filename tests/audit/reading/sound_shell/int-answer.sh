#!/usr/bin/env bash
# Write the number of failed logins to `/workspace/count.txt`.
set -u
want=1337
mkdir -p /logs/verifier
got=$(tr -d '[:space:]' < /workspace/count.txt 2>/dev/null || true)
if [[ "$got" =~ ^[0-9]+$ ]] && (( 10#$got == want )); then echo 1; else echo 0; fi > /logs/verifier/reward.txt
