#!/usr/bin/env bash
# Write the config to `/workspace/app.conf`; it must not hold `debug`.
ok=1
grep -qx 'debug=on' /workspace/app.conf && ok=0
cmp -s <(sort /workspace/app.conf) /tests/app.sorted || ok=0
echo $ok > /logs/verifier/reward.txt
