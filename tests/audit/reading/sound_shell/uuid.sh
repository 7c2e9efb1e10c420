#!/usr/bin/env bash
# Write the id to `/workspace/id.txt`, a UUID.
id=$(tr -d '\n -' < /workspace/id.txt)
[ "$id" = "123e4567e89b12d3a456426614174000" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
