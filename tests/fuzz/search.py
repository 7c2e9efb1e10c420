"""`make fuzz`: search for counterexamples that no test knows yet, until the time is up.

    PYTHONPATH=tests python -m fuzz.search SECONDS

Half of the time every property test of the suite draws new examples, round after round; Hypothesis keeps a
counterexample in `.hypothesis` and tries it first the next time. The other half goes to the parsers of
`fuzz.parsers`, guided by what code an input reaches. What breaks a promise is written to the corpus as
`found-…`: `make test` fails until it is mended, and shows from then on that it stays so. Inputs that reach
new code are added too, the smallest first. Commit what is new.

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
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(TESTS), "ADJUDGE_EXAMPLES": "new"}


def main(seconds: float) -> int:
    found = property_tests(seconds / 2)
    if find_spec("atheris") is None:
        print("skipped: the guided search of the parsers (needs atheris: pip install -e '.[fuzz]')")
    else:
        found += [name for name in sorted(PARSERS) if guided(name, seconds / 2 / len(PARSERS))]
    print(f"found something in: {', '.join(found)}" if found else "nothing found")
    return 1 if found else 0


def property_tests(seconds: float) -> list[str]:
    """Rounds of all property tests until the time is up, one at least."""
    end = time.monotonic() + seconds
    rounds = 0
    while not rounds or time.monotonic() < end:
        rounds += 1
        print(f"== property tests, round {rounds}", flush=True)
        command = ["-m", "pytest", "-q", "-n", "2", "-m", "hypothesis", "-p", "no:cacheprovider", "tests"]
        done = subprocess.run([sys.executable, *command], cwd=TESTS.parent, env=ENVIRONMENT, check=False)
        if done.returncode:
            return ["the property tests"]
    return []


def guided(name: str, seconds: float) -> bool:
    """Search one parser; True if an input broke its promise."""
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{name}-") as scratch:
        grown, bad = Path(scratch, "grown"), Path(scratch, "bad")
        grown.mkdir()
        bad.mkdir()
        limits = [f"-max_total_time={max(2, round(seconds))}", f"-artifact_prefix={bad}/"]
        done = _run(name, *limits, str(grown), str(CORPUS / name))
        for input_ in bad.iterdir():
            keep(name, "found", input_.read_bytes())
        if not done.returncode:
            extend(name, grown)
        print(f"== {name}: {len(list(grown.iterdir()))} inputs reached new code", flush=True)
        if done.returncode:
            print(done.stdout[-3000:], flush=True)
        return bool(done.returncode)


def extend(name: str, grown: Path) -> None:
    """Add what reached new code, the smallest first, as far as there is room."""
    room = MOST_INPUTS - len(list((CORPUS / name).iterdir()))
    for path in sorted(grown.iterdir(), key=lambda path: path.stat().st_size)[: max(0, room)]:
        keep(name, "reaches", path.read_bytes())


def keep(name: str, why: str, data: bytes) -> None:
    (CORPUS / name / f"{why}-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fuzz.guided", name, *arguments],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
