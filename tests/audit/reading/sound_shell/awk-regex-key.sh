#!/usr/bin/env bash
# Write `/workspace/c.conf` with lines key=value.
awk -F= '/^[[:space:]]*#/ || NF == 0 { next } { seen[$1]++; v[$1] = $2 } END { print (seen["port"] == 1 && v["port"] == "8080" && length(seen) == 1) ? 1 : 0 }' /workspace/c.conf > /logs/verifier/reward.txt
