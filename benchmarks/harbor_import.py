"""How fast are Harbor jobs imported, beside merely reading and parsing the same files?

    python -m benchmarks.harbor_import [TRIALS]

A job of TRIALS trials is made by copying one that Harbor recorded, under new names and ids. Both sides read
the same warm files: the reader, one process, opens every file of every trial and parses what is JSON; the
import does that, judges, compresses, hashes and writes a SQLite ledger, in as many processes as there are
cores. Memory is the peak of the largest of them, for a quarter of the trials and for all. Other work on the
machine costs the import more than the reader, so the load is printed too, and the processor time of both.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[1] / "tests" / "integrations" / "fixtures" / "harbor" / "priced"


def make_job(folder: Path, trials: int) -> Path:
    """A job of many trials, each with its own ids, so that no two files of results are alike."""
    job = folder / "job"
    job.mkdir()
    for name in ("config.json", "lock.json", "result.json", "job.log"):
        shutil.copy(RECORDED / name, job / name)
    sources = sorted(path for path in RECORDED.iterdir() if path.is_dir())
    for number in range(trials):
        source = sources[number % len(sources)]
        name = f"{source.name.partition('__')[0]}__{number:07d}"
        target = job / name
        shutil.copytree(source, target, symlinks=True)
        for file in ("result.json", "config.json"):
            text = (source / file).read_text().replace(source.name, name)
            document = json.loads(text)
            if "id" in document:
                document["id"] = str(uuid.UUID(int=number))
            (target / file).write_text(json.dumps(document, indent=4))
        (target / "verifier" / "test-stdout.txt").write_text(f"checked {number}\n")
    return job


def read_and_parse(job: Path) -> int:
    """Open every file below every trial, and parse the JSON ones."""
    files = 0
    for base, _, names in os.walk(job):
        for name in names:
            with open(f"{base}/{name}", "rb") as file:  # noqa: PTH123 - the leanest way is the fair one
                data = file.read()
            files += 1
            if name.endswith(".json"):
                json.loads(data)
    return files


def import_into(job: Path, ledger_path: Path) -> int:
    from adjudge.integrations.harbor import import_jobs
    from adjudge.ledger import open_ledger

    with open_ledger(ledger_path) as ledger:
        return import_jobs(ledger, [job], experiment="benchmark").trials


def processor_sec() -> float:
    """Of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak_mb(job: Path, ledger: Path) -> float:
    """Peak memory of a process of its own that imports a job, or of the largest of its workers."""
    command = [sys.executable, __file__, "--import", str(job), str(ledger)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def report(job: str, ledger: str) -> None:
    import_into(Path(job), Path(ledger))
    own, workers = (
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(max(own, workers) / 1024)


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="adjudge-benchmark-") as scratch:
        folder = Path(scratch)
        job = make_job(folder, trials)
        read_and_parse(job)  # warms the disk's cache for both sides
        rounds, used = [], []
        for number in range(3):
            start, before = time.perf_counter(), processor_sec()
            files = read_and_parse(job)
            middle, between = time.perf_counter(), processor_sec()
            imported = import_into(job, folder / f"{number}.db")
            end, after = time.perf_counter(), processor_sec()
            assert imported == trials
            rounds.append((trials / (middle - start), trials / (end - middle)))
            used.append(((between - before) / trials, (after - between) / trials))
        reading, importing = max(r for r, _ in rounds), max(i for _, i in rounds)
        load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        print(f"{trials} trials, {files} files, best of {len(rounds)}; {load}")
        print(f"read and parse   {reading:8.0f} trials/s")
        print(f"import to SQLite {importing:8.0f} trials/s   {importing / reading:.2f} of the reader's speed")
        read_cpu, import_cpu = (1e6 * min(side) for side in zip(*used, strict=True))
        print(f"processor time   {read_cpu:.0f} µs a trial to read and parse, {import_cpu:.0f} to import")
        quarter = folder / "quarter"
        shutil.copytree(
            job,
            quarter,
            ignore=lambda _, names: [n for n in names if n[-7:].isdigit() and int(n[-7:]) >= trials // 4],
        )
        small, large = peak_mb(quarter, folder / "q.db"), peak_mb(job, folder / "a.db")
        print(f"peak memory      {small:.0f} MB for {trials // 4} trials, {large:.0f} MB for {trials}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--import"]:
        report(*sys.argv[2:])
    else:
        main()
