"""Failure honesty: a verifier that could not do its work must neither say 0.0 nor pass anything.

The machinery is broken in known ways, around a right answer and around a wrong one. For the right one, no
reward is honest. A 0.0 is medium: it mars a measurement, and no agent gains by it. For the wrong one, any
rise is a door: whoever breaks the machine passes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Finding, Section
from adjudge.audit.probes import Bench, BudgetSpent, Conditions, Files, Probe, Seen
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity
from adjudge.tasks import own_sources, read_source

_HERE = Section.HONESTY
_PYTHONS = ("/usr/local/bin/python3", "/usr/bin/python3", "/usr/local/bin/python", "/usr/bin/python")
_SLOW = "/tmp/adjudge-slow"  # noqa: S108 - inside the sandbox
_GONE = "/tmp/adjudge-gone"  # noqa: S108
_LARGEST_COPY = 64 << 20
_PROGRAMS = ("python3", "python", "node", "Rscript", "perl", "ruby", "julia")
_SCRIPTS = frozenset({".py", ".js", ".R", ".pl", ".rb", ".jl", ".sh"})
_MAX_DATA = 3
_WAIT_SEC = 0.7
_LINES = re.compile(r"\.(?:csv|tsv|txt|tab|lst|list|psv|dat) is corrupt$")
"""Of such a file any bytes are rows."""
_PYTHON = re.compile(r"\bpython|\bpytest\b|\buvx?\b|\.py\b")
_FIX = (
    "Write no reward if the verifier itself failed: no `|| echo 0`, no trap that fills in a 0.0. "
    "Let test.sh end in `exec python3 /tests/verify.py`, and catch in verify.py only what the "
    "agent's answer can cause."
)
_NO_REFERENCE = (
    "Fail, and write no reward, where a reference cannot be read: without it nothing can be compared."
)


class Failure(Struct, frozen=True):
    """One way in which the machinery fails."""

    name: str
    what: str
    conditions: Conditions


def audit_honesty(
    bench: Bench, files: Files, plain: Seen, wrong: Files | None, result: SectionResult
) -> None:
    """Break the machinery around an output whose ordinary result is `plain`, and around a wrong one."""
    around_right, around_wrong = honesty_probes(bench, files, wrong)
    # One failure at a time: of a slow verifier as many are tried as the time suffices for.
    tried: dict[str, Seen] = {}
    spent: BudgetSpent | None = None
    ways = [[probe] for probe in (*around_right, *around_wrong)]
    try:
        for [probe], [seen] in zip(ways, bench.run_groups(ways), strict=True):
            tried[probe.name] = seen
    except BudgetSpent as event:
        spent = event
    around_right, around_wrong = (
        [probe for probe in probes if probe.name in tried] for probes in (around_right, around_wrong)
    )
    _look_at_right(bench, around_right, [tried[p.name] for p in around_right], plain, result)
    if around_wrong:
        _look_at_wrong(bench, around_wrong, [tried[p.name] for p in around_wrong], result)
    if spent is not None:
        raise spent


def honesty_probes(bench: Bench, files: Files, wrong: Files | None) -> tuple[list[Probe], list[Probe]]:
    """Those around an output, and those around a wrong one, the first of which is an ordinary run."""
    failures = [*_failures(bench), *_data_failures(bench)]
    around_right = [Probe(f"honesty/{f.name}", f.what, files, f.conditions) for f in failures]
    return around_right, [] if wrong is None else _around_wrong(failures, wrong)


def _look_at_right(
    bench: Bench, probes: Sequence[Probe], seen: Sequence[Seen], plain: Seen, result: SectionResult
) -> None:
    tried = list(zip(probes, seen, strict=True))
    result.probes += probes
    honest = {probe.name for probe, after in tried if after.claimed is None}
    silent = [
        (probe, after)
        for probe, after in tried
        if _dishonest(after, plain) and not _is_other_rows(bench, probe, after, honest)
    ]
    if silent:
        result.findings.append(_hidden(bench, silent, plain))
    raised = [(p, s, plain) for p, s in tried if (s.claimed or 0) > plain.reward + 0.005]
    if raised:
        result.findings.append(_raised(bench, raised))


def _around_wrong(failures: Sequence[Failure], wrong: Files) -> list[Probe]:
    """An ordinary run of a wrong answer, then each failure."""
    return [
        Probe("honesty/wrong/ordinary", "a wrong answer, an ordinary run", wrong),
        *(
            Probe(f"honesty/wrong/{f.name}", f"a wrong answer, and {f.what}", wrong, f.conditions)
            for f in failures
        ),
    ]


def _look_at_wrong(
    bench: Bench, probes: Sequence[Probe], seen: Sequence[Seen], result: SectionResult
) -> None:
    result.probes += probes[1:]
    raised = [
        (p, s, seen[0]) for p, s in zip(probes[1:], seen[1:], strict=True) if s.reward > seen[0].reward + 0.2
    ]
    if raised:
        result.findings.append(_raised(bench, raised))


def _raised(bench: Bench, raised: Sequence[tuple[Probe, Seen, Seen]]) -> Finding:
    probe, after, usual = max(raised, key=lambda case: case[1].reward - case[2].reward)
    rise = after.reward - usual.reward
    return bench.finding(
        Severity.HIGH if rise >= 0.5 else Severity.MEDIUM,
        _HERE,
        f"a broken machine raises the reward: {probe.what}",
        cause=Cause.PASSES_BROKEN,
        seen=f"{usual.reward:g} became {after.reward:g}.",
        advice=_NO_REFERENCE,
        probe=probe,
        before=usual.claimed,
        also=[other for other, _, _ in raised if other is not probe],
    )


def _hidden(bench: Bench, cases: list[tuple[Probe, Seen]], plain: Seen) -> Finding:
    """One finding for all the ways of failing; those that nothing gives away come first."""
    clean = [(probe, after) for probe, after in cases if not after.suspected]
    told = [(probe, after) for probe, after in cases if after.suspected]
    codes = ", ".join(dict.fromkeys(str(after.exit_code) for _, after in told if after.exit_code))
    sign = f"the exit code ({codes}) gives" if codes else "what it prints gives"
    which = f": {_ways(clean)}" if told else ""
    known = [f"Nothing tells this from a wrong answer{which}."] if clean else []
    if told:
        known.append(f"Of the others {sign}" if clean else f"{sign[0].upper()}{sign[1:]}")
        known[-1] += " it away to adjudge; other runners count a wrong answer."
    ordered, zero = [*clean, *told], "a clean 0.0" if clean else "0.0"
    return bench.finding(
        Severity.MEDIUM,
        _HERE,
        f"the verifier writes {zero} although it could not run: {_ways(ordered)}",
        cause=Cause.HIDES_FAILURE,
        seen=f"An ordinary run gives {plain.reward:g}. {' '.join(known)}",
        advice=_FIX,
        probe=ordered[0][0],
        before=plain.claimed,
        also=[probe for probe, _ in ordered[1:]],
    )


def _ways(cases: Sequence[tuple[Probe, Seen]]) -> str:
    return "; ".join(probe.what for probe, _ in cases)


def _dishonest(after: Seen, plain: Seen) -> bool:
    """A 0.0 if an ordinary run gave more; or, if it gave 0.0 too, one without the details it had, or beside
    words that something could not be started: whoever looked at nothing cannot know.
    """
    if after.claimed is None or after.claimed > 0:
        return False
    if plain.reward > 0:
        return True
    blind = (after.unstarted and not plain.unstarted) or (after.needs is not None and plain.needs is None)
    return blind or after.suspected or (bool(plain.breakdown) and after.breakdown != plain.breakdown)


def _is_other_rows(bench: Bench, probe: Probe, after: Seen, honest: Collection[str]) -> bool:
    """Is a corrupt file of lines one of other rows, to a verifier that breaks where the file is missing?

    grep and awk take any bytes for rows, and nothing tells a key with other rows from the right one. Python
    breaks on bytes that are no text, so that a 0.0 hides it.
    """
    if after.suspected or not _LINES.search(probe.what):
        return False
    if probe.name.replace("/bad-data-", "/no-data-") not in honest:
        return False
    scripts = [path for path in own_sources(bench.task.folder / "tests") if not path.endswith(".py")]
    return not any(_PYTHON.search((read_source(path) or b"").decode("utf-8", "replace")) for path in scripts)


def _failures(bench: Bench) -> list[Failure]:
    found = [Failure("no-python", "Python is missing", _without_python(bench))]
    broken = _without_scripts(bench)
    if broken is not None:
        found.append(
            Failure("no-script", "the verifier's own scripts cannot be read", Conditions(tests=broken))
        )
    fill = "cat /dev/zero > /tmp/fill 2>/dev/null; cat /dev/zero > /var/tmp/fill 2>/dev/null; true"
    found.append(Failure("disk-full", "the disk is full", Conditions(before=fill, disk_mb=1)))
    found.append(Failure("no-memory", "memory runs out", Conditions(before="ulimit -v 12000")))
    slow = "\n".join(
        [
            f"mkdir -p {_SLOW}",
            f"printf '#!/bin/sh\\nexec sleep 60\\n' > {_SLOW}/slow; chmod +x {_SLOW}/slow",
            *(f"ln -s slow {_SLOW}/{name}" for name in _PROGRAMS),
            f"export PATH={_SLOW}:$PATH",
        ]
    )
    start = f"exec timeout {_WAIT_SEC} bash /{bench.task.verifier.script}"
    found.append(Failure("time-runs-out", "time runs out", Conditions(before=slow, start=start)))
    return found


def _data_failures(bench: Bench) -> list[Failure]:
    """Each data file of tests/ missing and corrupt, as far as they are few."""
    tests = bench.task.folder / "tests"
    data = [
        path
        for path in sorted(tests.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and path.suffix
        and path.suffix not in _SCRIPTS
        and "__pycache__" not in path.parts
    ]
    if len(data) > 40 or _too_large(tests):
        return []
    found = []
    for number, path in enumerate(data[:_MAX_DATA]):
        name = path.relative_to(tests)
        gone = _copy(bench, f"tests-data-{number}-gone", partial(_remove, name))
        bad = _copy(bench, f"tests-data-{number}-bad", partial(_corrupt, name))
        found.append(Failure(f"no-data-{number + 1}", f"{name} is missing", Conditions(tests=gone)))
        found.append(Failure(f"bad-data-{number + 1}", f"{name} is corrupt", Conditions(tests=bad)))
    return found


def _copy(bench: Bench, name: str, change: Callable[[Path], object]) -> Path:
    """A changed copy of the tests, made once: a section that is taken up again finds it, changed already."""
    copy = bench.scratch / name
    if not copy.exists():
        fresh = bench.scratch / f"{name}.fresh"
        shutil.copytree(bench.task.folder / "tests", fresh, symlinks=True)
        change(fresh)
        fresh.rename(copy)
    return copy


def _remove(name: Path, copy: Path) -> None:
    (copy / name).unlink()


def _corrupt(name: Path, copy: Path) -> None:
    (copy / name).write_bytes(b"\x00\xff{corrupt")


def _too_large(tests: Path) -> bool:
    return sum(path.lstat().st_size for path in tests.rglob("*")) > _LARGEST_COPY


def _without_python(bench: Bench) -> Conditions:
    """Python covered up if the sandbox can do that; elsewhere a name on the PATH that says so."""
    if bench.sandbox.name == "bubblewrap":
        return Conditions(hide=_PYTHONS)
    lines = [
        f"mkdir -p {_GONE}",
        f"printf '#!/bin/sh\\necho python3: command not found >&2; exit 127\\n' > {_GONE}/python3",
        f"chmod +x {_GONE}/python3; ln -s python3 {_GONE}/python; export PATH={_GONE}:$PATH",
    ]
    return Conditions(before="\n".join(lines))


def _without_scripts(bench: Bench) -> Path | None:
    """A copy of tests/ in which every script but test.sh leads nowhere; None if there is no other,
    or if tests/ is too large to copy."""
    tests = bench.task.folder / "tests"
    entry = Path(bench.task.verifier.script).name
    if _too_large(tests):
        return None  # gigabytes of reference data are not copied for this
    scripts = [
        name
        for path in sorted(tests.rglob("*"))
        if path.suffix in _SCRIPTS and (name := path.relative_to(tests).as_posix()) != entry
    ]

    def lead_nowhere(copy: Path) -> None:
        for name in scripts:
            (copy / name).unlink()
            (copy / name).symlink_to("/nowhere/adjudge")

    return _copy(bench, "tests-without-scripts", lead_nowhere) if scripts else None
