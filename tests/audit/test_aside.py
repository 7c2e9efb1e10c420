"""Probes that will be asked for later are run aside, once, and count when they are asked for."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudge.audit import Bench, Section, audit_task
from adjudge.audit.probes import Budget, Conditions, Probe, Seen
from adjudge.audit.probes import bench as bench_module
from adjudge.audit.probes.probe import run_probe
from adjudge.contracts import Limit, Limits, Task
from adjudge.errors import SandboxError
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from support.patience import wait_until


class Watched:
    """Stands before `run_probe`: notes what is begun, and does something else if it is told to."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.fails = 0
        self.hangs = False

    def run(self, task: Task, probe: Probe, sandbox: Sandbox, limits: Limits) -> Seen:
        self.begun.append(probe.name)
        if probe.name.startswith("later"):
            self.gate.wait(60)
            if self.fails:
                self.fails -= 1
                raise SandboxError("a busy machine")
        seen = run_probe(task, probe, sandbox, limits)
        return replace(seen, limits_hit=(Limit.WALL_TIME,)) if self.hangs else seen


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load_task(build(Exhibit("steady"), tmp_path))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    watched = Watched()
    monkeypatch.setattr(bench_module, "run_probe", watched.run)
    return watched


def probe(bench: Bench, name: str, number: int = 1) -> Probe:
    return replace(bench.answer(name, "an answer", b"{}"), conditions=Conditions(round=number))


def test_a_probe_is_run_aside_and_once(sandbox: Sandbox, task: Task, watched: Watched) -> None:
    counted: list[None] = []
    with Bench(task, sandbox, 2, lambda: counted.append(None)) as bench:
        bench.run([probe(bench, "first")])
        bench.expect(lambda: [probe(bench, "later", 2)])
        assert wait_until(lambda: "later" in watched.begun)
        assert (len(counted), list(bench.log)) == (1, ["first"])
        [seen] = bench.run([probe(bench, "asked", 2)])
        assert (len(counted), list(bench.log)) == (2, ["first", "asked"])
    assert watched.begun == ["first", "later"]
    assert seen.claimed is not None


def test_who_asks_while_it_is_run_waits_for_it(sandbox: Sandbox, task: Task, watched: Watched) -> None:
    with Bench(task, sandbox, 2) as bench:
        bench.run([probe(bench, "first")])
        watched.gate.clear()
        bench.expect(lambda: [probe(bench, "later", 2)])
        assert wait_until(lambda: "later" in watched.begun)
        found: list[Seen] = []
        asking = threading.Thread(target=lambda: found.extend(bench.run([probe(bench, "asked", 2)])))
        asking.start()
        watched.gate.set()
        asking.join()
    assert (watched.begun, len(found)) == (["first", "later"], 1)


def test_what_fails_aside_is_run_again_when_it_is_asked_for(
    sandbox: Sandbox, task: Task, watched: Watched
) -> None:
    watched.fails = 3  # as often as a bench tries
    with Bench(task, sandbox, 2) as bench:
        bench.run([probe(bench, "first")])
        bench.expect(lambda: [probe(bench, "later", 2)])
        assert wait_until(lambda: watched.fails == 0)
        [seen] = bench.run([probe(bench, "asked", 2)])
    assert seen.claimed is not None


def test_a_hang_counts_when_it_is_asked_for(sandbox: Sandbox, task: Task, watched: Watched) -> None:
    """Else the time that other probes have would depend on what was run aside before them."""
    with Bench(task, sandbox, 2) as bench:
        bench.run([probe(bench, "first")])
        usual, watched.hangs = bench.limits, True
        later = [probe(bench, f"later/{n}", n) for n in range(2, 6)]
        bench.expect(lambda: later)
        assert wait_until(lambda: len(watched.begun) == 5)
        assert bench.limits == usual
        bench.run(later)
        assert bench.limits.wall_time_sec < usual.wall_time_sec


@pytest.mark.parametrize(("workers", "seconds"), [(1, 3600.0), (2, 0.001)])
def test_nothing_is_run_aside_with_one_worker_or_little_time(
    sandbox: Sandbox, task: Task, watched: Watched, workers: int, seconds: float
) -> None:
    now = 0.0
    with Bench(task, sandbox, workers, None, Budget(3600.0, lambda: now)) as bench:
        bench.run([probe(bench, "first")])
        now = 3600.0 - seconds
        bench.expect(lambda: [probe(bench, "later", 2)])
    assert watched.begun == ["first"]


def test_sections_find_their_probes_run(sandbox: Sandbox, task: Task, watched: Watched) -> None:
    """All of an audit's are run once, whoever ran them, and its certificate is that of one worker."""
    sections = [Section.GOLDENS, Section.HONESTY, Section.DETERMINISM]
    alone = audit_task(task, sandbox, workers=1, sections=sections)
    once = sorted(watched.begun)
    watched.begun.clear()
    several = audit_task(task, sandbox, workers=2, sections=sections)
    assert sorted(watched.begun) == once
    assert several.certificate.model_dump_json() == alone.certificate.model_dump_json()
    assert list(several.log) == list(alone.log)
