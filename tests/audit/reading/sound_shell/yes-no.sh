#!/usr/bin/env bash
# Write yes or no to `/workspace/verdict.txt`.
v=$(tr -d ' \r\n' < /workspace/verdict.txt | tr '[:upper:]' '[:lower:]')
case "$v" in
  yes) reward=1 ;;
  *) reward=0 ;;
esac
echo "{\"reward\": $reward}" > /logs/verifier/reward.json
