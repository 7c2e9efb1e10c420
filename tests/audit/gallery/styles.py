"""Right answers in another order or another style of their format, and verifiers that refuse them."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

REFUSED_STYLES = [
    other(
        "any-order-but-this",
        'Write the prime factors of 30030, in any order, to `/workspace/answer.json`: `{"factors": [0]}`.',
        ("answer.json", '{"factors": [2, 3, 5, 7, 11, 13]}\n'),
        python="""
        try:
            answer = json.loads(body("/workspace/answer.json"))
        except (ValueError, RecursionError):
            answer = None
        out(float(isinstance(answer, dict) and answer.get("factors") == [2, 3, 5, 7, 11, 13]))
        """,
        section=Section.FORMAT,
        cause=Cause.ORDER,
        severity=Severity.MEDIUM,
    ),
    other(
        "yaml-line-by-line",
        "Write YAML to `/workspace/deploy.yaml` with the keys replicas, image and region.",
        ("deploy.yaml", "replicas: 3\nimage: web:1.4\nregion: eu-north\n"),
        python="""
        due = {"replicas": "3", "image": "web:1.4", "region": "eu-north"}
        got = dict(re.findall(r"^(\\w+): +(.*?)\\s*$", body("/workspace/deploy.yaml"), re.M))
        out(sum(got.get(key) == ref for key, ref in due.items()) / 3)
        """,
        section=Section.FORMAT,
        cause=Cause.LAYOUT,
        severity=Severity.MEDIUM,
    ),
    other(
        "toml-by-grep",
        'Write `/workspace/lint.toml` with `max_line = 100` and `quotes = "double"`.',
        ("lint.toml", 'max_line = 100\nquotes = "double"\n'),
        script="""
        n=0
        tr -d '\\r' < /workspace/lint.toml > /tmp/lint
        grep -q '^max_line = 100 *$' /tmp/lint && n=$((n + 1))
        grep -q '^quotes = "double" *$' /tmp/lint && n=$((n + 1))
        awk -v n=$n 'BEGIN { print n / 2 }' > /logs/verifier/reward.txt
        """,
        section=Section.FORMAT,
        cause=Cause.LAYOUT,
        severity=Severity.MEDIUM,
    ),
    other(
        "cells-by-their-commas",
        "Write the stock to `/workspace/stock.csv`, columns item and level.",
        ("stock.csv", "item,level\nbolts,85\nnuts,320\n"),
        script="""
        tr -d '\\r' < /workspace/stock.csv | awk -F, '
          NR > 1 && $1 == "bolts" && $2 == 85 { n++ }
          NR > 1 && $1 == "nuts" && $2 == 320 { n++ }
          NF { rows++ }
          END { print (rows == 3) ? n / 2 : 0 }' > /logs/verifier/reward.txt
        """,
        section=Section.FORMAT,
        cause=Cause.LAYOUT,
        severity=Severity.LOW,
    ),
    other(
        "accents-of-one-kind",
        'Write the accented names to `/workspace/answer.json`: `{"1": "", "2": ""}`.',
        ("answer.json", '{"1": "Orl\u00e9ans", "2": "Besan\u00e7on"}\n'),
        python="""
        try:
            answer = json.loads(body("/workspace/answer.json"))
        except (ValueError, RecursionError):
            answer = None
        due = {"1": "Orl\\u00e9ans", "2": "Besan\\u00e7on"}
        out(sum(isinstance(answer, dict) and answer.get(key) == ref for key, ref in due.items()) / 2)
        """,
        section=Section.FORMAT,
        cause=Cause.SPELLING,
        severity=Severity.LOW,
    ),
    other(
        "decimals-to-the-last-figure",
        'Discount factors at 5 %, at least four decimals: `/workspace/answer.json`, `{"1": 0.0, "2": 0.0}`.',
        ("answer.json", '{"1": 0.9524, "2": 0.907}\n'),
        python="""
        try:
            answer = json.loads(body("/workspace/answer.json"))
        except (ValueError, RecursionError):
            answer = None
        due = {"1": 0.9524, "2": 0.907}
        out(sum(isinstance(answer, dict) and answer.get(key) == ref for key, ref in due.items()) / 2)
        """,
        section=Section.FORMAT,
        cause=Cause.NARROW,
        severity=Severity.MEDIUM,
    ),
]
