"""A right answer in the layout that an example of the instruction shows, whatever names the example has."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from adjudge.audit.answers.forms import as_shown
from adjudge.audit.answers.recover import recover
from adjudge.audit.answers.written import blocks_shown, laid_out, layouts
from adjudge.audit.probes import Bench
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from support.task_folders import write_task

WRITE = 'open("/logs/verifier/reward.txt", "w").write(str(float({})))\n'
LINES = """
import re
try:
    text = open("/app/out{ending}").read()
except OSError:
    text = ""
"""


def py(code: str, reward: str, ending: str) -> str:
    """A script that reads a text and gives a reward."""
    read = LINES.format(ending=ending)
    return f"python3 - <<'PY'\n{read}{dedent(code)}\n{WRITE.format(reward)}PY\n"


TASKS: dict[str, tuple[str, str, str]] = {
    "numbers that count, worked out by a function of the verifier's own": (
        "Double each of 4, 7 and 11. Write `/app/out.txt`:\n\n```\n9) 90\n```\n",
        py(
            r"""
            GIVEN = [4, 7, 11]
            def twice(n):
                return f"{2 * n}"
            told = dict(re.findall(r"^(\d+)\) (\S+)$", text, re.M))
            good = sum(told.get(str(i)) == twice(n) for i, n in enumerate(GIVEN, 1))
            """,
            "good / 3",
            ".txt",
        ),
        "1) 8\n2) 14\n3) 22\n",
    ),
    "a section for each name, with what one holds": (
        "Set up `mill` and `barn`. Write `/app/out.ini`:\n\n```\n[site]\npower = 1\nzone = x\n```\n",
        py(
            """
            import configparser
            ini = configparser.ConfigParser()
            ini.read_string(text)
            SITES = {"mill": (3, "north"), "barn": (5, "south")}
            good = 0
            for name, (many, zone) in SITES.items():
                part = ini[name] if ini.has_section(name) else {}
                good += part.get("power") == str(many * 11)
                good += part.get("zone", "").upper() == f"{zone} east".upper()
            """,
            "good / 4",
            ".ini",
        ),
        "[mill]\npower = 33\nzone = NORTH EAST\n\n[barn]\npower = 55\nzone = SOUTH EAST\n",
    ),
    "tags of an example": (
        "Write `/app/out.xml`:\n\n```xml\n<tank>\n  <level>0</level>\n  <fill>0</fill>\n</tank>\n```\n",
        py(
            """
            import xml.etree.ElementTree as ET
            good = 0
            try:
                root = ET.fromstring(text)
                for tag, due in (("level", 7 / 4), ("fill", 3 ** 4)):
                    good += abs(float(root.findtext(tag)) - due) < 0.001
            except (ET.ParseError, TypeError, ValueError):
                pass
            """,
            "good / 2",
            ".xml",
        ),
        "<tank>\n  <level>1.75</level>\n  <fill>81</fill>\n</tank>\n",
    ),
    "names of a table in the order of its numbers": (
        "Put rye, oat and flax in order, one per line, the cheapest first, in `/app/out.txt`.",
        py(
            """
            COST = {"rye": 31, "oat": 12, "flax": 25}
            told = text.split()
            pairs = [(a, b) for i, a in enumerate(told) for b in told[i + 1:]]
            good = sum(COST[a] < COST[b] for a, b in pairs) if sorted(told) == sorted(COST) else 0
            """,
            "good / 3",
            ".txt",
        ),
        "oat\nflax\nrye\n",
    ),
    "a pattern that is matched": (
        "Name the keys of the songs 1 and 2 in `/app/out.txt`, lines such as `7: X`: Ode, Air.",
        py(
            r"""
            SONGS = ["Ode", "Air"]
            told = dict(re.findall(r"^(\d): (.+)$", text, re.M))
            good = 0
            for number, song in enumerate(SONGS, 1):
                due = "+".join((song[0], "sharp"))
                good += bool(re.fullmatch(re.escape(due), told.get(str(number), ""), re.I))
            """,
            "good / 2",
            ".txt",
        ),
        "1: O+sharp\n2: A+sharp\n",
    ),
}
SHELL = {
    "an array of bash": (
        "Write `/app/out.conf`, a line per crate:\n\n```\ncrate: 1\n```\n\nfor nails, bolts and pins.",
        """
        declare -A due=([nails]=40 [bolts]=15)
        due[pins]=$((3 * 7))
        good=0
        while IFS=': ' read -r name many; do
            [[ -v due[$name] ]] && (( many == due[$name] )) && good=$((good + 1))
        done < <(cat /app/out.conf 2> /dev/null)
        awk -v a="$good" 'BEGIN { print a / 3 }' > /logs/verifier/reward.txt
        """,
        {"nails: 40", "bolts: 15", "pins: 21"},
    ),
    "an array of awk with two names for each value": (
        "Write `/app/out.ini`:\n\n```\n[shed]\nrakes = 1\n```\n\nThe places are barn and loft.",
        """
        f=/app/out.ini; [ -f "$f" ] || f=/dev/null
        awk 'BEGIN { n = split("barn.rakes=4 barn.forks=6 loft.forks=2", item, " ")
            for (i = 1; i <= n; i++) { split(item[i], part, "="); due[part[1]] = part[2] } }
          /^\\[/ { place = substr($0, 2, length($0) - 2); next }
          { given[place "." $1] = $3 }
          END { for (key in due) if (given[key] == due[key]) good++; print good / n }' "$f" \\
          > /logs/verifier/reward.txt
        """,
        {"[barn]", "rakes = 4", "forks = 6", "[loft]", "forks = 2"},
    ),
}


def _recovered(folder: Path, instruction: str, script: str, sandbox: Sandbox) -> tuple[bytes, float]:
    with Bench(load_task(write_task(folder, instruction=instruction, script=script)), sandbox, 2) as bench:
        found = recover(bench, 0.5)
    assert found is not None
    return found[0], found[1].reward


@pytest.mark.parametrize("name", TASKS)
def test_an_answer_is_written_as_the_example_is(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    instruction, script, due = TASKS[name]
    data, reward = _recovered(tmp_path / "task", instruction, script, sandbox)
    assert reward == 1.0
    assert data.decode().lower().split() == due.lower().split()


@pytest.mark.parametrize("name", SHELL)
def test_what_an_array_holds_is_written_as_the_example_is(
    name: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    instruction, script, due = SHELL[name]
    data, reward = _recovered(tmp_path / "task", instruction, dedent(script), sandbox)
    assert reward == 1.0
    assert {line for line in data.decode().splitlines() if line} == due


def test_examples_are_fenced_indented_tables_or_words() -> None:
    said = "As `a = 1`.\n\n```\nb: 2\n```\n\n    c,3\n\n| d | e |\n|---|---|\n| x | 4 |\n"
    assert blocks_shown(said) == ["b: 2", "c,3", "| d | e |\n|---|---|\n| x | 4 |\n", "a = 1"]


def test_a_layout_is_what_stands_around_names_and_values() -> None:
    [layout] = layouts("```\n| rank | tree |\n|---|---|\n| 1 | x |\n```\n")
    assert (layout.lead, layout.mark, layout.tail, layout.columns) == ("| ", " | ", " |", ("rank", "tree"))
    assert layout.counted
    assert layout.row([2, "elm"]) == "| 2 | elm |"
    assert layouts("Nothing is shown here.") == []


def test_numbers_have_the_decimals_that_are_asked_for() -> None:
    said = "With two decimals:\n\n```\nx = 1\n```\n"
    assert laid_out([("t.py", "DUE", {"ash": 1.5, "elm": 2 / 3})], said) == [
        ("DUE of tests/t.py", "ash = 1.50\nelm = 0.67")
    ]
    assert laid_out([("t.py", "DUE", {"ash": None, "elm": 1})], said) == []


def test_an_example_with_its_values_open() -> None:
    form = as_shown('[a]\nname = "x"\nsize = 2  # metres\n')
    assert form is not None
    assert form.shape == {"name": None, "size": None}
    assert form.write({"name": "elm", "size": 2.5}) == '[a]\nname = "elm"\nsize = 2.5  # metres\n'
    assert as_shown("one: 1") is None  # a line of which there are many
