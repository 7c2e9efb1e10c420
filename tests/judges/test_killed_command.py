"""The command is killed while it asks a server: nothing is lost, and only calls in flight are paid twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from adjudge.judges import read_judgements
from adjudge.ledger import open_ledger
from support.judge_cases import MEMO, rubric_file
from support.model_server import Handler, honest, serving
from support.patience import HANG_SEC
from support.trial_samples import trial

TRIALS, ANSWERED, WORKERS = 12, 5, 2


def test_a_killed_command_pays_twice_only_for_calls_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as book:
        book.record([trial(n, output=f"{MEMO}{n}".encode(), reward=0.5) for n in range(TRIALS)])
    stuck, killed = threading.Semaphore(0), threading.Event()
    answered: list[str] = []

    def act(handler: Handler, body: dict[str, Any]) -> None:
        if not killed.is_set() and len(answered) >= ANSWERED:
            stuck.release()
            killed.wait(HANG_SEC)  # in flight when the kill comes
            return
        answered.append(asked(body))
        handler.reply(honest(body))

    with serving(act) as server:
        words = [
            *(
                sys.executable,
                "-m",
                "adjudge",
                "judge",
                "--rubric",
                str(rubric_file(tmp_path / "judge.toml")),
            ),
            *("--model", "openai:local", "--base-url", f"{server.url}/v1", "--workers", str(WORKERS)),
            *("--ledger", str(path), "--json"),
        ]
        environment = {**os.environ, "OPENAI_API_KEY": "none"}
        process = subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(WORKERS):
            assert stuck.acquire(timeout=HANG_SEC)
        process.send_signal(signal.SIGKILL)
        process.wait(HANG_SEC)
        killed.set()
        done = subprocess.run(words, env=environment, capture_output=True, timeout=HANG_SEC, check=True)
        every = Counter(asked(body) for body in server.requests)
    again = json.loads(done.stdout)
    assert again["scored"] + again["already"] == TRIALS
    assert len(every) == TRIALS
    assert every.total() <= TRIALS + WORKERS, "the two that were in flight"
    with open_ledger(path) as book:
        assert len(read_judgements(book)) == TRIALS
        assert book.verify().intact


def asked(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"])
