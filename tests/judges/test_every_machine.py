"""The same ledger, rubric and cache give the same scores on every machine: other seeds, places and hours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.judges import JudgeRun, JudgeTally, read_judgements
from adjudge.ledger import open_ledger
from support.judge_cases import MEMO, RUBRIC, Scripted, asker, panel, saying
from support.patience import HANG_SEC
from support.trial_samples import trial

REPLAYED = """
import json, sys
from adjudge.judges import *
from adjudge.ledger import open_ledger
from support.judge_cases import RUBRIC, asker, panel

with open_ledger(sys.argv[1]) as book:
    who = panel(("test:a", "test:b"), samples=3)
    found = {}
    for record in book.iterate():
        made = judge_trial(book, record, RUBRIC, who, asker(book, {}, replay=True))
        found[record.trial_id] = json.loads(made.model_dump_json())
    print(json.dumps(found, sort_keys=True))
"""
MACHINES = {
    "another hash seed": {"PYTHONHASHSEED": "4711"},
    "another locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "1"},
    "another hour": {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "2"},
    "one thread of arithmetic": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
}


@pytest.mark.parametrize("where", MACHINES)
def test_a_copied_cache_is_replayed_to_the_same_last_digit(tmp_path: Path, where: str) -> None:
    """Nothing is asked; scores, agreement, intervals, reasons, keys of calls and identity are the same."""
    here = tmp_path / "here.db"
    texts = [MEMO, "Größe: 16 mm² – weil 10 mm² > 3 %.", "ＲＥＳＵＬＴ 7.2 V\u2028next", "because " * 9_000]
    with open_ledger(here) as book:
        book.record([trial(n, output=text.encode(), reward=0.5) for n, text in enumerate(texts)])
        judges = {
            "test:a": Scripted(saying(why=True), saying(why=False), saying(why=True)),
            "test:b": Scripted(saying(why=False), saying(), saying(why=True)),
        }
        run = JudgeRun(
            *(book, panel(("test:a", "test:b"), samples=3), asker(book, judges), lambda _: RUBRIC, {}),
            JudgeTally(),
            workers=1,
        )
        run.execute(list(book.iterate()))
        assert run.tally.done == len(texts)
        made = {
            i: json.loads(found[0].model_dump_json(exclude={"suspected"}))
            for i, found in read_judgements(book).items()
        }
        there = tmp_path / "elsewhere" / "copy.db"
        there.parent.mkdir()
        book.backup(there)
    done = subprocess.run(
        [sys.executable, "-c", REPLAYED, str(there)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **MACHINES[where]},
        capture_output=True,
        timeout=HANG_SEC,
        check=True,
    )
    replayed = json.loads(done.stdout)
    for found in replayed.values():
        assert found.pop("suspected") == []
    assert replayed == made
