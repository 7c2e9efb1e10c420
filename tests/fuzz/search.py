"""`make fuzz`: search for counterexamples that no test knows yet, until the time is up.

    PYTHONPATH=tests python -m fuzz.search SECONDS [PROCESSES]

Half of the time every property test of the suite draws new examples, round after round, in two processes or
as many as are given; Hypothesis keeps a counterexample in `.hypothesis` and tries it first the next time. The
other half goes to the parsers of `fuzz.parsers`, guided by what code an input reaches. What breaks a promise
is written to the corpus as `found-…`: `make test` fails until it is mended, and shows from then on that it
stays so. Inputs that reach new code are added too, the smallest first. Commit what is new.

The exit code is 1 if anything was found. Without atheris, which has no wheel for every Python, the second
half is skipped by name.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from fuzz.parsers import PARSERS

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS / "fuzz" / "corpus"
MOST_INPUTS = 40
"""Of one parser: enough to begin a search from, few enough to try in every test run."""
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(TESTS), "ADJUDGE_EXAMPLES": "new"}


def main(seconds: float, processes: int) -> int:
    found = property_tests(seconds / 2, processes)
    if find_spec("atheris") is None:
        print("skipped: the guided search of the parsers (needs atheris: pip install -e '.[fuzz]')")
    else:
        found += guided(sorted(PARSERS), seconds / 2 / len(PARSERS))
    print(f"found something in: {', '.join(found)}" if found else "nothing found")
    return 1 if found else 0


def property_tests(seconds: float, processes: int) -> list[str]:
    """Rounds of all property tests until the time is up, one at least."""
    end = time.monotonic() + seconds
    rounds = 0
    while not rounds or time.monotonic() < end:
        rounds += 1
        print(f"== property tests, round {rounds}", flush=True)
        command = [*PYTEST, "-n", str(processes if processes > 1 else 0), "-m", "hypothesis", "tests"]
        done = subprocess.run(command, cwd=TESTS.parent, env=ENVIRONMENT, check=False)
        if done.returncode:
            return ["the property tests"]
    return []


def guided(names: list[str], seconds: float) -> list[str]:
    """Search each parser for so long; those of which an input broke the promise."""
    found = []
    with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
        command = [sys.executable, "-m", "fuzz.guided", str(max(2, round(seconds))), scratch, *names]
        left = list(names)
        with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                name, code = line.split()
                left.remove(name)
                if _taken_in(name, Path(scratch, name), held=code == "0"):
                    found.append(name)
    return found + left


def _taken_in(name: str, folder: Path, *, held: bool) -> bool:
    """Keep what a search brought; True if an input broke the parser's promise."""
    bad, grown = list((folder / "bad").iterdir()), folder / "grown"
    for input_ in bad:
        keep(name, "found", input_.read_bytes())
    if held:
        extend(name, grown)
    print(f"== {name}: {len(list(grown.iterdir()))} inputs reached new code", flush=True)
    if bad or not held:
        print((folder / "log").read_text(errors="replace")[-3000:], flush=True)
    return bool(bad) or not held


def extend(name: str, grown: Path) -> None:
    """Add what reached new code, the smallest first, as far as there is room."""
    room = MOST_INPUTS - len(list((CORPUS / name).iterdir()))
    for path in sorted(grown.iterdir(), key=lambda path: path.stat().st_size)[: max(0, room)]:
        keep(name, "reaches", path.read_bytes())


def keep(name: str, why: str, data: bytes) -> None:
    (CORPUS / name / f"{why}-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2))
