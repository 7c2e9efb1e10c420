#!/usr/bin/env bash
# Write `/workspace/prime.c`, which prints the first N primes.
cc -O2 -o /tmp/prime /workspace/prime.c 2> /tmp/cc.log || { echo 0 > /logs/verifier/reward.txt; exit 0; }
ok=0
for n in 1 5 25; do
  want=$(awk -v n="$n" 'BEGIN { for (i = 2; c < n; i++) { p = 1; for (j = 2; j * j <= i; j++) if (i % j == 0) { p = 0; break } if (p) { c++; print i } } }')
  got=$(timeout 5 /tmp/prime "$n" < /dev/null)
  [ "$got" = "$want" ] && ok=$((ok + 1))
done
[ "$ok" -eq 3 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
