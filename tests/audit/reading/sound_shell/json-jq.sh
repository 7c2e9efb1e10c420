#!/usr/bin/env bash
# Write `/workspace/out.json` with the keys host, port.
f=/workspace/out.json
ok=0
if jq -e . "$f" >/dev/null 2>&1; then
  host=$(jq -r '.host' "$f"); port=$(jq -r '.port' "$f")
  [ "$host" = "db-2" ] && [ "$port" = "5432" ] && ok=1
fi
echo "$ok" > /logs/verifier/reward.txt
