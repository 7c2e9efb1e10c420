"""Answers of several files: some may be missing, empty or exchanged, others are read badly."""

from __future__ import annotations

import json
from dataclasses import replace

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION


def _files(
    name: str,
    said: str,
    answer: dict[str, str],
    *,
    python: str | None = None,
    script: str | None = None,
    path: str | list[str] | None = None,
    flaw: tuple[Section, Cause, Severity] | None = None,
) -> Exhibit:
    """A task whose right answer is a golden with these files, the first of them the main one."""
    paths = path or [f"/workspace/{file}" for file in answer]
    files = {f"goldens/pass/right/{file}": text for file, text in answer.items()}
    files["task.toml"] = f"[output]\npath = {json.dumps(paths)}\n\n[verifier]\ntimeout_sec = 20.0\n"
    section, cause, severity = flaw or (None, None, Severity.HIGH)
    ways = {} if script is None else {"script": script}
    first = next(iter(answer))
    return other(
        name,
        said,
        (f"right/{first}", answer[first]),
        python=python,
        section=section,
        cause=cause,
        severity=severity,
        files=files,
        **ways,
    )


_STATIONS = {
    "north": {"head_m": 41.3, "flow_ls": 12.6, "pumps": 3},
    "quay": {"head_m": 28.9, "flow_ls": 7.45, "pumps": 2},
    "weir": {"head_m": 63.2, "flow_ls": 19.8, "pumps": 4},
    "mill": {"head_m": 17.4, "flow_ls": 4.15, "pumps": 1},
}
_STATION_FILES = {f"stations/{name}.json": json.dumps(data) + "\n" for name, data in _STATIONS.items()}
_STATION_TASK = (
    "For each of the pumping stations north, quay, weir and mill write a file `/workspace/stations/NAME.json`"
    ' such as `{"head_m": 0.0, "flow_ls": 0.0, "pumps": 0}`. Values count within 1 %.'
)
_READ_STATIONS = f"""
REF = {_STATIONS!r}
def number(x, ref):
    if isinstance(x, bool) or not isinstance(x, (int, float)) or not abs(x) < 1e9:
        return False
    return abs(x - ref) <= 0.01 * ref
def mark(path, ref):
    try:
        found = json.loads(body(path))
    except (ValueError, RecursionError):
        found = None
    found = found if isinstance(found, dict) else {{}}
    return sum(number(found.get(key), value) for key, value in ref.items()) / len(ref)
"""

_BOUGHT = "part,price\nP-11,14.20\nP-17,3.85\nP-23,120.00\nP-40,7.15\nP-52,61.30\n"
_MADE = "part,price\nM-03,22.75\nM-08,5.40\nM-19,310.00\nM-27,18.65\n"
_PARTS_TASK = (
    "Split the list of parts: those that are bought go to `/workspace/bought.csv`, those that are made to "
    "`/workspace/made.csv`, both with the columns part and price."
)
_READ_PARTS = f"""
import csv, io
FILES = {{"bought.csv": {_BOUGHT!r}, "made.csv": {_MADE!r}}}
def rows(text):
    try:
        found = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error:
        return []
    found = [[cell.strip() for cell in row] for row in found if any(cell.strip() for cell in row)]
    return [tuple(row) for row in found[1:]] if found[:1] == [["part", "price"]] else []
def share(got, want):
    return sum(row in got for row in set(want)) / max(len(got), len(want)) if len(set(got)) == len(got) else 0
"""

_ALLOW = "10.0.4.17\n10.0.4.22\n10.0.7.3\n10.1.0.9\n10.1.0.14\n10.2.5.5\n"
_BLOCK = "172.16.0.4\n172.16.0.9\n172.16.3.1\n172.17.8.30\n"
_HOSTS_TASK = (
    "Sort the addresses of the log by the rules below: those to be let in go to `/workspace/allow.txt`, those"
    " to be shut out to `/workspace/block.txt`, one in a line, each once, in any order."
)
_HOSTS_FILES = {"allow.txt": _ALLOW, "block.txt": _BLOCK}
_SHELL = f"""
cd /workspace
printf '{_ALLOW.replace(chr(10), chr(92) + "n")}' > /tmp/want_allow
printf '{_BLOCK.replace(chr(10), chr(92) + "n")}' > /tmp/want_block
fit() {{
    [ -f "$1" ] && [ ! -L "$1" ] || return 1
    tr -d '\\r' < "$1" | sed '1s/^\\xef\\xbb\\xbf//; s/[ \\t]*$//; /^$/d' | sort > /tmp/got
    RULE
}}
good=0
if fit allow.txt /tmp/want_allow; then good=$((good + 1)); fi
if fit block.txt /tmp/want_block; then good=$((good + 1)); fi
if [ $good = 2 ]; then reward=1; elif [ $good = 1 ]; then reward=0.5; else reward=0; fi
printf '{{"reward": %s}}\\n' $reward > /logs/verifier/reward.json
"""

_SUMMARY = {"gauges": 6, "highest": "G-4", "mean_mm": 38.85}
_GAUGES = "gauge,rain_mm\nG-1,41.2\nG-2,17.9\nG-3,36.4\nG-4,88.1\nG-5,9.3\nG-6,40.2\n"
_RAIN_TASK = (
    "Work out the rain at the six gauges: `/workspace/gauges.csv` with the columns gauge and rain_mm, and "
    '`/workspace/summary.json` with `{"gauges": 0, "highest": "...", "mean_mm": 0.0}`. Rain counts within '
    "0.2 mm. Each file is half of the marks."
)
_READ_RAIN = f"""
import csv, io, math
RAIN = dict(line.split(",") for line in {_GAUGES!r}.split()[1:])
try:
    told = json.loads(body("/workspace/summary.json"))
except (ValueError, RecursionError):
    told = None
told = told if isinstance(told, dict) else {{}}
mean = told.get("mean_mm")
mean = type(mean) in (int, float) and abs(mean - 38.85) <= 0.2
half = (type(told.get("gauges")) is int and told["gauges"] == 6) + (told.get("highest") == "G-4") + mean
rows = list(csv.reader(io.StringIO(body("/workspace/gauges.csv").replace("\\r\\n", "\\n"))))
rows = [[cell.strip() for cell in row] for row in rows if row]
good = rows[:1] == [["gauge", "rain_mm"]] and all(len(row) == 2 for row in rows)
names = [row[0] for row in rows[1:]] if good else []
given = dict(rows[1:]) if good and len(set(names)) == len(names) else {{}}
def far(text, ref):
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = 1e9
    TEST
wrong = sum(far(given.get(name), float(ref)) for name, ref in RAIN.items()) + len(set(given) - set(RAIN))
out(half / 6 + max(0, 6 - wrong) / 12)
"""
_EXACT = "return not math.isfinite(value) or abs(value - ref) > 0.2"


def _expected(exhibit: Exhibit, name: str) -> Exhibit:
    """The same task with its right answer in a folder of the verifier's, and no golden."""
    files = {path.replace("goldens/pass/right/", ""): text for path, text in exhibit.files.items()}
    moved = {
        path
        if path.startswith(("tests/", "task.", "instr"))
        else f"tests/expected/{path.split('/')[-1]}": text
        for path, text in files.items()
    }
    return replace(exhibit, name=name, files=moved)


MANY_FILES = [
    _files(
        "files-that-happen-to-be-there",
        _STATION_TASK,
        _STATION_FILES,
        python=f"""{_READ_STATIONS}
import glob
marks = []
for path in sorted(glob.glob("/workspace/stations/*.json")):
    name = os.path.basename(path)[:-5]
    if name in REF:
        marks.append(mark(path, REF[name]))
out(sum(marks) / len(marks) if marks else 0.0)
""",
        path="/workspace/stations/",
        flaw=(_FIELDS, Cause.DROPPED, Severity.HIGH),
    ),
    _files(
        "rows-in-either-file",
        _PARTS_TASK,
        {"bought.csv": _BOUGHT, "made.csv": _MADE},
        python=f"""{_READ_PARTS}
got = [row for name in FILES for row in rows(body("/workspace/" + name))]
out(share(got, [row for text in FILES.values() for row in rows(text)]))
""",
        flaw=(_FIELDS, Cause.SWAPPED, Severity.MEDIUM),
    ),
    _files(
        "no-wrong-line-in-an-empty-file",
        _HOSTS_TASK,
        _HOSTS_FILES,
        script=_SHELL.replace(
            "RULE", '[ -z "$(sort "$2" | comm -23 /tmp/got -)" ] && [ -z "$(uniq -d /tmp/got)" ]'
        ),
        flaw=(_FIELDS, Cause.EMPTY, Severity.HIGH),
    ),
    _files(
        "second-table-of-nan",
        _RAIN_TASK,
        {"summary.json": json.dumps(_SUMMARY) + "\n", "gauges.csv": _GAUGES},
        python=_READ_RAIN.replace("TEST", "return abs(value - ref) > 0.2"),
        flaw=(_FIELDS, Cause.NOT_A_NUMBER, Severity.HIGH),
    ),
    _files(
        "second-table-split-at-line-feeds",
        _RAIN_TASK,
        {"summary.json": json.dumps(_SUMMARY) + "\n", "gauges.csv": _GAUGES},
        python=_READ_RAIN.replace(
            'list(csv.reader(io.StringIO(body("/workspace/gauges.csv").replace("\\r\\n", "\\n"))))',
            '[line.split(",") for line in open("/workspace/gauges.csv", newline="").read().split("\\n")'
            '\\\n    if line] if os.path.isfile("/workspace/gauges.csv") else []',
        )
        .replace("[cell.strip() for cell in row] for row", "row for row")
        .replace("TEST", _EXACT),
        flaw=(Section.FORMAT, Cause.LINES, Severity.MEDIUM),
    ),
    _files(
        "stale-file-left-behind",
        _STATION_TASK + " There must be no other files in the folder.",
        _STATION_FILES,
        python=f"""{_READ_STATIONS}
marks = [mark(f"/workspace/stations/{{name}}.json", ref) for name, ref in REF.items()]
out(sum(marks) / len(REF))
""",
        path="/workspace/stations/",
        flaw=(_FIELDS, Cause.UNSCORED, Severity.LOW),
    ),
]
_BY_NAME = {exhibit.name: exhibit for exhibit in MANY_FILES}
MANY_FILES += [
    _expected(_BY_NAME["files-that-happen-to-be-there"], "only-the-stations-that-are-there"),
    _expected(_BY_NAME["second-table-of-nan"], "nan-beside-the-summary"),
]

MANY_FILES_SOUND = [
    _files(
        "stations-one-by-one",
        _STATION_TASK + " There must be no other files in the folder: each costs as much as a station.",
        _STATION_FILES,
        python=f"""{_READ_STATIONS}
marks = [mark(f"/workspace/stations/{{name}}.json", ref) for name, ref in REF.items()]
found = os.listdir("/workspace/stations") if os.path.isdir("/workspace/stations") else []
more = len(set(found) - {{f"{{name}}.json" for name in REF}})
out(max(0.0, sum(marks) - more) / len(REF))
""",
        path="/workspace/stations/",
    ),
    _files(
        "rows-in-their-own-file",
        _PARTS_TASK,
        {"bought.csv": _BOUGHT, "made.csv": _MADE},
        python=f"""{_READ_PARTS}
out(sum(share(rows(body("/workspace/" + name)), rows(text)) for name, text in FILES.items()) / len(FILES))
""",
    ),
    _files(
        "all-lines-and-no-others",
        _HOSTS_TASK,
        _HOSTS_FILES,
        script=_SHELL.replace("RULE", 'sort "$2" | cmp -s - /tmp/got'),
    ),
    _files(
        "notes-may-be-missing",
        _RAIN_TASK + " The file `/workspace/notes.json` for remarks may be left out.",
        {
            "summary.json": json.dumps(_SUMMARY) + "\n",
            "gauges.csv": _GAUGES,
            "notes.json": '{"remark": "Gauge 5 stands in the lee.", "visits": 3}\n',
        },
        python=_READ_RAIN.replace("TEST", _EXACT),
    ),
    _files(
        "parts-under-any-name",
        "Split the list of parts into two files of at most five rows, `/workspace/split/a.csv` and so on (any"
        " file name will do), each with the columns part and price.",
        {"split/a.csv": _BOUGHT, "split/b.csv": _MADE},
        python=f"""{_READ_PARTS}
import glob
names = sorted(glob.glob("/workspace/split/*.csv"))
parts = [rows(body(name)) for name in names]
got = [row for part in parts for row in part]
fit = len(names) == 2 and all(len(part) <= 5 for part in parts)
out(share(got, [row for text in FILES.values() for row in rows(text)]) if fit else 0.0)
""",
        path="/workspace/split/",
    ),
]
MANY_FILES_SOUND.append(_expected(MANY_FILES_SOUND[0], "stations-as-the-verifier-has-them"))
