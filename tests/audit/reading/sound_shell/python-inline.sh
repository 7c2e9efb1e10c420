#!/usr/bin/env bash
# Write `/workspace/a.json` with count.
passed=$(python3 - <<'EOF'
import json
try:
    print(int(json.load(open("/workspace/a.json"))["count"] == 5))
except Exception:
    print(0)
EOF
)
echo "$passed" > /logs/verifier/reward.txt
