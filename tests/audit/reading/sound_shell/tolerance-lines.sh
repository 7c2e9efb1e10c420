#!/usr/bin/env bash
# Write to `/workspace/temps.txt` a line `name value` for each sensor, in any order.
fail() { echo '{"reward": 0}' > /logs/verifier/reward.json; exit 0; }
want() { case "$1" in inlet) echo 12.4 ;; outlet) echo 18.9 ;; ambient) echo 21.0 ;; *) return 1 ;; esac; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { if (a !~ /^-?[0-9]+([.][0-9]+)?$/) exit 1; d = a - b; exit !(d <= 0.05 && d >= -0.05) }'; }
names=""
while read -r name value rest; do
  [ -n "$name" ] || continue
  [ -z "$rest" ] || fail
  expected=$(want "$name") || fail
  near "$value" "$expected" || fail
  names="$names $name"
done < /workspace/temps.txt
[ "$(echo $names | tr ' ' '\n' | sort | xargs)" = "ambient inlet outlet" ] || fail
echo '{"reward": 1}' > /logs/verifier/reward.json
