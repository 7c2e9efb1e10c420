"""Scores /workspace/answer.json; details come in the groups of the answer, geometry and flow.

Uses the kit's parts instead of its `Verifier`: read, compare, roll up, and write the shape one likes. The
reference values are those worked out in solution/solve.sh.
"""

import json

from adjudge_kit import Unreadable, near, read_answer, read_bytes, roll_up

REFERENCE = {
    "geometry": {"normal_depth_m": 1.34872, "area_m2": 6.77476, "hydraulic_radius_m": 0.861611},
    "flow": {"velocity_m_s": 1.25466, "froude": 0.408526, "regime": "subcritical"},
}
close = near(rel=0.005, strings=True)
close_depth = near(abs=0.0005, strings=True)  # what the instruction asks


def check(group, field, expected):
    """{score, max_score, evidence} of one field, and the tags that explain it."""
    fields = answer.get(group) if isinstance(answer, dict) else None
    given = fields.get(field) if isinstance(fields, dict) else None
    if given is None:
        return entry(0.0, problem or "missing"), []
    if isinstance(expected, str):
        right = isinstance(given, str) and given.strip().lower() == expected
        return entry(float(right), "exact match" if right else "not " + expected), []
    rule = close_depth if field == "normal_depth_m" else close
    outcome = rule(expected, given, group + "." + field)
    return entry(outcome.score, outcome.evidence), outcome.causes


def entry(score, evidence):
    return {"score": score, "max_score": 1.0, "evidence": evidence}


def write(name, value):
    with open("/logs/verifier/" + name, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)


answer, problem, tags = None, None, []
try:
    answer = read_answer(read_bytes("/workspace/answer.json"))
except Unreadable as unreadable:
    problem = str(unreadable)
    tags.append({"category": unreadable.category, "description": problem, "source": "mechanical"})
details = {group: {} for group in REFERENCE}
for group, fields in REFERENCE.items():
    for field, expected in fields.items():
        details[group][field], causes = check(group, field, expected)
        for where, cause in causes:
            description = where + ": " + cause.describe()
            tags.append({"category": cause.category, "description": description, "source": "mechanical"})
scores = [(result["score"], 1.0) for fields in details.values() for result in fields.values()]
write("details.json", details)
write("errors.json", tags)
write("reward.json", {"reward": roll_up(scores)})
