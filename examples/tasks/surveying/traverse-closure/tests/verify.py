"""Scores two files of the workspace, half the reward each: closure.json and coordinates.csv.

The reference values are those worked out in solution/solve.sh. A station is right if both its coordinates
are, to 1 mm: without an adjustment they are out by 4 mm and more, by the transit rule northings are out by
3 mm and more, while eastings alone would hardly tell the rules apart.
"""

from adjudge_kit import Unreadable, Verifier, near, read_answer, read_bytes, record_rule

COORDINATES = [
    {"station": "B", "northing_m": 1180.3779, "easting_m": 5122.6906},
    {"station": "C", "northing_m": 1101.8577, "easting_m": 5391.2467},
    {"station": "D", "northing_m": 842.5846, "easting_m": 5440.8276},
    {"station": "E", "northing_m": 790.2714, "easting_m": 5148.5421},
]
metres = near(abs=0.001, strings=True)
compare = record_rule("station", {"northing_m": metres, "easting_m": metres})


def coordinates(_):
    """The second file; one that is missing or no CSV loses this check alone."""
    try:
        rows = read_answer(read_bytes("/workspace/coordinates.csv"), "csv")
    except Unreadable as problem:
        return 0.0, str(problem)
    whole = compare(COORDINATES, rows, "coordinates")
    right = sum(
        compare([station], _rows_of(station, rows), "coordinates").score == 1 for station in COORDINATES
    )
    return 2 * right / (len(COORDINATES) + len(rows)), f"{right} stations right; {whole.evidence}"


def _rows_of(station, rows):
    return [row for row in rows if row.get("station", "").strip().upper() == station["station"]]


with Verifier.from_file("/workspace/closure.json", strings=True) as v:
    v.number("misclosure_n_m", 0.07258, abs=0.0006)
    v.number("misclosure_e_m", 0.02792, abs=0.0006)
    v.number("linear_misclosure_m", 0.07776, abs=0.0006)
    v.number("precision_denominator", 16921.3, rel=0.02)
    v.boolean("accepted", True)
    v.check("coordinates", coordinates, weight=5)
