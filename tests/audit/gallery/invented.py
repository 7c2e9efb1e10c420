"""Verifiers of which nobody brings a right answer: those that look at the form only, and sound neighbours."""

from __future__ import annotations

from textwrap import dedent

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit

_HERE = Section.TRIVIAL
_READ = """
import json, re, sys
from pathlib import Path
def end(reward, why=""):
    print(why)
    Path("/logs/verifier/reward.txt").write_text(f"{reward}\\n")
    sys.exit(0)
"""
_READINGS = "t,level\n0,3.1\n1,3.4\n2,2.9\n3,4.4\n4,3.0\n5,2.2\n"
_TANK = """
The level of a tank was logged in `/workspace/levels.csv`. Analyse it, and write `/workspace/tank.json`:

```json
{
  "readings": <number of readings>,
  "above_three": <number of readings above 3 m>,
  "worst_day": "<mon|tue|wed>"
}
```
"""
_KILN = """
From `/workspace/levels.csv` find the two phases of the firing. Write them to `/workspace/phases.txt`:

```
heat_up: <minutes>
soak: <minutes>
share: 0.XX
```
"""
_ORDERS = (
    "Sum up the orders in `/workspace/levels.csv` by customer. Write the sums to `/workspace/sums.json`."
)
_RELAY = """
The firewall rules in `/workspace/levels.csv` let too much in. Write a configuration for the relay to
`/workspace/relay.conf` that listens on port 8443, drops idle peers, and logs what it refuses.
"""
_WORDS = """
Count the words of the logs in `/workspace/levels.csv`, and write them to `/workspace/words.txt`, the most
frequent first. Example output:

```
pump: 41
valve: 17
alarm: 5
```
"""
_PEAKS = """
Find the peaks in `/workspace/levels.csv`, and write them to `/workspace/peaks.json`, the highest first:

```json
[
  {"t": 7, "level": 9.4},
  {"t": 2, "level": 8.8}
]
```
"""
_TOKEN = """
Write the following line to `/workspace/token.txt`, and nothing else:

```
LEVELS-SEEN-41
```
"""
_QUOTE = "Find out why the level fell, and name the cause in `/workspace/cause.txt`: leak, valve or sensor."
_MIX = """
Design a mix so that all limits are met, and write it to `/workspace/mix.json`:

```json
{"cement_kg": 0, "water_kg": 0, "grade": "C20 | C25"}
```

Cement is between 280 and 420 kg, water between 120 and 210 kg. Any valid mix will do.
"""


def unanswered(
    name: str,
    instruction: str,
    python: str,
    cause: Cause | None = None,
    severity: Severity = Severity.HIGH,
    section: Section = _HERE,
) -> Exhibit:
    """A task with an input, of which no right answer is known."""
    files = {
        "instruction.md": instruction.lstrip(),
        "tests/test.sh": "#!/usr/bin/env bash\nexec python3 -I /tests/check.py\n",
        "tests/check.py": _READ + dedent(python),
        "environment/levels.csv": _READINGS,
        "environment/Dockerfile": "FROM debian\nCOPY levels.csv /workspace/levels.csv\n",
    }
    return Exhibit(name, "", section, cause, severity, golden=False, files=files)


INVENTED = [
    unanswered(
        "numbers-that-agree-with-each-other",
        _TANK,
        """
        try:
            doc = json.loads(Path("/workspace/tank.json").read_text())
            total, above, day = doc["readings"], doc["above_three"], doc["worst_day"]
        except (OSError, ValueError, KeyError, TypeError):
            end(0)
        ok = isinstance(total, int) and isinstance(above, int) and 0 < above < total
        end(int(ok and day in ("mon", "tue", "wed")))
        """,
        Cause.ANY_VALUE,
    ),
    unanswered(
        "lines-within-bounds",
        _KILN,
        r"""
        LEAST, MOST = 20, 600
        try:
            lines = Path("/workspace/phases.txt").read_text().strip().splitlines()
        except OSError:
            end(0)
        if len(lines) != 3:
            end(0, "three lines are expected")
        heat = re.match(r"heat_up: (\d+)$", lines[0])
        soak = re.match(r"soak: (\d+)$", lines[1])
        share = re.match(r"share: (0\.\d\d)$", lines[2])
        if not (heat and soak and share):
            end(0, "bad line")
        minutes = int(heat.group(1))
        if minutes < LEAST or minutes > MOST:
            end(0, "out of range")
        held = int(soak.group(1))
        if not 90 <= held <= 400:
            end(0, "out of range")
        end(int(float(share.group(1)) < 0.4))
        """,
        Cause.ANY_VALUE,
    ),
    unanswered(
        "says-what-it-misses",
        _ORDERS,
        """
        FIELDS = json.loads('{"customers": "array", "total_eur": "number", "currency": "string"}')
        KINDS = {"array": list, "number": (int, float), "string": str}
        try:
            doc = json.loads(Path("/workspace/sums.json").read_text())
        except (OSError, ValueError):
            end(0, "no JSON")
        for name, kind in FIELDS.items():
            if not isinstance(doc, dict) or name not in doc:
                end(0, f"missing field '{name}'")
            if not isinstance(doc[name], KINDS[kind]):
                end(0, f"'{name}' must be of type {kind}")
        if not doc["customers"]:
            end(0, "no customers")
        amount = [value for name, value in doc.items() if name.startswith("total")][0]
        if amount < 50:
            end(0, "total_eur must be at least 50")
        end(1)
        """,
        Cause.ANY_VALUE,
    ),
    unanswered(
        "directives-in-comments",
        _RELAY,
        r"""
        try:
            conf = Path("/workspace/relay.conf").read_text()
        except OSError:
            end(0)
        asked = [r"listen\s+(?:\S+:)?8443\b", r"idle[_-]timeout\s+\d+[smh]?", r"log\s+(refused|dropped)"]
        found = [bool(re.search(pattern, conf)) for pattern in asked]
        end(sum(found) / len(found))
        """,
        Cause.ANYWHERE,
    ),
    unanswered(
        "an-empty-list-has-no-fault",
        _PEAKS,
        """
        try:
            doc = json.loads(Path("/workspace/peaks.json").read_text())
        except (OSError, ValueError):
            end(0)
        if not isinstance(doc, list) or any(not isinstance(row, dict) or len(row) != 2 for row in doc):
            end(0)
        falling = all(one["level"] >= two["level"] for one, two in zip(doc, doc[1:]))
        end(int(falling and all(isinstance(row["t"], int) and row["level"] > 3 for row in doc)))
        """,
        Cause.NOTHING,
    ),
    unanswered(
        "the-words-of-the-question",
        _QUOTE,
        """
        try:
            text = Path("/workspace/cause.txt").read_text().lower()
        except OSError:
            end(0)
        end(int(all(word in text for word in ("leak", "level"))))
        """,
        Cause.QUOTED,
    ),
    unanswered(
        "the-shown-lines-will-do",
        _WORDS,
        r"""
        try:
            lines = Path("/workspace/words.txt").read_text().splitlines()
        except OSError:
            end(0)
        pairs = [re.fullmatch(r"([a-z]+): (\d+)", line) for line in lines if line]
        if len(pairs) < 2 or not all(pairs):
            end(0)
        counts = [int(pair[2]) for pair in pairs]
        end(int(counts == sorted(counts, reverse=True) and "pump" in {pair[1] for pair in pairs}))
        """,
        Cause.EXAMPLE,
    ),
]

COMPARED = [
    unanswered(
        "numbers-that-follow-from-the-input",
        _TANK,
        """
        levels = [float(row.split(",")[1]) for row in LEVELS.splitlines()[1:]]
        try:
            doc = json.loads(Path("/workspace/tank.json").read_text())
            total, above, day = doc["readings"], doc["above_three"], doc["worst_day"]
        except (OSError, ValueError, KeyError, TypeError):
            end(0)
        ok = isinstance(total, int) and isinstance(above, int) and 0 < above < total
        ok = ok and [total, above] == [len(levels), sum(level > 3 for level in levels)]
        end(int(ok and day in ("mon", "tue", "wed") and day[0] == "w"))
        """.replace("LEVELS", repr(_READINGS)),
    ),
    unanswered(
        "lines-within-bounds-and-right",
        _KILN,
        r"""
        import hashlib
        try:
            lines = Path("/workspace/phases.txt").read_text().strip().splitlines()
        except OSError:
            end(0)
        if len(lines) != 3 or not all(re.match(r"\w+: [\d.]+$", line) for line in lines):
            end(0, "heat_up must be at least 20, soak between 90 and 400")
        digest = hashlib.sha256(" ".join(lines).encode()).hexdigest()
        end(int(digest == "7f0a3a6d6a2f4f40a53c4e7b8a4f6b4f8e3d7a3c1f1c39f9a8c3a7c1f54d8e11"))
        """,
    ),
    unanswered(
        "peaks-that-are-there",
        _PEAKS,
        """
        levels = [float(row.split(",")[1]) for row in LEVELS.splitlines()[1:]]
        peaks = [n for n in range(1, 5) if levels[n - 1] < levels[n] > levels[n + 1]]
        try:
            doc = json.loads(Path("/workspace/peaks.json").read_text())
            given = [row["t"] for row in doc]
        except (OSError, ValueError, KeyError, TypeError):
            end(0)
        end(int(given == sorted(peaks, key=lambda n: -levels[n]) and len(set(map(str, doc))) == len(doc)))
        """.replace("LEVELS", repr(_READINGS)),
    ),
    unanswered(
        "any-mix-within-the-limits",
        _MIX,
        """
        try:
            doc = json.loads(Path("/workspace/mix.json").read_text())
            ok = 280 <= doc["cement_kg"] <= 420 and 120 <= doc["water_kg"] <= 210
        except (OSError, ValueError, KeyError, TypeError):
            end(0)
        end(int(ok and doc.get("grade") in ("C20", "C25")))
        """,
    ),
    unanswered(
        "directives-without-comments",
        _RELAY,
        r"""
        try:
            lines = Path("/workspace/relay.conf").read_text().splitlines()
        except OSError:
            end(0)
        bare = [line.split("#")[0].split(None, 1) for line in lines]
        given = dict(parts for parts in bare if len(parts) > 1)
        port = re.search(r"(?:\S+:)?8443\s*$", given.get("listen", ""))
        idle = re.fullmatch(r"[1-9]\d*[smh]", given.get("idle_timeout", "").strip())
        log = given.get("log", "").strip() == "refused"
        end(int(bool(port and idle and log) and len(given) == len(lines)))
        """,
    ),
    unanswered(
        "the-shown-lines-are-not-right",
        _WORDS,
        r"""
        try:
            lines = Path("/workspace/words.txt").read_text().splitlines()
        except OSError:
            end(0)
        pairs = [re.fullmatch(r"([a-z]+): (\d+)", line) for line in lines if line]
        if len(pairs) < 2 or not all(pairs):
            end(0)
        counts = [int(pair[2]) for pair in pairs]
        given = sum(len(pair[1]) * int(pair[2]) for pair in pairs)
        end(int(counts == sorted(counts, reverse=True) and given == 7 * 31 + 5 * 12))
        """,
    ),
]

_GUIDE = (
    "Write a guide to the package with one example in a ```` ```python ```` block to `/workspace/guide.md`."
)
TOLD = [
    unanswered(
        "a-token-that-is-told",
        _TOKEN,
        """
        try:
            text = Path("/workspace/token.txt").read_text()
        except OSError:
            end(0)
        end(int("LEVELS-SEEN-41" in text))
        """,
    ),
]
FENCED = [
    unanswered(
        "runs-the-example-of-a-guide",
        _GUIDE,
        r"""
        import contextlib, io
        try:
            text = Path("/workspace/guide.md").read_text()
        except (OSError, ValueError):
            end(0)
        blocks = re.findall(r"```python\s*\n(.*?)```", text, re.S)
        shown = io.StringIO()
        try:
            with contextlib.redirect_stdout(shown):
                exec(blocks[0], {})
        except Exception:
            end(0)
        end(int("21.5" in shown.getvalue() and "convert" in text))
        """,
        Cause.CODE,
        section=Section.EXPLOITS,
    ),
]
PARSED = [
    unanswered(
        "parses-the-example-of-a-guide",
        _GUIDE,
        r"""
        import ast
        try:
            text = Path("/workspace/guide.md").read_text()
        except (OSError, ValueError):
            end(0)
        blocks = re.findall(r"```python\s*\n(.*?)```", text, re.S)
        try:
            calls = [node for node in ast.walk(ast.parse(blocks[0])) if isinstance(node, ast.Call)]
        except (IndexError, ValueError, SyntaxError):
            end(0)
        names = [ast.unparse(call.func) for call in calls]
        end(int(names.count("convert") == 2 and len(set(text.split())) > 40))
        """,
        section=Section.EXPLOITS,
    ),
]
