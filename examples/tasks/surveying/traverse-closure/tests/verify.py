"""Scores two files of the workspace, half the reward each: closure.json and coordinates.csv.

The reference values are those worked out in solution/solve.sh. Coordinates that were not adjusted are out by
4 mm and more, so 3 mm tells them apart.
"""

from adjudge_kit import Unreadable, Verifier, near, read_answer, read_bytes, record_rule

COORDINATES = [
    {"station": "B", "northing_m": 1180.3779, "easting_m": 5122.6906},
    {"station": "C", "northing_m": 1101.8577, "easting_m": 5391.2467},
    {"station": "D", "northing_m": 842.5846, "easting_m": 5440.8276},
    {"station": "E", "northing_m": 790.2714, "easting_m": 5148.5421},
]
metres = near(abs=0.003, strings=True)
compare = record_rule("station", {"northing_m": metres, "easting_m": metres})


def coordinates(_):
    """The second file; one that is missing or no CSV loses this check alone."""
    try:
        rows = read_answer(read_bytes("/workspace/coordinates.csv"), "csv")
    except Unreadable as problem:
        return 0.0, str(problem)
    return compare(COORDINATES, rows, "coordinates")


with Verifier.from_file("/workspace/closure.json", strings=True) as v:
    v.number("misclosure_n_m", 0.07258, abs=0.0006)
    v.number("misclosure_e_m", 0.02792, abs=0.0006)
    v.number("linear_misclosure_m", 0.07776, abs=0.0006)
    v.number("precision_denominator", 16921.3, rel=0.02)
    v.boolean("accepted", True)
    v.check("coordinates", coordinates, weight=5)
