#!/usr/bin/env bash
# Write the checksum to `/workspace/sum.txt`.
expected=$(cksum < /tests/data.bin | cut -d' ' -f1)
read -r actual _ < /workspace/sum.txt || :
if test "x$actual" = "x$expected"; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
