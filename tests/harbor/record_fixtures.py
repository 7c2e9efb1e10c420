"""Record the job folders in tests/integrations/fixtures/harbor by really running Harbor.

    .venv-harbor/bin/python tests/harbor/record_fixtures.py [NAME...]

Each job runs in a scratch folder with relative paths. What is kept is what Harbor wrote, less the
places of this machine: the scratch folder, the installed packages and the interpreter become fixed names.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
FIXTURES = TESTS / "integrations" / "fixtures" / "harbor"
HARBOR = Path(sys.executable).with_name("harbor")
ENVIRONMENT = "adjudge.integrations.harbor:BubblewrapEnvironment"
AGENTS = "harbor_agents"
sys.path.insert(0, str(TESTS))

from integrations.harbor_rows import DEEP_NEST, HUGE_INTEGER, ROWS, Row  # noqa: E402


def write_task(root: Path, name: str, test: str, *, solve: str = "true", toml: str = "") -> Path:
    """A task in Harbor's layout: a plain base, a verifier, a reference solution."""
    task = root / name
    for folder in ("tests", "solution", "environment"):
        (task / folder).mkdir(parents=True)
    (task / "task.toml").write_text(
        toml
        or '[metadata]\ndifficulty = "easy"\n[verifier]\ntimeout_sec = 30.0\n[agent]\ntimeout_sec = 30.0\n'
    )
    (task / "instruction.md").write_text(f"The task {name}. Write the answer to /app/answer.json.\n")
    (task / "environment" / "Dockerfile").write_text("FROM ubuntu:24.04\nWORKDIR /app\n")
    (task / "tests" / "test.sh").write_text(f"#!/bin/bash\n{test}\n")
    (task / "solution" / "solve.sh").write_text(f"#!/bin/bash\n{solve}\n")
    return task


def write_row_task(root: Path, row: Row) -> None:
    """The verifier copies the row's content, byte for byte, to where the reward belongs."""
    special = {
        "folder": "mkdir /logs/verifier/reward.json; touch /logs/verifier/reward.json/inside",
        "missing": "true",
        "link": "cd /logs/verifier; echo '{\"reward\": 1}' > real.json; ln -s real.json reward.json",
    }
    copy = f"cp /tests/content /logs/verifier/{row.file}"
    if row.also_text is not None:
        copy += "; cp /tests/text /logs/verifier/reward.txt"
    task = write_task(root, row.name, special.get(row.name, copy))
    (task / "tests" / "content").write_bytes(row.content or b"")
    (task / "tests" / "text").write_bytes(row.also_text or b"")


def harbor(scratch: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(HARBOR), *arguments],
        cwd=scratch,
        env=environment(scratch),
        check=check,
        capture_output=True,
        text=True,
    )


def environment(scratch: Path) -> dict[str, str]:
    return {
        **{k: os.environ[k] for k in ("PATH", "HOME") if k in os.environ},
        "HARBOR_TELEMETRY": "0",
        "PYTHONPATH": str(Path(__file__).parent),
        "HOME": str(scratch),
    }


def run_job(scratch: Path, name: str, *arguments: str, check: bool = True) -> None:
    harbor(scratch, *run_arguments(name, *arguments), check=check)


def run_arguments(name: str, *arguments: str) -> list[str]:
    return ["run", "--env", ENVIRONMENT, "-o", "jobs", "--job-name", name, "-q", *arguments]


STEPS = """
[verifier]
timeout_sec = 30.0
[agent]
timeout_sec = 30.0
[[steps]]
name = "first"
[[steps]]
name = "second"
min_reward = 0.5
[[steps]]
name = "third"
"""
SEPARATE = """
artifacts = ["/app/answer.json"]
[verifier]
timeout_sec = 30.0
environment_mode = "separate"
"""


def multi_step(scratch: Path) -> None:
    for name, second in (("crashed-step", "exit 3"), ("good-steps", "echo 0.75 > /logs/verifier/reward.txt")):
        task = write_task(scratch / "tasks", name, "true", toml=STEPS)
        shutil.rmtree(task / "tests")
        rewards = {"first": "echo 1 > /logs/verifier/reward.txt", "second": second, "third": rewards_third()}
        for step, test in rewards.items():
            folder = task / "steps" / step
            (folder / "tests").mkdir(parents=True)
            (folder / "instruction.md").write_text(f"Step {step}.\n")
            (folder / "tests" / "test.sh").write_text(f"#!/bin/bash\n{test}\n")
    run_job(scratch, "multi-step", "-p", "tasks", "-a", "oracle")


def rewards_third() -> str:
    return "echo '{\"reward\": 0.5}' > /logs/verifier/reward.json"


def rewards(scratch: Path) -> None:
    for row in ROWS:
        write_row_task(scratch / "tasks", row)
    write_row_task(scratch / "tasks", Row("deep-nest", DEEP_NEST, None))
    run_job(scratch, "rewards", "-p", "tasks", "-a", "nop")
    for trial in (scratch / "jobs" / "rewards").glob("deep-nest__*"):
        (trial / "verifier" / "reward.json").write_text("the test writes 200 KB of brackets here\n")


def huge_integer(scratch: Path) -> None:
    write_row_task(scratch / "tasks", Row("digits-401", HUGE_INTEGER, None))
    run_job(scratch, "huge-integer", "-p", "tasks", "-a", "nop", check=False)


ANSWER = "echo '{\"voltage_drop_v\": 3.1}' > /app/answer.json"
GRADE = """
python3 - <<'END'
import json, pathlib
try:
    right = json.loads(pathlib.Path("/app/answer.json").read_text())["voltage_drop_v"] == 3.1
except (OSError, ValueError, KeyError):
    right = False
out = pathlib.Path("/logs/verifier")
out.joinpath("reward.json").write_text(json.dumps({"reward": 1.0 if right else 0.0}))
EXTRA
END
echo checked
"""
CTRF = """out.joinpath("ctrf.json").write_text(json.dumps({"results": {"tool": {"name": "pytest"}, "summary":
 {"tests": 2, "passed": 1 + right, "failed": 1 - right}, "tests": [{"name": "test_exists", "status": "passed",
 "duration": 1}, {"name": "test_value", "status": "passed" if right else "failed", "duration": 2,
 "message": "value"}]}}))"""
DETAILS = """out.joinpath("reward-details.json").write_text(json.dumps({"reward": {"score": 1.0 * right,
 "criteria": [{"name": "voltage", "value": 1.0 * right, "weight": 1.0, "raw": right}]}}))"""
OURS = """out.joinpath("details.json").write_text(json.dumps({"voltage_drop_v":
 {"score": 1.0 * right, "max_score": 1.0, "evidence": "compared"}}))"""


def agents(scratch: Path) -> None:
    """Oracle, nop and an agent with a model, tokens, cost and a trajectory; two attempts each."""
    for name, extra in (("with-ctrf", CTRF), ("with-reward-details", DETAILS), ("with-details", OURS)):
        write_task(scratch / "tasks", name, GRADE.replace("EXTRA", extra), solve=ANSWER)
    common = ("-p", "tasks", "-k", "2", "--artifact", "/app/answer.json")
    run_job(scratch, "oracle", *common, "-a", "oracle")
    run_job(scratch, "nop", *common, "-a", "nop")
    run_job(scratch, "priced", *common, "-a", f"{AGENTS}:PricedAgent", "-m", "acme/tiny-1")


def separate(scratch: Path) -> None:
    write_task(scratch / "tasks", "separate", GRADE.replace("EXTRA", OURS), solve=ANSWER, toml=SEPARATE)
    run_job(scratch, "separate", "-p", "tasks", "-a", "oracle")
    harbor(
        scratch,
        *("job", "regrade", "jobs/separate", "-p", "tasks", "--env", ENVIRONMENT, "-o", "jobs"),
        *("--job-name", "regraded"),
    )


def failures(scratch: Path) -> None:
    """Time-outs, an agent that raises, a verifier that is never run, a task our environment cannot serve."""
    slow = "[verifier]\ntimeout_sec = {verifier}\n[agent]\ntimeout_sec = {agent}\n"
    tasks = scratch / "tasks"
    good = "echo 1 > /logs/verifier/reward.txt"
    write_task(tasks, "verifier-timeout", f"{good}; sleep 60", toml=slow.format(verifier=1.5, agent=30))
    task = write_task(tasks, "needs-image", good)
    (task / "environment" / "Dockerfile").write_text("FROM node:22\nRUN npm install -g left-pad\n")
    run_job(scratch, "failures", "-p", "tasks", "-a", "oracle")
    shutil.rmtree(tasks)
    write_task(tasks, "plain", good, toml=slow.format(verifier=30, agent=1.5))
    run_job(scratch, "agent-raises", "-p", "tasks", "-a", f"{AGENTS}:RaisingAgent")
    run_job(scratch, "agent-timeout", "-p", "tasks", "-a", f"{AGENTS}:SlowAgent")
    run_job(scratch, "retried", "-p", "tasks", "-a", f"{AGENTS}:FlakyAgent", "-r", "2")
    run_job(scratch, "nan-verifier", "-p", "tasks", "-a", "nop", "--verifier", f"{AGENTS}:NanVerifier")


def killed(scratch: Path) -> None:
    """A job killed while one trial runs, one is done and one has not begun."""
    for name, solve in (("a-quick", "true"), ("b-slow", "sleep 60"), ("c-never", "true")):
        write_task(scratch / "tasks", name, "echo 1 > /logs/verifier/reward.txt", solve=solve)
    command = [str(HARBOR), *run_arguments("killed", "-p", "tasks", "-a", "oracle", "-n", "1")]
    with subprocess.Popen(
        command, cwd=scratch, env=environment(scratch), stdout=subprocess.DEVNULL
    ) as process:
        while not list(scratch.glob("jobs/killed/a-quick__*/result.json")):
            time.sleep(0.1)
        while not list(scratch.glob("jobs/killed/b-slow__*/config.json")):
            time.sleep(0.1)
        time.sleep(0.5)
        process.send_signal(signal.SIGKILL)


def old_version(scratch: Path) -> None:
    """Harbor 0.6.6, which read reward.txt first. HARBOR_066 names the folder of its unpacked wheel."""
    both = "echo 0 > /logs/verifier/reward.txt; echo '{\"reward\": 1}' > /logs/verifier/reward.json"
    write_task(scratch / "tasks", "both-files", both)
    write_task(scratch / "tasks", "txt-nan", "echo nan > /logs/verifier/reward.txt")
    write_task(scratch / "tasks", "json-only", "echo '{\"reward\": 0.5}' > /logs/verifier/reward.json")
    paths = os.pathsep.join((os.environ["HARBOR_066"], str(Path(__file__).parent)))
    arguments = ["run", "-p", "tasks", "-a", "nop", "-o", "jobs", "--job-name", "old-0.6.6"]
    arguments += ["--environment-import-path", "old_environment:OldEnvironment"]
    subprocess.run(
        [sys.executable, "-c", "from harbor.cli.main import app; app()", *arguments],
        cwd=scratch,
        env={**environment(scratch), "PYTHONPATH": paths},
        check=True,
        capture_output=True,
        text=True,
    )


RECORDINGS = {
    f.__name__: f
    for f in (rewards, huge_integer, multi_step, agents, separate, failures, killed, old_version)
}


def clean(text: str, scratch: Path) -> str:
    """Fixed names for the places of this machine."""
    text = text.replace(str(scratch), "/srv")
    text = re.sub(r"/[^\s\"']*?/site-packages/", "site-packages/", text)
    text = re.sub(r"/[^\s\"']*?/lib/python3\.\d+/", "python/", text)
    text = text.replace(str(TESTS), "tests").replace(str(TESTS.parent), "adjudge")
    return re.sub(r"/tmp/adjudge-session-\w+", "/session", text)


def keep(scratch: Path) -> None:
    for job in sorted((scratch / "jobs").iterdir()):
        target = FIXTURES / job.name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(job, target, symlinks=True)
        for file in target.rglob("*"):
            if file.suffix in (".json", ".txt", ".log") and file.is_file() and not file.is_symlink():
                data = file.read_bytes()
                try:
                    text = data.decode()
                except UnicodeDecodeError:
                    continue
                file.write_bytes(clean(text, scratch).encode())


def main() -> None:
    for name in sys.argv[1:] or RECORDINGS:
        with tempfile.TemporaryDirectory(prefix="harbor-") as folder:
            scratch = Path(folder).resolve()
            try:
                RECORDINGS[name](scratch)
            except subprocess.CalledProcessError as error:
                sys.exit(f"{name}: {error}\n{error.stdout[-3000:]}\n{error.stderr[-3000:]}")
            keep(scratch)
            print("recorded", name)


if __name__ == "__main__":
    main()
