#!/usr/bin/env bash
# Restore the file to `/workspace/restored.bin`.
want=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
got=$(sha256sum /workspace/restored.bin 2>/dev/null | awk '{print $1}')
[ "$got" = "$want" ] && reward=1 || reward=0
echo "$reward" > /logs/verifier/reward.txt
