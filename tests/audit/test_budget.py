"""The time of an audit: what it did not suffice for is named, what was seen until then is kept."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from adjudge.audit import Bench, Cause, Section, Verdict, audit_task, find_right_answer
from adjudge.audit.probes import AuditStopped, Budget, BudgetSpent
from adjudge.audit.work import SectionWork
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import golden_settings, load_task
from audit.gallery.exhibit import Exhibit, build

KEYS_ONLY = "write({name: float(name in read()) for name in REF})"


def test_a_budget_that_is_spent_is_named(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each section that the time did not suffice for says so, and the verdict is not `sound`."""
    task = load_task(build(Exhibit("slow"), tmp_path))
    certificate = audit_task(task, sandbox, budget_sec=0.0).certificate
    assert len([said for said in certificate.not_tried if "the budget of 0 s was spent" in said.lower()]) >= 5
    assert certificate.verdict is Verdict.UNPROVEN
    said = certificate.time_statement()
    assert said is not None
    assert said.startswith("Time given: 0 s, too little for all of: goldens, determinism, ")


def test_a_batch_that_cannot_fit_into_the_budget_is_not_begun(sandbox: Sandbox, tmp_path: Path) -> None:
    """Half of it would show nothing. The test's clock leaves too little for a thousand runs, or for one."""
    task = load_task(build(Exhibit("slow"), tmp_path))
    now = 0.0
    with Bench(task, sandbox, 1, None, Budget(600.0, lambda: now)) as bench:
        bench.run([bench.answer("known", "a first answer", b"{}")])
        many = [bench.answer(f"many/{n}", "one of many", b"%d" % n) for n in range(1000)]
        now = 599.0
        with pytest.raises(BudgetSpent, match=r"nearly: 1000 more runs of .* s each take .* 1 s are left"):
            bench.run(many)
        now = 599.9999
        with pytest.raises(BudgetSpent, match=r"600 s was spent, and 1 more run was due$"):
            bench.run(many[:1])
        assert list(bench.log) == ["known"]
        bench.run([bench.answer("known/again", "what was run before costs no time", b"{}")])
        assert list(bench.log) == ["known", "known/again"]


def test_groups_are_run_as_far_as_the_time_goes(sandbox: Sandbox, tmp_path: Path) -> None:
    """A second passes with each run: two groups of three fit into seven, a third does not."""
    task = load_task(build(Exhibit("slow"), tmp_path))
    runs: list[None] = []
    with Bench(task, sandbox, 1, lambda: runs.append(None), Budget(7.0, lambda: len(runs))) as bench:
        probes = [bench.answer(f"one/{n}", "one of many", b"%d" % n) for n in range(9)]
        seen = bench.run_groups([probes[:3], probes[3:6], probes[6:]])
        assert [len(next(seen)), len(next(seen))] == [3, 3]
        with pytest.raises(BudgetSpent):
            next(seen)


def test_what_a_section_found_before_its_time_was_over_is_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    """Whole answers are tried before single fields, and the section says that it was not finished."""
    task = load_task(build(Exhibit("keys-only", KEYS_ONLY), tmp_path))
    runs: list[None] = []
    with Bench(task, sandbox, 1, lambda: runs.append(None), Budget(60.0, lambda: len(runs))) as bench:
        right = find_right_answer(bench, None, golden_settings(task))
        results = SectionWork(bench, right, None, ()).run_all([Section.DISCRIMINATION])
    result = results[Section.DISCRIMINATION]
    assert Cause.KEYS_ONLY in {finding.cause for finding in result.findings}
    assert result.reason is not None
    assert result.reason.startswith("the budget of 60 s was spent")
    assert [f.title for f in result.findings if f.cause == Cause.NOT_TRIED] == [
        f"the section discrimination was not finished (after {len(result.probes)} probes)"
    ]


def test_a_section_can_be_taken_up_again(sandbox: Sandbox, tmp_path: Path) -> None:
    """Failure honesty makes changed copies of the tests, which are there already the second time."""
    task = load_task(build(Exhibit("slow", files={"tests/reference.json": "{}"}), tmp_path))
    runs: list[None] = []
    with Bench(task, sandbox, 1, lambda: runs.append(None), Budget(40.0, lambda: len(runs))) as bench:
        right = find_right_answer(bench, None, golden_settings(task))
        results = SectionWork(bench, right, None, ()).run_all([Section.HONESTY])
    assert results[Section.HONESTY].reason is None
    assert any(probe.name == "honesty/bad-data-1" for probe in results[Section.HONESTY].probes)


def test_as_many_failures_are_tried_as_the_time_suffices_for(sandbox: Sandbox, tmp_path: Path) -> None:
    """A second passes with each run: the first ways of failing fit into nine, and what they show is kept."""
    hides = "python3 /tests/verify.py || echo '{\"reward\": 0.0}' > /logs/verifier/reward.json\n"
    task = load_task(build(Exhibit("slow", test_sh=hides), tmp_path))
    runs: list[None] = []
    with Bench(task, sandbox, 1, lambda: runs.append(None), Budget(9.0, lambda: len(runs))) as bench:
        right = find_right_answer(bench, None, golden_settings(task))
        results = SectionWork(bench, right, None, ()).run_all([Section.HONESTY])
    result = results[Section.HONESTY]
    assert Cause.HIDES_FAILURE in {finding.cause for finding in result.findings}
    assert result.reason is not None
    assert result.reason.startswith("the budget of 9 s was spent")


def test_time_that_a_section_leaves_over_goes_to_those_that_were_cut() -> None:
    """Each has a share of what is left; at the end there is all the rest."""
    now = 0.0
    budget = Budget(60.0, lambda: now)
    budget.give(0.5)
    assert budget.left() == 30.0
    now = 10.0
    budget.give(0.5)
    assert budget.left() == 25.0
    now = 50.0
    assert budget.left() == 0.0
    budget.give(1.0)
    assert budget.left() == 10.0


def test_nobody_waits_for_an_audit_that_was_stopped(sandbox: Sandbox, tmp_path: Path) -> None:
    stopped = threading.Event()
    stopped.set()
    with pytest.raises(AuditStopped):
        audit_task(load_task(build(Exhibit("slow"), tmp_path)), sandbox, stopped=stopped)


def test_what_lets_wrong_answers_pass_is_tried_before_the_rest(sandbox: Sandbox, tmp_path: Path) -> None:
    """The certificate lists its sections in one order; the work has another, for a budget that ends early."""
    task = load_task(build(Exhibit("slow"), tmp_path))
    sections = [Section.DETERMINISM, Section.TRIVIAL]
    audit = audit_task(task, sandbox, sections=sections)
    assert [report.section for report in audit.certificate.sections] == sections
    kinds = [name.partition("/")[0] for name in audit.log]
    assert kinds.index("trivial") < kinds.index("determinism")


def test_a_run_that_hangs_into_the_end_of_the_time_shows_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """It is not waited for as long as the task allows, nor is the verifier blamed for having hung."""
    hangs = Exhibit("hangs", test_sh="sleep 1000\n", timeout_sec=600.0)
    task = load_task(build(hangs, tmp_path))
    with Bench(task, sandbox, 1, None, Budget(1.0)) as bench:
        with pytest.raises(BudgetSpent):
            bench.run([bench.answer("one", "an answer", b"{}")])
        assert bench.log == {}


def test_a_verifier_that_hangs_on_its_golden_is_told_though_no_time_is_left(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """It was tried while the right answer was looked for; the test's clock ends the time after that."""
    task = load_task(build(Exhibit("hangs", test_sh="sleep 1000\n", timeout_sec=1.0), tmp_path))
    runs: list[None] = []
    with Bench(task, sandbox, 1, lambda: runs.append(None), Budget(10.0, lambda: 10.0 * len(runs))) as bench:
        with pytest.raises(BudgetSpent):
            find_right_answer(bench, None, golden_settings(task))
        results = SectionWork(bench, None, None, ()).run_all([Section.GOLDENS])
    found = [(f.cause, f.severity) for f in results[Section.GOLDENS].findings]
    assert (Cause.NEVER_SCORES, Severity.HIGH) in found
