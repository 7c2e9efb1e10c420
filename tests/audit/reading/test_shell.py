"""What a reader remarks on in a verifier's shell: each flaw beside the sound way of writing it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from adjudge.audit.causes import Cause
from adjudge.audit.reading import Remark, read_sources
from adjudge.contracts import Severity
from adjudge.tasks import load_task

_GOT = "got=$(tr -d '\\r' < /workspace/answer.txt)\n"
_PAY = "; then reward=1; else reward=0; fi\necho $reward > /logs/verifier/reward.txt\n"
_WRITE = "\necho $reward > /logs/verifier/reward.txt\n"
_ANSWER = "Write the answer to `/workspace/answer.txt`."
_HOSTS = "Write the hosts to `/workspace/answer.txt`, a line for each."
_ORDERED = "Write the hosts sorted by load to `/workspace/answer.txt`, a line for each."
_TABLE = "Write `/workspace/table.csv` with the columns id and kg, a line for each id."
_PROGRAM = "Write `/workspace/stack.py`, a program that prints sorted numbers."


class Case(NamedTuple):
    """A script with a flaw, its cause, and the same script without the flaw."""

    name: str
    cause: Cause
    flawed: str
    sound: str
    instruction: str = _ANSWER


CASES = [
    Case("eval", Cause.CODE, _GOT + 'eval "x=$got"\n', _GOT + 'x="$got"\n'),
    Case(
        "source",
        Cause.CODE,
        "source /workspace/settings.env\n" + _GOT,
        "source /tests/settings.env\n" + _GOT,
    ),
    Case("sum-in-a-test", Cause.CODE, f"{_GOT}if [[ $got -eq 5 ]]{_PAY}", f'{_GOT}if [ "$got" -eq 5 ]{_PAY}'),
    Case(
        "sum-after-a-look",
        Cause.CODE,
        f"{_GOT}if [[ -n $got && $got -eq 5 ]]{_PAY}",
        f"{_GOT}if [[ $got =~ ^-?[0-9]+$ && $got -eq 5 ]]{_PAY}",
    ),
    Case(
        "sum-after-a-case",
        Cause.CODE,
        f"{_GOT}if (( got == 5 )){_PAY}",
        f"{_GOT}case $got in ''|*[!0-9]*) echo 0 > /logs/verifier/reward.txt; exit 0 ;; esac\n"
        f"if (( got == 5 )){_PAY}",
    ),
    Case(
        "sum-of-a-count",
        Cause.CODE,
        f"n=$(sed 's/lines//' /workspace/answer.txt)\nif [ $(( n + 1 )) = 6 ]{_PAY}",
        f'n=$(grep -c up /workspace/answer.txt)\nif [ $(( n + 1 )) = 6 ] && [ "$(cat /workspace/answer.txt)" = up ]{_PAY}',
    ),
    Case(
        "whole-number-variable",
        Cause.CODE,
        f'declare -i got\ngot=$(cat /workspace/answer.txt)\nif [ "$got" = 5 ]{_PAY}',
        f'declare got\ngot=$(cat /workspace/answer.txt)\nif [ "$got" = 5 ]{_PAY}',
    ),
    Case(
        "pasted-into-awk",
        Cause.CODE,
        f'{_GOT}if awk "BEGIN {{ d = $got - 5; exit !(d * d < 0.01) }}"{_PAY}',
        f"{_GOT}if awk -v got=\"$got\" 'BEGIN {{ d = got - 5; exit !(d * d < 0.01) }}'{_PAY}",
    ),
    Case(
        "pasted-between-quotes",
        Cause.CODE,
        f"{_GOT}if python3 -c 'exit(float('$got') != 5)'{_PAY}",
        f"{_GOT}if python3 -c 'import sys; exit(float(sys.argv[1]) != 5)' \"$got\"{_PAY}",
    ),
    Case(
        "pasted-into-a-here-document",
        Cause.CODE,
        f'{_GOT}reward=$(python3 - <<EOF\nprint(int("$got" == "up"))\nEOF\n){_WRITE}',
        f'{_GOT}reward=$(python3 - "$got" <<\'EOF\'\nimport sys\nprint(int(sys.argv[1] == "up"))\nEOF\n){_WRITE}',
    ),
    Case(
        "pasted-into-bc",
        Cause.CODE,
        f'{_GOT}if [ "$(echo "$got > 5" | bc)" = 1 ]{_PAY}',
        f"{_GOT}[[ $got =~ ^[0-9.]+$ ]] || got=0\n" + f'if [ "$(echo "$got > 5" | bc)" = 1 ]{_PAY}',
    ),
    Case("words-as-a-test", Cause.CODE, f"{_GOT}if [ $got = up ]{_PAY}", f'{_GOT}if [ "$got" = up ]{_PAY}'),
    Case(
        "test-that-breaks",
        Cause.PASSES_BROKEN,
        f"{_GOT}reward=1\n[ $got != up ] && reward=0{_WRITE}",
        f'{_GOT}reward=1\n[ "$got" != up ] && reward=0{_WRITE}',
    ),
    Case(
        "test-of-a-text",
        Cause.PASSES_BROKEN,
        f'{_GOT}reward=1\nif [ "$got" -ne 5 ]; then reward=0; fi{_WRITE}',
        f'{_GOT}reward=0\nif [ "$got" -eq 5 ]; then reward=1; fi{_WRITE}',
    ),
    Case(
        "pattern-on-the-right",
        Cause.PATTERN,
        f"{_GOT}want=$(cat /tests/want)\nif [[ $want == $got ]]{_PAY}",
        f'{_GOT}want=$(cat /tests/want)\nif [[ $want == "$got" ]]{_PAY}',
    ),
    Case(
        "pattern-in-a-case",
        Cause.PATTERN,
        f"{_GOT}want=up\ncase $want in $got) reward=1 ;; *) reward=0 ;; esac{_WRITE}",
        f'{_GOT}want=up\ncase $want in "$got") reward=1 ;; *) reward=0 ;; esac{_WRITE}',
    ),
    Case(
        "pattern-for-grep",
        Cause.PATTERN,
        f'{_GOT}if grep -qx "$got" /tests/right.txt{_PAY}',
        f'{_GOT}if [ -n "$got" ] && grep -qFx -- "$got" /tests/right.txt{_PAY}',
    ),
    Case(
        "lines-as-patterns",
        Cause.PATTERN,
        "n=$(grep -c -f /workspace/answer.txt /tests/hosts)\n" + f'if [ "$n" = 3 ]{_PAY}',
        "n=$(grep -c -F -x -f /workspace/answer.txt /tests/hosts)\n" + f'if [ "$n" = 3 ]{_PAY}',
        _HOSTS,
    ),
    Case(
        "pattern-that-cuts",
        Cause.PATTERN,
        f'{_GOT}want=up\nif [ -z "${{want#$got}}" ]{_PAY}',
        f'{_GOT}want=up\nif [ -n "$got" ] && [ -z "${{want#"$got"}}" ]{_PAY}',
    ),
    Case(
        "part-of-the-reference",
        Cause.WORD_INSIDE,
        f'{_GOT}want=$(cat /tests/want)\nif [[ $want == *"$got"* ]]{_PAY}',
        f'{_GOT}want=$(cat /tests/want)\nif [[ $want == "$got" ]]{_PAY}',
    ),
    Case(
        "word-by-grep",
        Cause.WORD_INSIDE,
        f"if grep -q db-2 /workspace/answer.txt{_PAY}",
        f"{_GOT}if grep -qx db-2 /workspace/answer.txt && [ $(grep -c . /workspace/answer.txt) = 1 ]{_PAY}",
    ),
    Case(
        "word-in-a-test",
        Cause.WORD_INSIDE,
        f'{_GOT}if [[ $got == *"compliant"* ]]{_PAY}',
        f'{_GOT}if [[ $got == *"don\'t know"* ]]; then reward=0; elif [ "$got" = compliant ]{_PAY}',
    ),
    Case(
        "word-by-an-open-pattern",
        Cause.WORD_INSIDE,
        f"{_GOT}want=compliant\nif [[ $got =~ $want ]]{_PAY}",
        f"{_GOT}want='^compliant$'\nif [[ $got =~ $want ]]{_PAY}",
    ),
    Case(
        "point-of-a-number",
        Cause.WORD_INSIDE,
        f"if grep -qx 'V1 12.4' /workspace/answer.txt{_PAY}",
        f"if grep -qFx 'V1 12.4' /workspace/answer.txt{_PAY}",
        _HOSTS,
    ),
    Case(
        "sorted-first",
        Cause.UNORDERED,
        f"if diff <(sort /workspace/answer.txt) <(sort /tests/hosts) > /dev/null{_PAY}",
        f"if diff /workspace/answer.txt /tests/hosts > /dev/null{_PAY}",
        _ORDERED,
    ),
    Case(
        "sorted-into-a-file",
        Cause.UNORDERED,
        f"sort /workspace/answer.txt > /tmp/mine\nif cmp -s /tmp/mine /tests/sorted{_PAY}",
        f"tr -d '\\r' < /workspace/answer.txt > /tmp/mine\nif cmp -s /tmp/mine /tests/sorted{_PAY}",
        _ORDERED,
    ),
    Case(
        "sorted-by-a-function",
        Cause.UNORDERED,
        'plain() { sed "s/ *$//" "$1" | LC_ALL=C sort; }\n'
        'plain /tests/hosts > /tmp/want\nplain "/workspace/answer.txt" > /tmp/got\n'
        f"if cmp -s /tmp/want /tmp/got{_PAY}",
        'plain() { sed "s/ *$//" "$1"; }\nplain /tests/hosts > /tmp/want\n'
        f'plain "/workspace/answer.txt" > /tmp/got\nif cmp -s /tmp/want /tmp/got{_PAY}',
        _ORDERED,
    ),
    Case(
        "sorted-without-need",
        Cause.UNORDERED,
        f"if cmp -s <(sort /workspace/answer.txt) /tests/hosts{_PAY}",
        f"if sort -C /workspace/answer.txt && cmp -s <(sort /workspace/answer.txt) /tests/hosts{_PAY}",
        "Write the hosts in alphabetical order to `/workspace/answer.txt`.",
    ),
    Case(
        "torn-lines",
        Cause.ANYWHERE,
        f"if cmp -s <(tr ' ' '\\n' < /workspace/answer.txt | sort) /tests/words{_PAY}",
        f"if cmp -s <(tr -s ' ' < /workspace/answer.txt | sort) /tests/lines{_PAY}",
        "Write a line `pin signal` for each pin to `/workspace/answer.txt`.",
    ),
    Case(
        "made-unique",
        Cause.REPEATS,
        f"if cmp -s <(sort -u /workspace/answer.txt) /tests/hosts{_PAY}",
        f"if cmp -s <(sort /workspace/answer.txt) /tests/hosts{_PAY}",
        "Write each host once to `/workspace/answer.txt`, without duplicates.",
    ),
    Case(
        "same-line-again",
        Cause.REPEATS,
        "n=$(grep -cFxf /tests/hosts /workspace/answer.txt)\n" + f"if [ $n = 4 ]{_PAY}",
        "n=$(sort -u /workspace/answer.txt | grep -cFxf /tests/hosts)\n" + f"if [ $n = 4 ]{_PAY}",
        _HOSTS,
    ),
    Case(
        "first-line",
        Cause.HEDGED,
        f'got=$(head -n1 /workspace/answer.txt)\nif [ "$got" = up ]{_PAY}',
        f'got=$(cat /workspace/answer.txt)\nif [ "$got" = up ]{_PAY}',
    ),
    Case(
        "only-wrong-lines",
        Cause.FEW_ITEMS,
        'reward=1\nwhile read -r line; do\n  grep -qFx -- "$line" /tests/hosts || reward=0\n'
        f"done < /workspace/answer.txt{_WRITE}",
        'reward=1\nwhile read -r line; do\n  grep -qFx -- "$line" /tests/hosts || reward=0\n'
        f'done < /workspace/answer.txt\n[ "$(wc -l < /workspace/answer.txt)" = 4 ] || reward=0{_WRITE}',
        _HOSTS,
    ),
    Case(
        "only-what-is-too-much",
        Cause.FEW_ITEMS,
        f'extra=$(comm -23 <(sort /workspace/answer.txt) <(sort /tests/hosts))\nif [ -z "$extra" ]{_PAY}',
        f'extra=$(comm -3 <(sort /workspace/answer.txt) <(sort /tests/hosts))\nif [ -z "$extra" ]{_PAY}',
        _HOSTS,
    ),
    Case(
        "only-what-is-missing",
        Cause.PADDING,
        f'miss=$(comm -13 <(sort /workspace/answer.txt) <(sort /tests/hosts))\nif [ -z "$miss" ]{_PAY}',
        f'miss=$(comm -3 <(sort /workspace/answer.txt) <(sort /tests/hosts))\nif [ -z "$miss" ]{_PAY}',
        _HOSTS,
    ),
    Case(
        "only-what-joins",
        Cause.FEW_ITEMS,
        "join -t, <(sort /workspace/table.csv) /tests/table.csv > /tmp/both\n"
        f"if awk -F, '$2 != $3 {{ bad = 1 }} END {{ exit bad }}' /tmp/both{_PAY}",
        "join -t, <(sort /workspace/table.csv) /tests/table.csv > /tmp/both\n"
        f"if awk -F, '$2 != $3 {{ bad = 1 }} END {{ exit bad || NR != 4 }}' /tmp/both{_PAY}",
        _TABLE,
    ),
    Case(
        "only-there",
        Cause.ANY_VALUE,
        f"if [ -s /workspace/answer.txt ]{_PAY}",
        f"if [ -s /workspace/answer.txt ] && cmp -s /workspace/answer.txt /tests/right{_PAY}",
    ),
    Case(
        "only-so-many",
        Cause.ANY_VALUE,
        f"n=$(wc -l < /workspace/answer.txt)\nif [ $n -eq 4 ]{_PAY}",
        f"n=$(wc -l < /workspace/answer.txt)\nif [ $n -eq 4 ] && sort /workspace/answer.txt | cmp -s - /tests/r{_PAY}",
        _HOSTS,
    ),
    Case(
        "code-lost-in-a-pipe",
        Cause.ANY_VALUE,
        f"python3 -I /tests/check.py | tee /tmp/log\nif [ $? -eq 0 ]{_PAY}",
        f"set -o pipefail\npython3 -I /tests/check.py | tee /tmp/log\nif [ $? -eq 0 ]{_PAY}",
    ),
    Case(
        "code-of-another-command",
        Cause.ANY_VALUE,
        f'python3 -I /tests/check.py\necho "done"\nif [ $? -eq 0 ]{_PAY}',
        f'python3 -I /tests/check.py\ncode=$?\necho "done"\nif [ $code -eq 0 ]{_PAY}',
    ),
    Case(
        "end-of-another-shell",
        Cause.ANY_VALUE,
        "cat /workspace/answer.txt | while read -r line; do\n"
        '  [ "$line" = up ] || { echo 0 > /logs/verifier/reward.txt; exit 0; }\ndone\n'
        '[ "$(wc -l < /workspace/answer.txt)" = 2 ] || exit 1\necho 1 > /logs/verifier/reward.txt\n',
        "while read -r line; do\n"
        '  [ "$line" = up ] || { echo 0 > /logs/verifier/reward.txt; exit 0; }\ndone < /workspace/answer.txt\n'
        '[ "$(wc -l < /workspace/answer.txt)" = 2 ] || exit 1\necho 1 > /logs/verifier/reward.txt\n',
        _HOSTS,
    ),
    Case(
        "variable-of-another-shell",
        Cause.ANY_VALUE,
        "ok=1\ncat /workspace/answer.txt | while read -r line; do\n"
        '  [ "$line" = up ] || ok=0\ndone\nn=$(wc -l < /workspace/answer.txt)\n'
        f"if [ $ok = 1 ] && [ $n = 2 ]{_PAY}",
        "ok=1\nwhile read -r line; do\n"
        '  [ "$line" = up ] || ok=0\ndone < <(cat /workspace/answer.txt)\nn=$(wc -l < /workspace/answer.txt)\n'
        f"if [ $ok = 1 ] && [ $n = 2 ]{_PAY}",
        _HOSTS,
    ),
    Case(
        "sum-of-a-column",
        Cause.CANCELS,
        f"s=$(awk -F, '{{ s += $2 }} END {{ print s }}' /workspace/table.csv)\nif [ \"$s\" = 260 ]{_PAY}",
        f"s=$(awk -F, '{{ s += $2 }} END {{ print s }}' /workspace/table.csv)\n"
        f'if [ "$s" = 260 ] && cmp -s /workspace/table.csv /tests/table.csv{_PAY}',
        _TABLE,
    ),
    Case(
        "digits-only",
        Cause.SIGN,
        f"got=$(tr -dc '0-9.' < /workspace/answer.txt)\nif [ \"$got\" = 5.2 ]{_PAY}",
        f"got=$(tr -dc '0-9.-' < /workspace/answer.txt)\nif [ \"$got\" = 5.2 ]{_PAY}",
    ),
    Case(
        "without-a-point",
        Cause.SCALE,
        f"got=$(sed 's/[^0-9]//g' /workspace/answer.txt)\nif [ \"$got\" = 52 ]{_PAY}",
        f"got=$(sed 's/ *$//' /workspace/answer.txt)\nif [ \"$got\" = 52 ]{_PAY}",
    ),
    Case(
        "without-what-is-behind-the-point",
        Cause.TOLERANCE,
        f'{_GOT}if [ "${{got%.*}}" -eq 5 ]{_PAY}',
        f'{_GOT}if [ "$got" = 5.2 ] && [ 1 -eq 1 ]{_PAY}',
    ),
    Case(
        "rounded",
        Cause.TOLERANCE,
        f'{_GOT}if [ "$(printf %.0f "$got")" = 5 ]{_PAY}',
        f'{_GOT}if [ "$(printf %.2f "$got")" = 5.20 ]{_PAY}',
    ),
    Case(
        "one-sided",
        Cause.BOUND,
        f"{_GOT}if awk -v got=\"$got\" 'BEGIN {{ exit !(got - 5.2 < 0.1) }}'{_PAY}",
        f"{_GOT}if awk -v got=\"$got\" 'BEGIN {{ d = got - 5.2; if (d < 0) d = -d; exit !(d < 0.1) }}'{_PAY}",
    ),
    Case(
        "failure-that-pays",
        Cause.PASSES_BROKEN,
        "python3 -I /tests/check.py || echo 1 > /logs/verifier/reward.txt\n",
        "python3 -I /tests/check.py || echo 0 > /logs/verifier/reward.txt\n",
    ),
    Case(
        "paid-first",
        Cause.PASSES_BROKEN,
        'reward=1\nif [ -f /workspace/answer.txt ]; then\n  [ "$(cat /workspace/answer.txt)" = up ] || reward=0\nfi'
        + _WRITE,
        'reward=1\n[ "$(cat /workspace/answer.txt)" = up ] || reward=0' + _WRITE,
    ),
    Case(
        "trap-that-pays",
        Cause.PASSES_BROKEN,
        "trap 'echo 1 > /logs/verifier/reward.txt' ERR\npython3 -I /tests/check.py\n",
        "trap 'echo 0 > /logs/verifier/reward.txt' ERR\npython3 -I /tests/check.py\n",
    ),
    Case(
        "drawn-by-lot",
        Cause.RANDOM,
        f"want=$(shuf -n 1 /tests/right.txt)\n{_GOT}" + f'if [ "$got" = "$want" ]{_PAY}',
        f"want=$(sort /tests/right.txt | tail -n 1)\n{_GOT}" + f'if [ "$got" = "$want" ]{_PAY}',
    ),
    Case(
        "date",
        Cause.CLOCK,
        f'{_GOT}if [ "$got" = "$(date +%Y-%m-%d)" ]{_PAY}',
        f'echo "checked on $(date)"\n{_GOT}if [ "$got" = "$(date -d 2024-02-28 +%Y-%m-%d)" ]{_PAY}',
    ),
    Case(
        "case-that-matters",
        Cause.CLAMPED,
        f'if [ "$(tr A-Z a-z < /workspace/answer.txt)" = bxc3 ]{_PAY}',
        f'if [ "$(cat /workspace/answer.txt)" = Bxc3 ]{_PAY}',
        "Write the move to `/workspace/answer.txt`; case matters.",
    ),
    Case(
        "units-apart-by-case",
        Cause.SCALE,
        f'{_GOT}if [ "${{got,,}}" = "5 mw" ]{_PAY}',
        f'{_GOT}if [ "$got" = "5 MW" ]{_PAY}',
        "Write the power in mW or MW to `/workspace/answer.txt`.",
    ),
    Case(
        "says-so-itself",
        Cause.HOLLOW,
        f"python3 -I -m unittest discover -s /tests > /tmp/log 2>&1\nif grep -q '^OK' /tmp/log{_PAY}",
        f"if python3 -I -m unittest discover -s /tests > /tmp/log 2>&1{_PAY}",
        _PROGRAM,
    ),
    Case(
        "check-sums-of-the-agent",
        Cause.SIDE_FILE,
        f"if sha256sum -c --status /workspace/sums.txt{_PAY}",
        f"if sha256sum -c --status /tests/sums.txt{_PAY}",
    ),
    Case(
        "blanks-in-json",
        Cause.LAYOUT,
        f'if grep -q \'"mode": "fast"\' /workspace/set.json{_PAY}',
        f'if [ "$(jq -r .mode /workspace/set.json)" = fast ]{_PAY}',
        "Write the mode to `/workspace/set.json`.",
    ),
    Case(
        "let",
        Cause.CODE,
        f'{_GOT}let far=got-42\nif [ "$far" = 0 ]{_PAY}',
        f'{_GOT}let far=1-1\nif [ "$got" = 42 ] && [ "$far" = 0 ]{_PAY}',
    ),
    Case(
        "index-of-a-list",
        Cause.CODE,
        f'names=(a b c)\n{_GOT}if [ "${{names[$got]}}" = c ]{_PAY}',
        f'declare -A names=([1]=a [2]=c)\n{_GOT}if [ "${{names[$got]}}" = c ]{_PAY}',
    ),
    Case(
        "put-into-a-command",
        Cause.CODE,
        f"if xargs -I{{}} sh -c 'test -f /data/{{}}' < /workspace/answer.txt{_PAY}",
        f"if xargs -I{{}} test -f /data/{{}} < /workspace/answer.txt{_PAY}",
    ),
    Case(
        "pasted-into-jq",
        Cause.CODE,
        f'{_GOT}if jq -e ".id == $got" /tests/user.json{_PAY}',
        f"{_GOT}if jq -e --arg got \"$got\" '.id == $got' /tests/user.json{_PAY}",
    ),
    Case(
        "pasted-from-a-file-beside",
        Cause.CODE,
        f'tries=$(cat /var/tmp/tries)\nreward=$(python3 -I -c "print(1 / $tries)"){_WRITE}',
        f'tries=$(cat /tests/tries)\nreward=$(python3 -I -c "print(1 / $tries)"){_WRITE}',
    ),
    Case(
        "pattern-in-awk",
        Cause.PATTERN,
        f"{_GOT}if awk -v got=\"$got\" '$1 ~ got {{ found = 1 }} END {{ exit !found }}' /tests/hosts{_PAY}",
        f"{_GOT}if awk -v got=\"$got\" '$1 == got {{ found = 1 }} END {{ exit !found }}' /tests/hosts{_PAY}",
    ),
    Case(
        "word-in-a-case",
        Cause.WORD_INSIDE,
        f'{_GOT}case "$got" in *compliant*) reward=1 ;; *) reward=0 ;; esac{_WRITE}',
        f'{_GOT}case "$got" in *[!a-z]*) reward=0 ;; compliant) reward=1 ;; *) reward=0 ;; esac{_WRITE}',
    ),
    Case(
        "word-in-awk",
        Cause.WORD_INSIDE,
        f"n=$(awk '$2 ~ /up/ {{ n++ }} END {{ print n + 0 }}' /workspace/answer.txt)\n"
        f'if [ "$n" = 3 ]{_PAY}',
        f"n=$(awk '/^#/ {{ next }} $2 == \"up\" {{ n++ }} END {{ print n + 0 }}' /workspace/answer.txt)\n"
        f'if [ "$n" = 3 ]{_PAY}',
        _HOSTS,
    ),
    Case(
        "index-in-awk",
        Cause.WORD_INSIDE,
        f"if awk '{{ if (index($0, \"db-2\") > 0) ok = 1 }} END {{ exit !ok }}' /workspace/answer.txt{_PAY}",
        f'if awk \'{{ if (index($0, "?") > 0) bad = 1; if ($0 == "db-2") ok = 1 }}'
        f" END {{ exit !ok || bad }}' /workspace/answer.txt{_PAY}",
    ),
    Case(
        "others-beside-it",
        Cause.HEDGED,
        f"if grep -qx db-2 /workspace/answer.txt{_PAY}",
        f'if [ "$(cat /workspace/answer.txt)" = db-2 ]{_PAY}',
    ),
    Case(
        "lines-behind-the-third",
        Cause.PADDING,
        f"if diff -q <(head -n 3 /workspace/answer.txt) /tests/three > /dev/null{_PAY}",
        f"if diff -q <(tr -d '\\r' < /workspace/answer.txt) /tests/three > /dev/null{_PAY}",
        _HOSTS,
    ),
    Case(
        "each-is-there",
        Cause.PADDING,
        'reward=1\nfor host in web-1 db-2; do grep -qFx "$host" /workspace/answer.txt || reward=0; done'
        + _WRITE,
        'reward=1\nfor host in web-1 db-2; do grep -qFx "$host" /workspace/answer.txt || reward=0; done\n'
        "[ $(grep -c . /workspace/answer.txt) = 2 ] || reward=0" + _WRITE,
        _HOSTS,
    ),
    Case(
        "none-is-wrong",
        Cause.FEW_ITEMS,
        f"if ! grep -qvxFf /tests/hosts /workspace/answer.txt{_PAY}",
        f"if [ $(grep -c . /workspace/answer.txt) = 4 ] && ! grep -qvxFf /tests/hosts /workspace/answer.txt{_PAY}",
        _HOSTS,
    ),
    Case(
        "nothing-is-said",
        Cause.PASSES_BROKEN,
        f'if [ -z "$(diff /workspace/answer.txt /tests/right)" ]{_PAY}',
        f"if diff -q /workspace/answer.txt /tests/right > /dev/null{_PAY}",
    ),
    Case(
        "code-of-nothing",
        Cause.PASSES_BROKEN,
        f"python3 -I /tests/check.py || true\nif [ $? -eq 0 ]{_PAY}",
        f"pip install -q numpy || true\npython3 -I /tests/check.py\nif [ $? -eq 0 ]{_PAY}",
    ),
    Case(
        "minus-cut-off",
        Cause.SIGN,
        f'{_GOT}if [ "${{got#-}}" = 12.5 ]{_PAY}',
        f'{_GOT}if [ "${{got#+}}" = 12.5 ]{_PAY}',
    ),
    Case(
        "one-sided-in-bc",
        Cause.BOUND,
        f"{_GOT}[[ $got =~ ^-?[0-9.]+$ ]] || got=0\n"
        + f'if (( $(echo "$got - 101.3 < 0.5" | bc -l) )){_PAY}',
        f"{_GOT}[[ $got =~ ^-?[0-9.]+$ ]] || got=0\n"
        + f'if (( $(echo "$got > 100.8 && $got < 101.8" | bc -l) )){_PAY}',
    ),
    Case(
        "age-of-today",
        Cause.CLOCK,
        f'{_GOT}age=$(( $(date +%Y) - 1980 ))\nif [ "$got" = "$age" ]{_PAY}',
        f"start=$(date +%s)\n{_GOT}echo $(( $(date +%s) - start )) s\n" + f'if [ "$got" = 44 ]{_PAY}',
    ),
]


def read(folder: Path, script: str, instruction: str) -> list[Remark]:
    """The remarks on the `test.sh` of a small task."""
    files = {
        "task.toml": "[verifier]\ntimeout_sec = 20\n",
        "instruction.md": instruction,
        "tests/test.sh": f"#!/usr/bin/env bash\n{script}",
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return read_sources(load_task(folder))[1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_flaw_is_remarked_on_and_its_sound_neighbour_is_not(tmp_path: Path, case: Case) -> None:
    flawed = {remark.cause for remark in read(tmp_path / "flawed", case.flawed, case.instruction)}
    assert case.cause in flawed

    sound = read(tmp_path / "sound", case.sound, case.instruction)
    assert [r for r in sound if r.severity is Severity.MEDIUM or r.cause is case.cause] == []
