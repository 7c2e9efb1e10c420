#!/usr/bin/env bash
# Write `/workspace/key.pem` with mode 600.
[ "$(stat -c %a /workspace/key.pem)" = 600 ] && openssl rsa -in /workspace/key.pem -check -noout 2>/dev/null && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
