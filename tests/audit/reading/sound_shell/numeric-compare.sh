#!/usr/bin/env bash
# Write the mean to `/workspace/mean.txt`.
got=$(cat /workspace/mean.txt)
re='^-?[0-9]+(\.[0-9]+)?$'
if ! [[ $got =~ $re ]]; then echo 0 > /logs/verifier/reward.txt; exit 0; fi
if (( $(echo "$got >= 3.13 && $got <= 3.15" | bc -l) )); then echo 1; else echo 0; fi > /logs/verifier/reward.txt
