"""`adjudge redteam`: a model tries to pass a task without solving it, and may propose a patch."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.judges.panel import CallChoice, takes_calls
from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import NO_PREFLIGHT, OutputPathOption, place_options, ready, takes_place
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.judges import Purse
    from adjudge.preflight import VerifierPlace
    from adjudge.redteam import HardenedVerifier, RedTeam, RefusedPatch


@prints(Format.TERMINAL, Format.JSON)
@takes_place
@takes_calls
def command(
    out: Out,
    place: VerifierPlace,
    calls: CallChoice,
    task: Annotated[Path, typed.Argument(help="The task's folder.", metavar="TASK")],
    *,
    model: Annotated[
        str, typed.Option("--model", metavar="PROVIDER:MODEL", help="Who attacks, such as openai:gpt-x.")
    ],
    budget: Annotated[int, typed.Option("--budget", min=1, max=1000, help="Attempts.")] = 10,
    white_box: Annotated[bool, typed.Option("--white-box", help="Show the model the verifier, too.")] = False,
    pass_at: Annotated[
        float | None,
        typed.Option("--pass-at", min=0, max=1, help="The reward that passes. [default: the task's bar]"),
    ] = None,
    harden: Annotated[
        bool, typed.Option("--harden", help="Ask for a patch to the verifier; nothing is applied.")
    ] = False,
    fail_on_success: Annotated[
        bool, typed.Option("--fail-on-success", help="Exit with 3 if the verifier was fooled.")
    ] = False,
    folder: Annotated[
        Path | None,
        typed.Option("--folder", metavar="FOLDER", help="Where attempts go. [default: redteam-TASK]"),
    ] = None,
    temperature: Annotated[
        float | None, typed.Option("--temperature", min=0, max=2, help="Of the model. [default: its own]")
    ] = None,
    ledger: LedgerOption = None,
    output_path: OutputPathOption = None,
) -> None:
    """Let a model try to pass a task without solving it. Every attempt is scored in the sandbox.

    An output that passes is held against a right answer: wrong in a field that is scored, it is a finding;
    if nothing here can tell, it is suspected. The same command again asks nothing twice. Exit codes: 0 done,
    whatever was found; 1 the model could not be asked; 2 wrong usage; 3 fooled, with --fail-on-success.
    """
    from adjudge.audit import store_findings
    from adjudge.cli.shared.progress import waiting
    from adjudge.judges import AnswerForm
    from adjudge.ledger import open_ledger
    from adjudge.redteam import attack_task, fooling_answers, keep_attempts, propose_patch
    from adjudge.tasks import load_task

    if ":" not in model:
        raise UsageError("this is no model", field="--model", found=model, allowed="PROVIDER:MODEL")
    prices = calls.prices([model])
    target = load_task(task, output_path=output_path)
    sandbox = ready(place, [target], NO_PREFLIGHT)
    if sandbox.name == "unisolated":
        raise UsageError("a red team attacks a verifier, and needs a sandbox for that", found=sandbox.name)
    where = folder or Path(f"redteam-{target.folder.name}")
    purse = calls.purse()
    patches: list[HardenedVerifier | RefusedPatch] = []
    with open_ledger(ledger) as book, ExitStack() as ways:
        asker = calls.asker(ways, book, [model], AnswerForm.PROMPTED, prices, purse)
        with waiting(f"{budget} attempts of {model} at most"):
            team = attack_task(
                target,
                sandbox,
                asker.ask,
                model,
                budget=budget,
                white_box=white_box,
                pass_at=pass_at,
                temperature=temperature,
                identity=calls.base_url or "",
            )
            team = keep_attempts(target, team, where, place_options(place))
            store_findings(book, team.certificate, fooling_answers(target, team))
            fooled = [attempt for attempt in team.attempts if attempt.result.fooled]
            for hack in fooled if harden else []:
                patches.append(
                    propose_patch(
                        target,
                        sandbox,
                        asker.ask,
                        model,
                        hack,
                        pass_at=team.pass_at,
                        identity=calls.base_url or "",
                    )
                )
        book.sign_if_asked()
    _write(target, team, patches, where, purse, out)
    if not team.attempts:
        raise typed.Exit(1)
    if fooled and fail_on_success:
        raise typed.Exit(3)


def _write(
    task: Task,
    team: RedTeam,
    patches: list[HardenedVerifier | RefusedPatch],
    where: Path,
    purse: Purse,
    out: Out,
) -> None:
    """The patches as files, and what was found, in words or as JSON."""
    from adjudge.redteam import HardenedVerifier

    told: list[dict[str, object]] = []
    for number, found in enumerate(patches, start=1):
        if isinstance(found, HardenedVerifier):
            file = where / f"harden-{number}.patch"
            file.write_text(found.patch, encoding="utf-8")
            apply = shlex.join(["patch", "-p1", "-d", str(task.folder.resolve()), "-i", str(file.resolve())])
            told.append({"patch": str(file), "why": found.why, "goldens": found.goldens, "apply": apply})
        else:
            told.append({"patch": None, "why": found.why})
    findings = team.certificate.findings
    if out.for_programs:
        out.write_json(
            {
                "certificate": team.certificate.model_dump(mode="json"),
                "attempts": [
                    {"attempt": a.number, "standing": a.result.standing, "reward": a.result.reward}
                    for a in team.attempts
                ],
                "stopped": team.stopped,
                "patches": told,
                "calls": purse.calls,
                "cached": purse.cached,
                "usd": purse.spent,
                "unpriced": purse.unpriced,
                "folder": str(where),
            }
        )
        return
    safe = out.terminal.safe
    lines = [f"{len(team.attempts)} attempts, {len(findings)} fooled the verifier"]
    lines += [f"stopped: {safe(team.stopped)}"] if team.stopped else []
    for finding in findings:
        lines += [f"{finding.severity.value}: {safe(finding.title)}", f"  {safe(finding.seen)}"]
        lines += [f"  {safe(finding.reproduce)}"] if finding.reproduce else []
    for patch in told:
        if patch["patch"] is None:
            lines.append(f"no patch: {safe(str(patch['why']))}")
        else:
            lines.append(
                f"patch: {safe(str(patch['why']))} ({patch['goldens']} known outputs stay as they were)"
            )
            lines.append(f"  read it, then: {safe(str(patch['apply']))}")
    unknown = f", {purse.unpriced} at an unknown price" if purse.unpriced else ""
    lines.append(f"{purse.calls} calls made, {purse.cached} from the ledger, {purse.spent:.4f} USD{unknown}")
    lines.append(f"all of it is in {safe(str(where))}")
    out.write("".join(f"{line}\n" for line in lines))
