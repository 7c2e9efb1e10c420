"""`make faults`: break things while adjudge works, again and again, and see that nothing is lost.

    PYTHONPATH=tests python -m faults.run COUNT [SEED [NAME...]]

A `COUNT` such as `40-1000` goes on where a search was left.

Faults take turns, in moments and sizes drawn from the seed; `COUNT` is that of the turns, and one of them
brings several faults. What breaks the invariant is printed with the seed and number that make it again, and
the exit code is 1. What this machine cannot do is skipped by name.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError
from faults.harness import Broken, Home, remove
from faults.on_a_server import ON_POSTGRES
from faults.scenarios import SCENARIOS, Scenario, needs
from support.postgres import running_server


def main(first: int, count: int, seed: int, names: list[str]) -> int:
    injected: Counter[str] = Counter()
    in_time: Counter[str] = Counter()
    broken: list[str] = []
    with tempfile.TemporaryDirectory(prefix="adjudge-faults-") as scratch, ExitStack() as stack:
        Path(scratch).chmod(0o755)
        scenarios = _scenarios(stack, names or [*SCENARIOS, *ON_POSTGRES])
        for number in range(first, count):
            name, scenario = scenarios[number % len(scenarios)]
            drawn = random.Random(f"{seed} {number} {name}")  # noqa: S311 - moments and sizes, not secrets
            home = Home.make(Path(scratch) / str(number), drawn)
            try:
                in_time[name] += scenario(home)
            except (Broken, AdjudgeError) as error:
                broken.append(f"{name}, seed {seed}, number {number}: {error}")
                print(f"BROKEN {broken[-1]}", flush=True)
            injected[name] += home.faults
            remove(home)
            print(f"\r{number + 1}/{count} {name:30}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for name in sorted(injected):
        print(f"{injected[name]:5} {name} ({in_time[name]} in time)")
    print(f"{sum(injected.values())} faults, {len(broken)} broke the invariant")
    return 1 if broken else 0


def _scenarios(stack: ExitStack, names: list[str]) -> list[tuple[str, Scenario]]:
    found: list[tuple[str, Scenario]] = []
    for name, scenario in SCENARIOS.items():
        if lacking := needs(name):
            print(f"skipped: {name} (needs {lacking})")
        elif name in names:
            found.append((name, scenario))
    if not set(names) & ON_POSTGRES.keys():
        return found
    try:
        server = stack.enter_context(running_server())
    except pytest.skip.Exception as reason:
        print(f"skipped: {', '.join(ON_POSTGRES)} ({reason})")
    else:
        found += [(name, partial(_with, ON_POSTGRES[name], server)) for name in ON_POSTGRES if name in names]
    return found


def _with(scenario: object, server: object, home: Home) -> bool:
    return bool(scenario(home, server))  # type: ignore[operator]


if __name__ == "__main__":
    begin, _, end = sys.argv[1].rpartition("-")
    sys.exit(main(int(begin or 0), int(end), int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3:]))
