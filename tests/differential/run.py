"""Random designs through every format, against numbers worked out without adjudge: `make numbers`.

    python -m differential.run [designs] [first seed]

Each design that disagrees is named with its seed, which gives it again. Ends with 1 if there is one.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from pathlib import Path

from differential.check import check
from differential.designs import draw


def main() -> int:
    """Try so many designs from this seed on."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    start, wrong = time.perf_counter(), 0
    for seed in range(first, first + count):
        design = draw(seed)
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(design, Path(folder))
            except AssertionError:
                wrong += 1
                print(f"design {design.name}\n{traceback.format_exc()}", flush=True)
        if (seed - first + 1) % 100 == 0:
            print(f"{seed - first + 1:,} designs, {wrong} wrong", flush=True)
    print(f"{count:,} designs, {wrong} wrong, {time.perf_counter() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
