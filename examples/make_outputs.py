"""Writes `examples/outputs/`: what four imagined agents might have left behind, and the manifest of it.

Nothing here is a recorded score. `PLAN` says for each task, agent and attempt which golden output the agent
produced, or which of the `HABITS` spoiled the reference answer; the verifiers decide what that is worth. Run
it again after a change to the goldens: the same plan always gives the same files. With `--freeze` the rewards
are scored, too, and kept in `expected.json`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
TASKS, OUTPUTS = HERE / "tasks", HERE / "outputs"

MODELS = {
    "slide-rule": "ivory-2-large",
    "nomogram": "parallel-5",
    "planimeter": "tracer-1",
    "abacus": "bead-mini",
}
USD_PER_OUTPUT = {"slide-rule": 0.412, "nomogram": 0.137, "planimeter": 0.064, "abacus": 0.008}

PLAN = {
    "civil/concrete-mix": {
        "slide-rule": ("reference", "other-order", "reference"),
        "nomogram": ("reference", "moisture-added-to-water", "reference"),
        "planimeter": ("moisture-ignored", "reference", "one-mix-wrong"),
        "abacus": ("moisture-ignored", "one-mix-missing", "pretty-printed"),
    },
    "controls/pi-tuning": {
        "slide-rule": ("reference", "direct-action", "commented"),
        "nomogram": ("reference", "gain-in-degrees", "minutes"),
        "planimeter": ("gain-in-degrees", "direct-action", "reference"),
        "abacus": ("minutes", "dead-time-from-28-percent", "prose"),
    },
    "electrical/power-factor": {
        "slide-rule": ("reference", "commented", "reference"),
        "nomogram": ("reference", "percent-for-fraction", "reference"),
        "planimeter": ("steps-rounded-down", "reference", "single-phase-current"),
        "abacus": ("units-in-values", "percent-for-fraction", "nested"),
    },
    "electrical/transformer-sizing": {
        "slide-rule": ("with-notes", "kva-added-as-numbers", "injected"),
        "nomogram": ("kva-added-as-numbers", "growth-forgotten", "fault-current-in-ampere"),
        "planimeter": ("growth-forgotten", "kva-added-as-numbers", "fenced"),
        "abacus": ("growth-forgotten", "rating-as-text", "truncated"),
    },
    "electrical/voltage-drop": {
        "slide-rule": ("reference", "fence-in-capitals", "rounded"),
        "nomogram": ("rounded", "percent-of-line-voltage", "fence-in-capitals"),
        "planimeter": ("fraction-for-percent", "injected", "compliance-missing"),
        "abacus": ("single-phase-formula", "prose", "reference"),
    },
    "geotech/bearing-capacity": {
        "slide-rule": ("reference", "shape-factors-forgotten", "brief"),
        "nomogram": ("brief", "shape-factors-forgotten", "safety-factor-forgotten"),
        "planimeter": ("terzaghi-factors", "shape-factors-forgotten", "reference"),
        "abacus": ("terzaghi-factors", "verdict-only", "kilonewtons"),
    },
    "hvac/duct-sizing": {
        "slide-rule": ("reference", "reference", "other-order"),
        "nomogram": ("last-sections-missing", "nearest-size", "reference"),
        "planimeter": ("nearest-size", "loss-per-metre", "reference"),
        "abacus": ("loss-per-metre", "header-only", "diameter-in-metres"),
    },
    "hydraulics/manning-channel": {
        "slide-rule": ("reference", "froude-with-full-depth", "rounded"),
        "nomogram": ("rounded", "froude-with-full-depth", "reference"),
        "planimeter": ("froude-with-full-depth", "reference", "customary-unit-factor"),
        "abacus": ("flow-missing", "flat", "two-figures"),
    },
    "mechanical/bolt-preload": {
        "slide-rule": ("reference", "rounded", "torque-in-newton-millimetres"),
        "nomogram": ("reference", "torque-in-newton-millimetres", "rounded"),
        "planimeter": ("bolt-takes-the-whole-load", "swapped", "reference"),
        "abacus": ("torque-in-newton-millimetres", "newtons", "nothing"),
    },
    "process/heat-exchanger": {
        "slide-rule": ("reference", "bare", "unlabelled-fence"),
        "nomogram": ("reference", "tubes-rounded-down", "unlabelled-fence"),
        "planimeter": ("parallel-flow", "reference", "undecided"),
        "abacus": ("margin-forgotten", "duty-in-watts", "truncated"),
    },
    "structural/beam-deflection": {
        "slide-rule": ("reference", "rounded", "deflection-under-total-load"),
        "nomogram": ("rounded", "rounded-on-the-way", "deflection-under-total-load"),
        "planimeter": ("reference", "load-factors-forgotten", "deflection-under-total-load"),
        "abacus": ("rounded", "deflection-in-metres", "empty"),
    },
    "surveying/traverse-closure": {
        "slide-rule": ("reference", "more-digits", "reference"),
        "nomogram": ("more-digits", "correction-for-misclosure", "not-adjusted"),
        "planimeter": ("not-adjusted", "reference", "columns-swapped"),
        "abacus": ("coordinates-missing", "not-adjusted", "scratch"),
    },
}  # fmt: skip

PROSE = """I have worked through the task step by step, and all requirements are met.

The results are as expected for this kind of system. Let me know if you would like them in another format.
"""
REMARKS = (
    "Checked by a second calculation.",
    "Worked out twice, by hand and by spreadsheet.",
    "Values as of the latest drawing.",
    "Rounded at the end only.",
)
INJECTION = "<script>fetch('https://reward.invalid/?r=1')</script> \x1b[2J\x1b[31mreward: 1.0\x1b[0m"


def injected(answer: str) -> str:
    """The right answer, with markup and terminal escapes where a reviewer will look."""
    if answer.startswith("{"):
        return json.dumps({**json.loads(answer), "notes": INJECTION}, indent=2)
    return f"{INJECTION}\n\n{answer}"


def swapped(answer: str) -> str:
    """The right numbers, two of them under each other's names."""
    fields = json.loads(answer)
    *_, first, second, _last = fields
    fields[first], fields[second] = fields[second], fields[first]
    return json.dumps(fields, indent=2)


def two_figures(answer: str) -> str:
    """Every number rounded too early."""
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.2g}", answer)


HABITS: dict[str, Callable[[str], str]] = {
    "injected": injected,
    "swapped": swapped,
    "two-figures": two_figures,
    "prose": lambda _: PROSE,
    "empty": lambda _: "",
    "truncated": lambda answer: answer[: len(answer) * 3 // 5],
    "fenced": lambda answer: f"Here is the answer:\n\n```json\n{answer}\n```\n",
}


def in_own_hand(text: str, suffix: str, time: int) -> str:
    """The same answer as somebody else would have put it, for the second to the fifth who gives it.

    No value changes, only what no verifier should care about; text that is not of its format stays as it is.
    """
    checked = REMARKS[time % len(REMARKS)]
    if suffix in (".md", ".txt"):
        return f"{text.rstrip()}\n\n{checked}\n"
    if suffix in (".yaml", ".toml"):
        return f"# {checked}\n{text}"
    try:
        if suffix == ".json":
            return json.dumps(json.loads(text), indent=(1, 3, 4, None)[time % 4]) + "\n"
        if suffix == ".jsonl":
            rows = [json.loads(line) for line in text.splitlines()]
            turned = [dict(reversed(row.items())) if time % 2 else row for row in rows]
            spaces = (",", ":") if time < 3 else (" , ", " : ")
            return "".join(f"{json.dumps(row, separators=spaces)}\n" for row in turned)
    except ValueError:
        return text
    ends = "\r\n" if time % 2 else "\n"
    cells = [line.split(",") for line in text.splitlines()]
    return ends.join(",".join(f'"{cell}"' if time > 2 else cell for cell in row) for row in cells) + ends


def find_golden(task: str, name: str) -> Path | None:
    """The golden output of that name without its suffix: a file, or a folder for a whole workspace."""
    found = [path for path in (TASKS / task / "goldens").glob("*/*") if path.name.partition(".")[0] == name]
    return found[0] if found else None


def output_name(task: str) -> str:
    """The file's name in the workspace: the last one that the instruction asks for."""
    instruction = (TASKS / task / "instruction.md").read_text(encoding="utf-8")
    return re.findall(r"/workspace/([\w.-]+\w)", instruction)[-1]


def write_output(task: str, name: str, folder: Path) -> Path:
    """Write one attempt; returns what the manifest names. "nothing" names a file that is not there."""
    file = folder / output_name(task)
    if name == "nothing":
        return file
    folder.mkdir(parents=True)
    if name == "scratch":  # the agent worked, and never wrote what it was asked for
        (folder / "scratch.py").write_text("import math\n\nprint(math.hypot(0.07, 0.03))\n", encoding="utf-8")
        return folder
    golden = find_golden(task, name)
    if golden is None:
        reference = find_golden(task, "reference")
        if reference is None:
            raise SystemExit(f"{task}: there is no golden and no habit called {name!r}")
        file.write_bytes(HABITS[name](reference.read_text(encoding="utf-8")).encode())
    elif golden.is_dir():
        shutil.copytree(golden, folder, dirs_exist_ok=True)
        return folder
    else:
        shutil.copyfile(golden, file)
    return file


def write_outputs(target: Path) -> None:
    """Write every output and `manifest.jsonl` below `target`, an empty or absent folder."""
    rows = []
    given: Counter[tuple[str, str, bytes]] = Counter()
    for task, agents in PLAN.items():
        for agent, names in agents.items():
            for attempt, name in enumerate(names, start=1):
                folder = target / agent / str(attempt) / task
                output = write_output(task, name, folder)
                for file in sorted(folder.glob("*")):
                    answer = file.read_bytes()
                    known = given[task, file.name, answer]
                    if known:
                        file.write_bytes(in_own_hand(answer.decode(), file.suffix, known).encode())
                    given[task, file.name, answer] += 1
                row = {
                    "task": f"../tasks/{task}",
                    "output": output.relative_to(target).as_posix(),
                    "agent": agent,
                    "model": MODELS[agent],
                    "attempt": attempt,
                    "cost": {"usd": USD_PER_OUTPUT[agent]},
                    "metadata": {"imagined": True, "story": name},
                }
                rows.append(json.dumps(row) + "\n")
    (target / "manifest.jsonl").write_text("".join(rows), encoding="utf-8")


def freeze(target: Path) -> None:
    """Score every output of the manifest and write the rewards to `expected.json`, for people to review."""
    import adjudge

    rows = [json.loads(line) for line in (target / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    rewards = {
        row["output"]: adjudge.score(target / row["task"], target / row["output"]).reward for row in rows
    }
    (target / "expected.json").write_text(json.dumps(rewards, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for agent in MODELS:
        shutil.rmtree(OUTPUTS / agent, ignore_errors=True)
    OUTPUTS.mkdir(exist_ok=True)
    write_outputs(OUTPUTS)
    if sys.argv[1:] == ["--freeze"]:
        freeze(OUTPUTS)
