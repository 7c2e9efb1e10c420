#!/usr/bin/env bash
# Write the letter of the right option to `/workspace/choice.txt`.
choice=$(tr -cd '[:alpha:]' < /workspace/choice.txt | tr '[:lower:]' '[:upper:]')
[ "$choice" = C ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
