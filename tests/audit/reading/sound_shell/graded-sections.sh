#!/usr/bin/env bash
# Write `/workspace/inventory.csv` with the columns sku,qty,price, sorted by sku.
set -uo pipefail
OUT="${OUTPUT:-/workspace/inventory.csv}"
REF=/tests/expected.csv
LOG=/logs/verifier/details.txt
points=0; max=4
note() { printf '%s\n' "$*" >> "$LOG"; }
finish() { awk -v p="$points" -v m="$max" 'BEGIN { printf "%.4f\n", p / m }' > /logs/verifier/reward.txt; exit 0; }
: > "$LOG"
[[ -f "$OUT" && ! -L "$OUT" ]] || { note "no output"; finish; }
clean=$(mktemp); trap 'rm -f "$clean"' EXIT
sed -e '1s/^\xEF\xBB\xBF//' -e 's/\r$//' "$OUT" > "$clean"
if [[ "$(head -n 1 "$clean")" == "sku,qty,price" ]]; then points=$((points + 1)); else note "header"; finish; fi
if [[ "$(wc -l < "$clean")" -eq "$(wc -l < "$REF")" ]]; then points=$((points + 1)); else note "rows"; fi
if cmp -s <(cut -d, -f1 "$clean") <(cut -d, -f1 "$REF"); then points=$((points + 1)); else note "skus or order"; fi
if cmp -s "$clean" "$REF"; then points=$((points + 1)); else note "values"; fi
finish
