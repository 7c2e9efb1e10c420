"""A task folder around one verifier, and what a reader of its source remarks on."""

from __future__ import annotations

import textwrap
from pathlib import Path

from adjudge.audit.reading import Remark, read_sources
from adjudge.tasks import load_task

READS = """
import collections, csv, datetime, difflib, io, json, math, os, random, re, sqlite3, statistics, subprocess
import hashlib, pickle, unittest
with open("/workspace/answer.json") as file:
    answer = json.load(file)
REF = json.load(open("/tests/reference.json"))
"""
WRITES = """
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": score}, file)
"""


def remarks_on(folder: Path, verify: str, instruction: str = "", output: str = "answer.json") -> list[Remark]:
    """What is remarked on in a verifier that reads `answer` and `REF`, does this, and writes `score`."""
    tests = folder / "tests"
    tests.mkdir(parents=True, exist_ok=True)
    source = READS.replace("answer.json", output) + textwrap.dedent(verify) + WRITES
    (tests / "verify.py").write_text(source)
    (tests / "test.sh").write_text("#!/bin/bash\npython3 /tests/verify.py\n")
    (folder / "task.toml").write_text("[verifier]\ntimeout_sec = 20\n")
    said = f"Write what is asked for to `/workspace/{output}`. {instruction}\n"
    (folder / "instruction.md").write_text(said)
    _, found = read_sources(load_task(folder))
    return found
