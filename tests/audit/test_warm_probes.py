"""Probes may be run warm: the certificate is the same to the byte, and a doubt brings an audit back."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Audit, Section, audit_task
from adjudge.audit.probes import Bench, Conditions, Probe, only_answer
from adjudge.contracts import Task
from adjudge.sandbox import Sandbox, only_cold
from adjudge.scoring import warm as choice
from adjudge.tasks import load_task
from support.task_folders import write_task

FILTERS = "open('/proc/self/status').read().partition('Seccomp_filters:')[2].split()[0]"
"""The one thing in which a warm run is known to differ: it has two filters of system calls, not one."""
GOLDENS: dict[str, str | bytes] = {
    "goldens/pass/a.json": '{"flow": 4.2, "ok": true}',
    "goldens/fail/b.json": '{"flow": 7, "ok": true}',
}
SECTIONS = (Section.GOLDENS, Section.TRIVIAL, Section.DISCRIMINATION)


@pytest.fixture(autouse=True)
def nothing_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choice._known.clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ADJUDGE_WARM_CHECKED", "0")
    monkeypatch.setattr(choice, "SLOWEST_SEC", 600.0)  # a busy machine is not what is tested here


def task_of(folder: Path, lines: str = "") -> Task:
    verifier = (
        "import json\n"
        "answer = json.load(open('/workspace/answer.json'))\n"
        "reward = 0.5 * (abs(answer['flow'] - 4.2) < 0.01) + 0.5 * (answer['ok'] is True)\n"
        f"{lines}\n"
        "json.dump({'reward': reward}, open('/logs/verifier/reward.json', 'w'))\n"
    )
    files = {"tests/v.py": verifier, **GOLDENS}
    return load_task(write_task(folder / "task", script="exec python3 -B /tests/v.py", files=files))


def warm_of(audit: Audit) -> set[str]:
    return {name for name, (_, seen) in audit.log.items() if seen.warm}


def test_a_certificate_is_the_same_warm_and_cold(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path)
    sections = (*SECTIONS, Section.EXPLOITS)
    cold = audit_task(task, only_cold(sandbox), workers=2, sections=sections)
    warm = audit_task(task, sandbox, workers=2, sections=sections)
    assert warm.certificate == cold.certificate
    assert warm.evidence == cold.evidence
    assert not warm_of(cold)
    assert len(warm_of(warm)) > len(warm.log) // 3
    assert {warm.log[name][0].conditions for name in warm_of(warm)} == {Conditions()}


def test_a_difference_makes_the_whole_audit_cold(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Admitted by mistake, the verifier tells the two ways apart: a probe run both ways shows it."""
    task = task_of(tmp_path, f"if answer['ok'] is not True and {FILTERS} == '2': reward = 0.25")
    cold = audit_task(task, only_cold(sandbox), workers=2, sections=SECTIONS)
    monkeypatch.setattr(choice, "difference", lambda *_: None)
    monkeypatch.setenv("ADJUDGE_WARM_CHECKED", "1")
    audit = audit_task(task, sandbox, workers=2, sections=SECTIONS)
    assert not warm_of(audit)
    assert audit.certificate == cold.certificate


def test_what_differs_from_run_to_run_is_not_blamed_on_a_verifier_that_was_run_two_ways(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is run both ways here; the second, cold look at a finding is what contradicts the first."""
    task = task_of(tmp_path, f"if answer['flow'] == 0 and {FILTERS} == '2': reward = 1.0")
    monkeypatch.setattr(choice, "difference", lambda *_: None)
    audit = audit_task(task, sandbox, workers=2, sections=SECTIONS)
    assert not warm_of(audit)
    cold = audit_task(task, only_cold(sandbox), workers=2, sections=SECTIONS)
    assert audit.certificate == cold.certificate


def test_a_run_that_hangs_is_waited_for_twice_only_once(tmp_path: Path, sandbox: Sandbox) -> None:
    task = task_of(tmp_path, "while answer['flow'] == 1: pass")

    def probe(flow: float) -> Probe:
        return Probe(f"x/{flow}", "x", only_answer(task, f'{{"flow": {flow}, "ok": true}}'.encode()))

    with Bench(task, sandbox, 1) as bench:
        bench.run([probe(flow) for flow in range(2, 12)])
        assert bench.run([probe(12)])[0].warm
        bench.limits = bench.limits.model_copy(update={"wall_time_sec": 2.0})
        assert bench.run([probe(13)])[0].warm, "a server serves whatever the patience with its trials"
        [hung, after] = bench.run([probe(1), probe(14)])
        assert hung.limits_hit
        assert not after.warm
