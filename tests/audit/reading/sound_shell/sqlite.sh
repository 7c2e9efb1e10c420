#!/usr/bin/env bash
# Write the database `/workspace/shop.db`.
n=$(sqlite3 /workspace/shop.db "SELECT group_concat(id || ':' || qty, ',') FROM (SELECT id, qty FROM stock ORDER BY id)" 2>/dev/null)
[ "$n" = "1:5,2:7,3:9" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
