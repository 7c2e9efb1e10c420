"""`make fuzz`: search for counterexamples that no test knows yet, until the time is up.

    python -m tests.fuzz.search SECONDS

Every property test of the suite draws new examples, round after round. A counterexample ends the search with
its test's own report; Hypothesis keeps it in `.hypothesis` and tries it first the next time. Mend the fault
and keep the example at the test as an `@example`: `make test` draws the same examples in every run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-m", "hypothesis", "-p", "no:cacheprovider")


def search(seconds: float) -> int:
    """The exit code of the first round that failed; 0 if none did. There is at least one round."""
    end = time.monotonic() + seconds
    rounds = 0
    while True:
        rounds += 1
        print(f"== property tests, round {rounds}", flush=True)
        done = subprocess.run([*PYTEST, "tests"], env={**os.environ, "ADJUDGE_EXAMPLES": "new"}, check=False)
        if done.returncode or time.monotonic() > end:
            return done.returncode


if __name__ == "__main__":
    sys.exit(search(float(sys.argv[1])))
