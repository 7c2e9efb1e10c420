"""What a verifier leaves behind when it has scored a right answer, beside a wrong answer and beside none.

A verifier that keeps the best mark, a cache or a compiled program where an agent can write believes whatever
lies there. Nobody needs to know the form of such a file: a first run of the verifier writes it, whatever it
is, and a second one finds it.
"""

from __future__ import annotations

import shlex

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.probes import Bench, Conditions, Files, Probe, with_answer, writing
from adjudge.audit.sections.attacks.side_files import Exploit, wrong_answer

_MOST_SHELL = 60_000
"""Characters of a command: more than twice as many no kernel passes on."""


def left_behind(bench: Bench, right: RightAnswer | None) -> list[Exploit]:
    """The exploits to try; none without a right answer, nor if the wrong one is too long for a command."""
    task = bench.task
    if right is None or task.runs_output or right.document is None:
        return []
    wrong, path = wrong_answer(bench, right), task.verifier.expected_output_path
    again = writing(path, wrong)
    if len(again) > _MOST_SHELL:
        return []
    logs = shlex.quote(task.verifier.reward_path.rpartition("/")[0])
    first = f"( bash /{shlex.quote(task.verifier.script)} ) >/dev/null 2>&1 </dev/null"
    clean = f"find {logs} -mindepth 1 -delete 2>/dev/null; rm -f {shlex.quote(path)}"
    others: Files = tuple((name, file) for name, file in right.files if name != path)
    made = [
        ("left-behind", "a wrong answer", f"{first}; {clean}; {again}", with_answer(task, others, wrong)),
        ("left-behind-none", "no answer", f"{first}; {clean}", others),
    ]
    what = "with what the verifier left behind after a right one"
    return [
        Exploit(
            Probe(f"exploits/{name}", f"{said} {what}", right.files, Conditions(before=before)),
            Cause.SIDE_FILE,
            Probe(f"exploits/{name}-plain", f"{said} in a fresh workspace", plain),
        )
        for name, said, before, plain in made
    ]
