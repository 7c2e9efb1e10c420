#!/usr/bin/env bash
# Write the colour to `/workspace/colour.txt`.
got=$(tr -d '\r\n' < /workspace/colour.txt | tr A-Z a-z)
case "$got" in
  blue|navy) reward=1 ;;
  *[!a-z]*) reward=0 ;;
  *) reward=0 ;;
esac
echo $reward > /logs/verifier/reward.txt
