"""Random designs against numbers worked out without adjudge, and against each other: `make numbers`.

    python -m differential.run [designs] [first seed] [one in so many also through every command]

Every design goes through the statistics (`claims.py`); some go through every command and format as well
(`check.py`), which takes a second each. A design that disagrees is named with its seed, which gives it again.
Ends with 1 if there is one.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

from differential.check import check
from differential.claims import claims
from differential.designs import draw

PLANS = 25
"""One design in so many has a plan simulated."""


def main() -> int:
    """Try so many designs from this seed on."""
    given = [int(word) for word in sys.argv[1:]]
    count, first, whole = *given, *(3000, 1, 10)[len(given) :]
    start, wrong, commands = time.perf_counter(), 0, 0
    for seed in range(first, first + count):
        design = draw(seed)
        with tempfile.TemporaryDirectory() as folder:
            try:
                claims(design, np.random.default_rng(seed), plans=seed % PLANS == 0)
                if whole and seed % whole == 0:
                    commands += 1
                    check(design, Path(folder))
            except AssertionError:
                wrong += 1
                print(f"design {design.name}\n{traceback.format_exc()}", flush=True)
        done = seed - first + 1
        if done % 100 == 0 or done == count:
            print(
                f"{done:,} designs, {commands:,} of them through every command, {wrong} wrong, "
                f"{time.perf_counter() - start:.0f} s",
                flush=True,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
