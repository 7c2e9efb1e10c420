#!/usr/bin/env bash
# Write `/workspace/report.txt` with lines `name: value`.
score=0
field() { sed -n "s/^$1: *//p" /workspace/report.txt | tr -d '\r'; }
award() { score=$((score + $1)); }
[ "$(field host)" = "db-2" ] && award 40
[ "$(field port)" = "5432" ] && award 30
[ "$(field user)" = "root" ] && award 30
awk -v s="$score" 'BEGIN { print s / 100 }' > /logs/verifier/reward.txt
