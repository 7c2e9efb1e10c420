#!/usr/bin/env bash
# Write the count of cars, rounded to a whole number, to `/workspace/cars.txt`.
v=$(tr -d '\r\n' < /workspace/cars.txt)
[[ $v =~ ^[0-9]+(\.[0-9]+)?$ ]] && [ "$(printf '%.0f' "$v")" -eq 12 ] && r=1 || r=0
echo $r > /logs/verifier/reward.txt
