"""What a verifier in shell or awk knows, seen while it works: its variables, its comparisons, its arrays.

A script computes what it looks for (`want=$(...)`), hands it to a function of its own (`expect total 260`),
or keeps it in an array of awk or bash. None of that can be imported. So the verifier is run once, in the
sandbox, on an answer in the layout of the instruction with nothing right in it; bash tells what it does
(`-x`) and what its arrays hold at the end, and an awk that stands before the real one tells the arrays that
it holds before its last rules. What comes of it is tried like any other reference, so a wrong guess costs one
run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from adjudge.audit.answers.written import Reference, placeholder
from adjudge.audit.probes import Bench
from adjudge.gates import OutputFile, workspace_of
from adjudge.sandbox import SandboxJob, frozen_tests
from adjudge.scoring import files_of_image

_TRACE, _ARRAYS, _VARIABLES = "adjudge-trace", "adjudge-arrays", "adjudge-variables"
_AWK = r"""#!/usr/bin/python3
import os, re, sys
args, at = sys.argv[1:], 0
real = next(p for p in ("/usr/bin/awk", "/bin/awk", "/usr/local/bin/awk") if os.path.exists(p))
while at < len(args) and args[at].startswith("-") and args[at] not in ("-", "--"):
    if args[at] in ("-f", "--file"):
        at = len(args)
        break
    at += 2 if args[at] in ("-F", "-v", "-W") else 1
at += at < len(args) and args[at] == "--"
if at < len(args):
    names = dict.fromkeys(re.findall(r"(?<![\w$])([A-Za-z_]\w*)\[", args[at]))
    say = 'for (k_ in %s) printf "%s\\t%%s\\t%%s\\n", k_, %s[k_] >> "/logs/verifier/adjudge-arrays"; '
    if names and re.search(r"\bEND\b", args[at]):
        told = "".join(say % (n, n, n) for n in names)
        args[at] = 'END { CONVFMT = OFMT = "%.12g"; ' + told + "}\n" + args[at]
os.execv(real, ["awk", *args])
"""
_RUN = """
mkdir -p /tmp/adjudge-bin
printf '%s' "$ADJUDGE_AWK" > /tmp/adjudge-bin/awk
chmod +x /tmp/adjudge-bin/awk
printf '%s\n' 'trap "declare -p >> /logs/verifier/adjudge-variables" EXIT' > /tmp/adjudge-bin/start
exec 9> /logs/verifier/adjudge-trace
export BASH_XTRACEFD=9 BASH_ENV=/tmp/adjudge-bin/start PATH=/tmp/adjudge-bin:$PATH
unset ADJUDGE_AWK
timeout 10 bash -x /tests/test.sh > /dev/null 2>&1
rm -f /logs/verifier/reward.* /logs/verifier/details.json
exit 0
"""
_SPEAKS = re.compile(r"\bawk\b|\[\[? |\btest \S")
_DECLARED = re.compile(r"^declare -\w*[aA]\w* (?P<name>\w+)=\((?P<cells>.*)\)$", re.M)
_FILLED = re.compile(r"^\++ (?P<name>\w+)=\((?P<cells>\[.*)\)$", re.M)
_QUOTED = r"'[^']*'|\"(?:[^\"\\]|\\.)*\""
_CELL = re.compile(rf"\[({_QUOTED}|[^\]\"']*)\]=({_QUOTED}|[^ )]*)")
_STEP = re.compile(r"^\++ (.*)$", re.M)
_ASSIGNED = re.compile(r"(?:local |declare |readonly )?([A-Za-z_]\w*)=(.*)")
_COMPARES = {"=", "==", "!=", "-eq", "-ne"}
_EVERYDAY = frozenset(
    {*("echo", "printf", "mkdir", "cd", "grep", "sed", "cut", "tr", "cat", "rm", "export", "read", "set")}
    | {*("local", "awk", "test", "[", "[[", "exit", "python3", "jq", "diff", "sort", "head", "tail")}
)
_OWN = frozenset({"reward", "score", "fails", "total", "passed", "good", "bad", "n", "i", "R", "PATH"})
_MOST_STEPS = 4_000
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?")


def traced(bench: Bench) -> list[Reference]:
    """(file, name, value) of what the verifier's shell and awk hold; nothing if it has none of them."""
    task = bench.task
    script = task.folder / "tests" / "test.sh"
    if not script.is_file() or not _SPEAKS.search(script.read_bytes().decode("utf-8", "replace")):
        return []
    answer = OutputFile(f"{placeholder(task.instruction)}\n".encode())
    with frozen_tests(task) as tests:
        outcome = bench.sandbox.run(
            SandboxJob(
                command=("bash", "-c", _RUN),
                tests=tests,
                files={**files_of_image(task), task.verifier.expected_output_path: answer},
                workdir=workspace_of(task),
                limits=bench.limits_in_time(),
                env={**task.env, "ADJUDGE_AWK": _AWK},
            )
        )
    texts = {
        name: (file.data or b"").decode("utf-8", "replace")
        for name in (_TRACE, _ARRAYS, _VARIABLES)
        if (file := outcome.artifacts.get(name)) is not None
    }
    trace = texts.get(_TRACE, "")
    return [*_arrays(texts.get(_ARRAYS, "")), *bash_arrays(texts.get(_VARIABLES, ""), trace), *steps(trace)]


def bash_arrays(variables: str, trace: str = "") -> Iterator[Reference]:
    """The arrays that a script held at its end (`declare -p`), and those of its functions (the trace)."""
    found: dict[str, Any] = {}
    for text, pattern in ((variables, _DECLARED), (trace, _FILLED)):
        for match in pattern.finditer(text):
            cells = {
                _unquoted(cell[1]): _value(_unquoted(cell[2])) for cell in _CELL.finditer(match["cells"])
            }
            if len(cells) > 1 and not match["name"].startswith("BASH_"):
                counted = list(cells) == [str(number) for number in range(len(cells))]
                found.setdefault(match["name"], list(cells.values()) if counted else cells)
    yield from (("test.sh", name, cells) for name, cells in found.items())


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text


def _arrays(text: str) -> Iterator[Reference]:
    """The arrays of awk that hold more than one value, or none but the number 1: those are sets of names."""
    arrays: dict[str, dict[str, Any]] = {}
    for line in text.splitlines():
        name, _, rest = line.partition("\t")
        key, _, value = rest.partition("\t")
        if key:
            arrays.setdefault(name, {})[key] = _value(value)
    for name, unordered in arrays.items():
        cells = dict(sorted(unordered.items(), key=_in_order))  # awk has an order of its own
        if len(cells) > 1:
            yield "test.sh", name, list(cells) if len(set(map(str, cells.values()))) == 1 else cells


def _in_order(cell: tuple[str, Any]) -> tuple[bool, int, str]:
    key = cell[0]
    return not key.isdigit(), len(key) if key.isdigit() else 0, key


def steps(trace: str) -> Iterator[Reference]:
    """What bash said that it does: calls of a function with a name and a value, assignments, comparisons."""
    calls: dict[str, dict[str, Any]] = {}
    singles: dict[str, Any] = {}
    for line in _STEP.findall(trace)[:_MOST_STEPS]:
        if (match := _ASSIGNED.fullmatch(line)) and match[1] not in _OWN:
            words = _words(match[2])
            if len(words) == 1 and words[0]:
                singles.setdefault(match[1], _value(words[0]))
            continue
        words = _words(line)
        if len(words) in (4, 5) and words[0] in ("[", "[[", "test") and words[2] in _COMPARES:
            singles.setdefault(f"comparison {len(singles) + 1}", _value(words[3].replace("\\", "")))
        elif len(words) >= 3 and words[0] not in _EVERYDAY and "/" not in words[0]:
            calls.setdefault(words[0], {})[words[1]] = _value(words[2])
    yield from (("test.sh", f"{name} in calls", cells) for name, cells in calls.items() if len(cells) > 1)
    yield from (("test.sh", name, value) for name, value in singles.items())


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quote of bash's own kind
        return []


def _value(text: str) -> Any:
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)
