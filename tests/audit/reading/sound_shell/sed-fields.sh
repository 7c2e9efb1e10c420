#!/usr/bin/env bash
# Write `/workspace/net.env` with HOST, PORT and MODE, one `KEY=value` per line.
value() { sed -n "s/^$1=//p" /workspace/net.env | tail -n 1; }
lines=$(grep -c . /workspace/net.env)
r=0
[ "$(value HOST)" = 10.0.0.7 ] && [ "$(value PORT)" = 8443 ] && [ "$(value MODE)" = tls ] && [ "$lines" -eq 3 ] && r=1
echo "$r" > /logs/verifier/reward.txt
