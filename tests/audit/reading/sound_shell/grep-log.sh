#!/usr/bin/env bash
# Write `/workspace/x.py`.
pytest -q /tests > /tmp/log 2>&1
code=$?
grep -q "collected 0 items" /tmp/log && code=5
[ $code -eq 0 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
