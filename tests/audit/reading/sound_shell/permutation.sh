#!/usr/bin/env bash
# Write the route to `/workspace/route.txt`, cities separated by blanks.
read -ra cities <<< "$(tr '\r\n' '  ' < /workspace/route.txt)"
want=(A B C D)
ok=1
[ "${#cities[@]}" -eq 4 ] || ok=0
for i in 0 1 2 3; do [ "${cities[$i]:-}" = "${want[$i]}" ] || ok=0; done
echo $ok > /logs/verifier/reward.txt
