"""What a shell script looks for in an answer, seen in a trace of its run: the patterns that it hands to grep.

A pattern may be put together as the script runs (`grep -Fx "$period,$t,$i"`); a trace shows what became of
it. A script that stops at the first one that is missing shows one per run, so those that are known are put
in and the next run follows. Patterns are taken for lines; one that is no plain text is passed over.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from adjudge.audit.probes import Bench, Conditions, Probe, only_answer

_FILE = "adjudge-trace.txt"
_MOST_RUNS = 4
_MOST_LINES = 60
_GREP = re.compile(r"^\++ (?:[\w./]*/)?[ef]?grep ", re.MULTILINE)
_WITH_VALUE = ("-m", "-A", "-B", "-C", "-f")


def lines_looked_for(bench: Bench) -> list[str]:
    """The lines that a script greps for, in order; [] if it greps for nothing."""
    tests = bench.task.folder / "tests"
    scripts = [path for path in tests.rglob("*.sh") if path.is_file() and not path.is_symlink()]
    if not any(b"grep" in path.read_bytes() for path in scripts):
        return []
    known: list[str] = []
    logs = bench.task.verifier.reward_path.rpartition("/")[0]
    start = f"exec bash -x /{bench.task.verifier.script} 2>{logs}/{_FILE}"
    for number in range(_MOST_RUNS):
        data = "".join(f"{line}\n" for line in known or ["nothing yet"]).encode()
        probe = Probe(
            f"answer/traced-{number}",
            "the lines that a script was seen to look for",
            only_answer(bench.task, data),
            Conditions(start=start),
        )
        [seen] = bench.run([probe])
        trace = seen.artifacts.get(_FILE, b"").decode("utf-8", "replace")
        new = [line for line in dict.fromkeys(_patterns(trace)) if line not in known]
        if not new:
            break
        known = [*known, *new][:_MOST_LINES]
    return known


def _patterns(trace: str) -> Iterator[str]:
    for match in _GREP.finditer(trace):
        line = trace[match.start() : trace.find("\n", match.start())].lstrip("+ ")
        try:
            words = shlex.split(line)[1:]
        except ValueError:
            continue
        fixed = False
        while words and words[0].startswith("-") and words[0] != "--":
            option = words.pop(0)
            fixed = fixed or ("F" in option and not option.startswith("--")) or option == "--fixed-strings"
            if option in _WITH_VALUE and words:
                words.pop(0)
            if option == "-e":
                break
        if words and words[0] == "--":
            words.pop(0)
        pattern = words[0] if words else ""
        if not fixed:
            pattern = re.sub(r"\\([.\-/+*$^])", r"\1", pattern.removeprefix("^").removesuffix("$"))
            pattern = "" if re.search(r"[\[\]\\^$*?|(){}]", pattern) else pattern
        if 1 < len(pattern) <= 200:
            yield pattern
