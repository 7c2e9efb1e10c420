"""What does a trial cost that has an output, a reward and two blobs of its own, as its ledger grows?

    python -m benchmarks.recording [--trials 1000000] [--at-once 8000] [--every 100000]

All trials are of one experiment and recorded into one SQLite ledger, by default in transactions as large as
those of `adjudge ingest`. They come prepared: what counts is the processor time of recording alone, its
commits and writing the log back included. Ids, digests and rewards are random, so each row changes another
page of every index whose keys fall anywhere.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from adjudge.ledger import PreparedEntry, open_ledger, prepare
from support.trial_samples import trial

_BREAKDOWN = {f"field {n}": {"score": 0.5, "max_score": 1.0, "evidence": "seen " * 8} for n in range(4)}
_PATTERN = prepare(trial(0, breakdown=_BREAKDOWN))


def random_entry(numbers: random.Random) -> PreparedEntry:
    """A trial like the pattern that shares neither id, output, artifact nor reward with another."""
    output, artifact = numbers.randbytes(32), numbers.randbytes(32)
    trial_id = f"t{numbers.randbytes(12).hex()}"
    return _PATTERN._replace(
        trial_id=trial_id,
        trial=_PATTERN.trial.replace(_PATTERN.trial_id, trial_id),
        columns={**_PATTERN.columns, "output_sha256": output, "reward": numbers.random()},
        packed={output.hex(): (200, numbers.randbytes(190)), artifact.hex(): (18, numbers.randbytes(27))},
        output_blob=output,
    )


def main() -> None:
    """Grow the ledger and print each stretch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--at-once", type=int, default=8000, help="trials in one transaction")
    parser.add_argument("--every", type=int, default=100_000, help="print after so many")
    chosen = parser.parse_args()
    numbers = random.Random(0)  # noqa: S311 - not a secret
    with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
        begun, spent = 0, 0.0
        for done in range(0, chosen.trials, chosen.at_once):
            stop = min(done + chosen.at_once, chosen.trials)
            batch = [random_entry(numbers) for _ in range(done, stop)]
            before = time.process_time()
            ledger.record_prepared(batch)
            spent += time.process_time() - before
            if stop - begun >= chosen.every or stop == chosen.trials:
                each = spent / (stop - begun) * 1e6
                load = os.getloadavg()[0]
                print(f"{begun:10,} to {stop:10,}{each:8.1f} µs each, load {load:.1f}", flush=True)
                begun, spent = stop, 0.0


if __name__ == "__main__":
    main()
