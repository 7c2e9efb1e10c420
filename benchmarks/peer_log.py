"""Run by Inspect's own Python: `python peer_log.py FOLDER SAMPLES` writes a log of answers without scores.

It is what `inspect score` then scores: as many samples as wanted, no two alike, answered without any model.
The path of the log is printed.
"""

# mypy: ignore-errors
# Inspect is in an environment of its own, where no type checker looks.

from __future__ import annotations

import sys

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver


@solver
def one_more():
    """Answers right two times of three."""

    async def solve(state, _):
        number = int(state.sample_id)
        text = f"ANSWER: {number + 1 if number % 3 else number}"
        state.output = ModelOutput.from_content("none", text)
        return state

    return solve


def main(folder: str, samples: int) -> None:
    dataset = [Sample(id=n, input=f"How much is {n} + 1?", target=str(n + 1)) for n in range(1, samples + 1)]
    task = inspect_ai.Task(dataset=dataset, solver=one_more())
    made = inspect_ai.eval(task, model="mockllm/model", log_dir=folder, score=False, display="none")
    if made[0].status != "success":
        sys.exit(f"Inspect wrote no log: {made[0].error}")
    print(made[0].location)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
