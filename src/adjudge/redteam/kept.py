"""What a red team leaves on disk: a transcript, the workspace of each attempt, and a command for each.

    FOLDER/transcript.jsonl       one line per attempt: the reply as it came, tokens, cost, result
    FOLDER/certificate.json       the findings, in the form of an audit's
    FOLDER/attempt-3/workspace/   the output, to be scored by `adjudge score`

Links that a program of the model made are not written: nothing here may point out of the folder.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from adjudge.audit import answer_of
from adjudge.contracts import Task
from adjudge.errors import UsageError
from adjudge.gates import workspace_of
from adjudge.redteam.attack import Attack
from adjudge.redteam.team import AttackAttempt, RedTeam
from adjudge.scoring import files_of_image


def keep_attempts(task: Task, team: RedTeam, folder: Path, options: Sequence[str] = ()) -> RedTeam:
    """Write everything, and return the same with commands that work in any folder.

    `options` go on each command (`--sandbox`, `--image`). UsageError if the folder cannot be written.
    """
    commands: dict[str, str] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for attempt in team.attempts:
            output = _write(task, attempt, folder / f"attempt-{attempt.number}" / "workspace")
            if output is not None:
                words = ["adjudge", "score", str(task.folder.resolve()), str(output.resolve()), *options]
                commands[f"redteam/attempt-{attempt.number}"] = shlex.join(words)
        findings = [
            finding.model_copy(update={"reproduce": commands.get(finding.probe or "")})
            for finding in team.certificate.findings
        ]
        kept = replace(team, certificate=team.certificate.model_copy(update={"findings": findings}))
        lines = "".join(f"{json.dumps(_line(attempt), ensure_ascii=True)}\n" for attempt in team.attempts)
        (folder / "transcript.jsonl").write_text(lines, encoding="ascii")
        (folder / "certificate.json").write_text(kept.certificate.model_dump_json(indent=1), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the attempts cannot be kept: {error.strerror}", file=error.filename) from None
    return kept


def fooling_answers(task: Task, team: RedTeam) -> list[bytes]:
    """The answers that fooled the verifier: what the findings of the certificate point to."""
    answers = [answer_of(task, attempt.files) for attempt in team.attempts if attempt.result.fooled]
    return [answer for answer in answers if answer is not None]


def _write(task: Task, attempt: AttackAttempt, place: Path) -> Path | None:
    """The path to score: the answer alone, or the whole workspace if there are other files; None for none."""
    root = workspace_of(task)
    files = {path: file for path, file in attempt.files if file.link is None and path.startswith(f"{root}/")}
    if not files:
        return None
    alone = list(files) == [task.verifier.expected_output_path]
    if not alone:  # a folder stands for the whole workspace
        own = {p: f for p, f in files_of_image(task).items() if p.startswith(f"{root}/")}
        files = {**own, **files}
    for path, file in files.items():
        target = place / PurePosixPath(path).relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)
    return place / PurePosixPath(next(iter(files))).relative_to(root) if alone else place


def _line(attempt: AttackAttempt) -> dict[str, object]:
    attack, reply, result = attempt.attack, attempt.reply, attempt.result
    return {
        "attempt": attempt.number,
        "standing": result.standing,
        "reward": result.reward,
        "wrong": list(result.wrong),
        "why": result.why,
        "idea": attack.idea if isinstance(attack, Attack) else None,
        "left_wrong": list(attack.left_wrong) if isinstance(attack, Attack) else [],
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "usd": reply.usd,
        "seconds": reply.seconds,
        "reply": reply.text,
    }
