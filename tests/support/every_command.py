"""Every command of adjudge with arguments that make it print other people's text, over one hostile folder.

A command that needs nothing is called by its name alone. One that needs more has a row in `ARGUMENTS`; a new
command without one fails `test_every_command_can_be_called`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from adjudge.cli import COMMANDS, module_name
from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.ledger import open_ledger
from support.run_folders import echo_task, write_manifest
from support.task_folders import write_task
from support.trial_samples import annotation, trial

HOSTILE = "q\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\x85\u202egnp\u2066\u2028\u200b\U000e0041z"
"""An operating system command, a cleared screen, C1, DEL, NEL, overrides, a line separator, a tag."""
NOT_WALKED = {
    "harbor run": "what it prints is Harbor's",
    "serve": "goes on until it is stopped; tests/web looks at what it sends",
    "standby": "leaves a process behind; tests/standby",
}
NO_JSON = frozenset(
    {"export trials", "export fields", "export judgements", "export harbor", "annotate export"}
)

ARGUMENTS: dict[str, list[str]] = {
    "score": ["tasks/loud", "outputs/0.json"],
    "run": ["hostile.jsonl", "--experiment", "other"],
    "rescore": ["--tasks", "tasks"],
    "ingest": ["folders", "--experiment", "old", "--layout", "{agent}/{attempt}/{task}"],
    "show": ["TRIAL", "--history"],
    "annotate add": ["TRIAL", "--reviewer", HOSTILE, "--judgment", "fail", "--notes", HOSTILE],
    "annotate import": ["bad.jsonl"],
    "annotate export": ["-"],
    "ledger key": ["new.pem"],
    "ledger sign": ["--key", "none.pem"],
    "ledger heads": ["heads.jsonl"],
    "ledger backup": ["copy.db"],
    "gate": ["--baseline", "agent=base", "--candidate", "agent=cand"],
    "import harbor": ["jobs"],
    "export trials": ["-", "--format", "csv"],
    "export fields": ["-", "--format", "csv"],
    "export judgements": ["-", "--format", "csv"],
    "export harbor": ["harbor"],
    "harbor check": ["tasks"],
    "audit": ["tasks/loud", "--no-ledger"],
    "check": ["."],
    "init": ["new/task"],
    "tasks": ["."],
    "plan": ["--baseline", "agent=base"],
    "calibrate": ["--rubric", "none.toml"],
    "kit": ["tasks/loud"],
    "redteam": ["tasks/loud", "--model", HOSTILE],
    "judge": ["--model", "offline", "--rubric", "none.toml"],
    "traces attach": ["TRIAL", "trajectory.jsonl"],
    "traces search": [HOSTILE],
    "users add": [HOSTILE],
    "users remove": [HOSTILE],
    "users token": [HOSTILE],
}


def names() -> list[str]:
    """Every command and subcommand."""
    found = []
    for name in COMMANDS:
        module = import_module(module_name(name))
        if hasattr(module, "app"):
            found += [f"{name} {command}" for command in module.app.commands]
        else:
            found.append(name)
    return [name for name in found if name not in NOT_WALKED]


@dataclass(frozen=True)
class HostileHome:
    """A folder with tasks, outputs, a manifest, artifacts and a ledger that all hold hostile text."""

    folder: Path
    trial_id: str

    def words(self, name: str) -> list[str]:
        """The command and its arguments."""
        return [*name.split(), *(self.trial_id if w == "TRIAL" else w for w in ARGUMENTS.get(name, []))]


def make_home(folder: Path, ledger: str = "adjudge.db", blobs: str | None = None) -> HostileHome:
    """Fill an empty folder, and a ledger in it or elsewhere."""
    loud = f"#!/bin/bash\nprintf '%s' '{HOSTILE}'\nprintf '%s' '{HOSTILE}' >&2\n" + (
        "cat > /logs/verifier/details.json <<'END'\n"
        + json.dumps({HOSTILE: {"score": 0.5, "max_score": 1.0, "evidence": HOSTILE}})
        + "\nEND\necho '{\"reward\": 0.5}' > /logs/verifier/reward.json\n"
    )
    echo_task(folder / "tasks/echo")
    write_task(folder / "tasks/loud", script=loud)
    write_task(folder / f"broken-{HOSTILE}", toml=f'output = "{HOSTILE}"', script=None)
    rows = write_manifest(folder, 3).read_text().splitlines()
    loud_row = {"task": "tasks/loud", "output": "outputs/0.json", "agent": HOSTILE, "attempt": 7}
    bad = {"task": HOSTILE, "output": HOSTILE, "agent": HOSTILE}
    (folder / "hostile.jsonl").write_text(
        "\n".join([rows[0], json.dumps(loud_row), json.dumps(bad), HOSTILE]) + "\n", encoding="utf-8"
    )
    (folder / "bad.jsonl").write_text(
        json.dumps({"trial_id": HOSTILE, "reviewer_id": HOSTILE}) + f"\n{HOSTILE}\n", encoding="utf-8"
    )
    (folder / "trajectory.jsonl").write_text(
        json.dumps({"role": "assistant", "content": HOSTILE}) + f"\n{HOSTILE}\n", encoding="utf-8"
    )
    (folder / "heads.jsonl").write_text(f"{HOSTILE}\n", encoding="utf-8")
    artifacts = folder / "folders" / HOSTILE.replace("/", "") / "1" / "t"
    artifacts.mkdir(parents=True)
    (artifacts / "reward.json").write_text(f'{{"reward": "{HOSTILE}"}}', encoding="utf-8")
    job = folder / "jobs" / f"job-{HOSTILE}" / f"trial-{HOSTILE}"
    job.mkdir(parents=True)
    (job / "result.json").write_text(f'{{"task_name": "{HOSTILE}"', encoding="utf-8")
    return HostileHome(folder, _record(str(folder / ledger) if "://" not in ledger else ledger, blobs))


def _record(ledger: str, blobs: str | None) -> str:
    tag = ErrorTag(category=HOSTILE, description=HOSTILE, source=ErrorSource.MECHANICAL)
    hostile = trial(
        900,
        agent_name=HOSTILE,
        model=HOSTILE,
        task_id=f"a/{HOSTILE}",
        experiment=HOSTILE,
        output=HOSTILE.encode(),
        reward=0.5,
        stdout=HOSTILE,
        stderr=HOSTILE,
        breakdown={HOSTILE: {"score": 0.5, "max_score": 1.0, "evidence": HOSTILE}},
        metadata={HOSTILE: HOSTILE},
        tags=[tag],
    )
    plain = [
        trial(number, agent_name="base" if number % 2 else "cand", model=None, task_id=f"a/{number // 2}")
        for number in range(8)
    ]
    with open_ledger(ledger, blobs=blobs) as book:
        book.record([*plain, hostile])
        book.annotate(
            hostile.record.trial_id, annotation(HOSTILE, "fail", notes=HOSTILE, categories=[HOSTILE])
        )
    return hostile.record.trial_id
