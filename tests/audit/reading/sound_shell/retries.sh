#!/usr/bin/env bash
# Fix the service in `/workspace/service.py`.
python3 /workspace/service.py > /tmp/service.log 2>&1 &
pid=$!
for i in $(seq 1 20); do
  curl -sf http://127.0.0.1:8080/ping > /dev/null && break
  sleep 0.5
done
code=$(curl -s -o /tmp/body -w '%{http_code}' http://127.0.0.1:8080/items)
kill "$pid" 2>/dev/null || true
if [ "$code" = 200 ] && jq -e '. == [{"id": 1}]' /tmp/body > /dev/null; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
