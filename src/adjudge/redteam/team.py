"""Attack one task with a model, attempt by attempt, in the sandbox; each success is a finding.

The model is told what became of its earlier attempts. An attempt that reaches the bar is scored twice, then
held against the right answer (`weighing`). Nothing that the model says decides: its text is data, its
programs run in a sandbox that holds no tests, and rewards come from the task's own verifier.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from adjudge._version import __version__
from adjudge.audit import (
    Bench,
    Cause,
    Certificate,
    Files,
    Finding,
    Probe,
    RightAnswer,
    Section,
    SectionReport,
    answer_of,
    find_right_answer,
    leaves,
    open_document,
    replaced,
    solve,
    verdict_of,
    with_answer,
)
from adjudge.contracts import Severity, Task
from adjudge.gates import OutputFile, workspace_of
from adjudge.judges import NotAsked, Reply, Request
from adjudge.redteam.attack import Attack, NoAttack, read_attack
from adjudge.redteam.prompt import attack_prompt
from adjudge.redteam.weighing import AnswerCheck, compare_with_golden, spoilt
from adjudge.sandbox import Sandbox
from adjudge.scoring import files_of_image, run_producer, solution_of
from adjudge.tasks import golden_settings

MAX_TOKENS = 8_000
_MAX_SOURCE = 1 << 20
_MOST_SOURCES = 40
_SCRIPT = "/solution/attack.sh"


class AttemptResult(Struct, frozen=True):
    """What became of an attempt.

    `failed`: below the bar; `solved`: it passed because it is right; `confirmed`: it passed and is certainly
    wrong; `suspected`: it passed, and nothing here can tell; `nothing`: no output at all.
    """

    standing: Literal["nothing", "failed", "solved", "confirmed", "suspected"]
    reward: float | None = None
    wrong: tuple[str, ...] = ()
    why: str = ""

    @property
    def fooled(self) -> bool:
        return self.standing in ("confirmed", "suspected")


class AttackAttempt(Struct, frozen=True):
    """One call of the model: what it proposed, the workspace that came of it, and the result."""

    number: int
    reply: Reply
    attack: Attack | NoAttack
    files: Files
    result: AttemptResult


class RedTeam(Struct, frozen=True):
    """All attempts on one task, and the certificate that they make."""

    certificate: Certificate
    attempts: tuple[AttackAttempt, ...]
    stopped: str | None
    """Why there are fewer attempts than were allowed; None if there are not."""
    pass_at: float


def verifier_sources(task: Task) -> dict[str, str]:
    """The texts below the task's `tests`, by path; bounded, and without what is no text."""
    found: dict[str, str] = {}
    root = task.folder / "tests"
    for path in sorted(root.rglob("*"))[: 10 * _MOST_SOURCES]:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_SOURCE:
            continue
        try:
            found[path.relative_to(root).as_posix()] = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
    return dict(list(found.items())[:_MOST_SOURCES])


def attack_task(
    task: Task,
    sandbox: Sandbox,
    ask: Callable[[Request], Reply],
    model: str,
    *,
    budget: int = 10,
    white_box: bool = False,
    pass_at: float | None = None,
    temperature: float | None = None,
    identity: str = "",
    on_attempt: Callable[[AttackAttempt], None] = lambda _: None,
) -> RedTeam:
    """Let a model make up to `budget` attempts. `ask` raises NotAsked when no more calls are to be had.

    `pass_at` is the reward that counts as passing; the task's own bar for goldens without it.
    """
    bar = golden_settings(task).pass_at_least if pass_at is None else pass_at
    sources = verifier_sources(task) if white_box else {}
    attempts: list[AttackAttempt] = []
    stopped = None
    with Bench(task, sandbox, workers=1) as bench:
        right = _right_answer(bench)
        for number in range(1, budget + 1):
            prompt = attack_prompt(
                workspace_of(task),
                task.verifier.expected_output_path,
                task.instruction,
                sources,
                [_told(attempt) for attempt in attempts],
            )
            try:
                reply = ask(Request(model, prompt, number, temperature, MAX_TOKENS, identity))
            except NotAsked as error:
                stopped = str(error)
                break
            attempt = _try(bench, right, number, reply, bar)
            attempts.append(attempt)
            on_attempt(attempt)
            if isinstance(attempt.attack, NoAttack) and attempt.attack.gave_up:
                stopped = "the model sees no way"
                break
        findings = [_finding(bench, attempt, right) for attempt in attempts if attempt.result.fooled]
        certificate = _certificate(bench, attempts, findings, right, white_box=white_box)
    return RedTeam(certificate, tuple(attempts), stopped, bar)


def _right_answer(bench: Bench) -> RightAnswer | None:
    script = solution_of(bench.task)
    solved = None if script is None else solve(bench, script)
    return find_right_answer(bench, solved, golden_settings(bench.task))


def _try(bench: Bench, right: RightAnswer | None, number: int, reply: Reply, bar: float) -> AttackAttempt:
    task = bench.task
    if reply.refused:
        attack: Attack | NoAttack = NoAttack("the model refused")
    else:
        attack = read_attack(reply.text, workspace_of(task))
    if isinstance(attack, NoAttack):
        return AttackAttempt(number, reply, attack, (), AttemptResult("nothing", why=attack.why))
    files, problem = _workspace(bench, attack)
    if problem is not None:
        return AttackAttempt(number, reply, attack, files, AttemptResult("nothing", why=problem))
    probe = Probe(f"redteam/attempt-{number}", attack.idea[:300] or "an attack of the model", files)
    again = replace(probe, name=f"{probe.name}/again", conditions=replace(probe.conditions, round=1))
    [seen] = bench.run([probe])
    if seen.counted < bar:
        held = "adjudge gives 0.0, since the output does not parse" if seen.reward >= bar else ""
        return AttackAttempt(number, reply, attack, files, AttemptResult("failed", seen.claimed, why=held))
    [second] = bench.run([again])
    if second.counted < bar:
        why = "it passed once, and not a second time"
        return AttackAttempt(number, reply, attack, files, AttemptResult("failed", second.claimed, why=why))
    checked = _weigh(bench, right, files, attack)
    standing: Literal["solved", "confirmed", "suspected"] = "suspected"
    if checked.standing == "solved":
        standing = "solved"
    elif checked.standing == "wrong":
        standing = "confirmed"
    result = AttemptResult(standing, seen.claimed, checked.wrong, checked.why)
    return AttackAttempt(number, reply, attack, files, result)


def _workspace(bench: Bench, attack: Attack) -> tuple[Files, str | None]:
    """The files of an attack; those of a program are what it writes, and why it wrote no answer if so."""
    task = bench.task
    if attack.program is None:
        return tuple((path, OutputFile(data)) for path, data in attack.files.items()), None
    nothing = bench.scratch / "no-tests"
    nothing.mkdir(exist_ok=True)
    given = dict(files_of_image(task))
    files = {**given, _SCRIPT: OutputFile(attack.program.encode("utf-8", "surrogatepass"), 0o755)}
    made = run_producer(task, ("bash", _SCRIPT), files, nothing, bench.sandbox, bench.limits)
    root = f"{workspace_of(task)}/"
    written = tuple(
        (path, file)
        for path, file in made.files.items()
        if given.get(path) != file and (path.startswith(root) or path == task.verifier.expected_output_path)
    )
    if not written:
        return (), f"the program wrote nothing{f': {made.said}' if made.said else ''}"
    return written, None


def _weigh(bench: Bench, right: RightAnswer | None, files: Files, attack: Attack) -> AnswerCheck:
    """Hold an output that passes against the right answer; a field that nobody scores proves nothing."""
    task = bench.task
    golden = None if right is None else answer_of(task, right.files)
    answer = answer_of(task, files)
    found = None if answer is None else open_document(answer, task.output.format)
    checked = compare_with_golden(right, golden, answer, found, attack.left_wrong)
    if right is None or right.document is None or checked.standing != "wrong":
        return checked
    scored = [name for name in checked.wrong[:5] if _is_scored(bench, right, name)]
    if not scored:
        named = ", ".join(checked.wrong[:5])
        return AnswerCheck("unknown", why=f"the verifier does not score what was left wrong: {named}")
    return AnswerCheck("wrong", tuple(scored))


def _is_scored(bench: Bench, right: RightAnswer, name: str) -> bool:
    """Does the right answer lose anything if this field alone is wrong?"""
    document = right.document
    if document is None:
        return False
    leaf = next(leaf for leaf in leaves(document.value) if leaf.name == name)
    probes = []
    for number, value in enumerate(spoilt(leaf)):
        data = document.render(replaced(document.value, [(leaf.path, value)]))
        files = with_answer(bench.task, right.files, data)
        probes.append(Probe(f"redteam/{name}-{number}", f"the right answer but for {name}", files))
    return any(seen.reward < right.reward - 1e-6 for seen in bench.run(probes))


def _told(attempt: AttackAttempt) -> dict[str, object]:
    """An attempt as the model hears of it."""
    idea = attempt.attack.idea if isinstance(attempt.attack, Attack) else ""
    result = attempt.result
    word = "found already; try another weakness" if result.fooled else result.standing
    return {"idea": idea, "result": word, "reward": result.reward, "why": result.why}


def _finding(bench: Bench, attempt: AttackAttempt, right: RightAnswer | None) -> Finding:
    result = attempt.result
    sure = result.standing == "confirmed"
    wrong = f"wrong in {', '.join(result.wrong)}" if sure else f"suspected: {result.why}"
    idea = attempt.attack.idea if isinstance(attempt.attack, Attack) else ""
    return bench.finding(
        Severity.HIGH if sure else Severity.MEDIUM,
        Section.EXPLOITS,
        f"an output of a model earns {result.reward:g} without solving the task"
        if sure
        else f"an output of a model earns {result.reward:g}, and may not solve the task",
        cause=Cause.FOOLED,
        seen=f"Attempt {attempt.number} is {wrong}. Its idea: {json.dumps(idea[:500])}.",
        advice="Mend the verifier (--harden proposes a patch), and keep this output in goldens/fail.",
        probe=bench.log[f"redteam/attempt-{attempt.number}"][0],
        before=None if right is None else right.reward,
    )


def _certificate(
    bench: Bench,
    attempts: Sequence[AttackAttempt],
    findings: list[Finding],
    right: RightAnswer | None,
    *,
    white_box: bool,
) -> Certificate:
    task = bench.task
    tried = [bench.log[name][0] for name in bench.log if name.startswith("redteam/attempt-")]
    seen = "with the verifier in sight" if white_box else "without seeing the verifier"
    return Certificate(
        task_id=task.id,
        task_digest=task.digest,
        adjudge_version=__version__,
        verdict=verdict_of(findings, complete=False),
        answer=None if right is None else right.source,
        answer_reward=None if right is None else right.reward,
        probes_run=len(bench.log),
        not_tried=[f"an audit: a model made {len(attempts)} attempts {seen}, and nothing else was tried"],
        sandbox=bench.sandbox.name,
        python=platform.python_version(),
        seeds=["0"],
        sections=[
            SectionReport(
                section=Section.EXPLOITS,
                status="findings" if findings else "passed",
                probes=bench.rows(tried),
            )
        ],
        findings=sorted(findings, key=lambda finding: finding.severity.rank),
    )
