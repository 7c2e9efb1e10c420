"""Scores /workspace/report.txt by the rubric beside this file; solution/solve.sh works out the references.

The rubric (weights, maximum scores, rollup) is data: adjudge's `score_rubric` reads the same file and comes
to the same reward. It is JSON because every Python reads that, and TOML only from 3.11 on.
"""

import json
import os
import re

from adjudge_kit import Verifier, lookup, near, split_number

FACTORS = {"Nq": 18.4011, "Nc": 30.1396, "Ngamma": 22.4025}
PRESSURES = {  # dimension: (line of the report, kPa)
    "ultimate": ("Ultimate bearing capacity", 1296.81),
    "allowable": ("Allowable bearing capacity", 432.27),
    "applied": ("Applied pressure", 350.0),
}
with open(os.path.join(os.path.dirname(__file__), "rubric.json"), encoding="utf-8") as file:
    RUBRIC = json.load(file)
DIMENSIONS = {dimension["id"]: dimension for dimension in RUBRIC["dimensions"]}


def factors(report):
    close = near(rel=0.01, strings=True)
    found = {name: lookup(report, name) for name in FACTORS}
    right = [
        name
        for name, value in found.items()
        if isinstance(value, str) and close(FACTORS[name], value, name).score
    ]
    return len(right) / len(FACTORS), "right: " + (", ".join(right) or "none")


def assumptions(report):
    capacity = lookup(report, PRESSURES["ultimate"][0])
    if not isinstance(capacity, str) or split_number(capacity, thousands=True) is None:
        return 0.0, "the note gives no capacity"
    method = re.search(r"vesi[cć]", report, re.IGNORECASE) is not None
    water = any(
        re.search(r"ground\s?water|water table", sentence)
        and re.search(r"\b(deep|below)\b", sentence)
        and not re.search(r"\b(not|never|cannot|hardly|shallow|high)\b|n't\b", sentence)
        for sentence in re.split(r"\.\s|\n\s*\n", report.lower())
    )
    return (method + water) / 2, f"method named: {method}, groundwater stated: {water}"


def as_in_rubric(name):
    return {"weight": DIMENSIONS[name]["weight"], "max_score": DIMENSIONS[name].get("max_score", 1)}


with Verifier.from_file("/workspace/report.txt", rollup=RUBRIC["rollup"]) as v:
    v.check("factors", factors, **as_in_rubric("factors"))
    for name, (line, pressure) in PRESSURES.items():
        v.number(name, pressure, rel=0.01, unit="kPa", thousands=True, at=line, **as_in_rubric(name))
    v.choice(
        "conclusion",
        "adequate",
        among=["adequate", "inadequate"],
        at="Conclusion",
        **as_in_rubric("conclusion"),
    )
    v.check("assumptions", assumptions, **as_in_rubric("assumptions"))
