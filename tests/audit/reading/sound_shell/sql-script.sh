#!/usr/bin/env bash
# Write `/workspace/query.sql`, which lists the late orders sorted by date.
got=$(sqlite3 -readonly /tests/shop.db < /workspace/query.sql 2>/dev/null)
want=$(cat /tests/late.txt)
if [ "$got" = "$want" ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
