#!/usr/bin/env bash
# Write the hosts to `/workspace/h.txt`, one per line; order does not matter. Rows in the input are sorted by date.
if [ "$(sort -u /workspace/h.txt)" = "$(sort -u /tests/h.txt)" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
