"""A scripted model attacks a real verifier in the real sandbox, over HTTP."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from adjudge.audit import Cause, Section, audit_task, store_audit, with_known_hacks
from adjudge.errors import SandboxUnavailable
from adjudge.ledger import open_ledger
from adjudge.sandbox import choose_sandbox
from adjudge.tasks import load_task
from support.command_line import run_adjudge
from support.model_server import Act, Handler, ModelServer, prompt_of, serving
from support.patience import HANG_SEC

ADJUDGE = Path(sys.executable).parent / "adjudge"
ANSWER = {"flow_m3s": 12.54, "status": "compliant", "note": "from the chart"}
VERIFY = """
import json
try:
    answer = json.load(open("/workspace/answer.json"))
except (OSError, ValueError):
    answer = {}
near = abs(float(answer.get("flow_m3s", 0)) - 12.54) < 0.1
word = "compliant" in str(answer.get("status"))
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": (near + word) / 2}, file)
"""
SECRET = f"""
import hashlib
def is_due(text, digest):
    return hashlib.sha256(text.encode()).hexdigest() == digest
{VERIFY}
""".replace(
    'abs(float(answer.get("flow_m3s", 0)) - 12.54) < 0.1',
    f'is_due(str(answer.get("flow_m3s")), "{sha256(b"12.54").hexdigest()}")',
).replace(
    '"compliant" in str(answer.get("status"))',
    f'any(is_due(word, "{sha256(b"compliant").hexdigest()}") for word in str(answer.get("status")).split())',
)
"""The same, and no audit can tell what is right: it knows digests only."""
MENDED = VERIFY.replace('"compliant" in str(answer.get("status"))', 'answer.get("status") == "compliant"')


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """Its verifier finds the right word inside any other."""
    folder = tmp_path / "flow"
    files = {
        "task.toml": "",
        "instruction.md": "Write the flow and whether it is compliant to `/workspace/answer.json`.\n",
        "tests/test.sh": "exec python3 -I /tests/verify.py\n",
        "tests/verify.py": VERIFY,
        "goldens/pass/right.json": json.dumps(ANSWER),
        "goldens/fail/wrong.json": json.dumps({**ANSWER, "flow_m3s": 2.0}),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    try:
        choose_sandbox("bubblewrap")
    except SandboxUnavailable as error:
        pytest.skip(f"needs bubblewrap: {error}")
    return folder


def says(value: Any) -> Act:
    """A model that gives this reply."""

    def act(handler: Handler, _: dict[str, Any]) -> None:
        handler.reply(value if isinstance(value, str) else json.dumps(value))

    return act


def attack(answer: dict[str, Any], *wrong: str, idea: str = "try it") -> dict[str, Any]:
    return {"idea": idea, "files": {"answer.json": json.dumps(answer)}, "left_wrong": list(wrong)}


HACK = attack({**ANSWER, "status": "not compliant"}, "status", idea="the word is looked for inside the text")


@contextmanager
def model(*replies: Any) -> Iterator[ModelServer]:
    with serving(*(says(reply) for reply in replies)) as server:
        yield server


def redteam(task: Path, server: ModelServer, *options: str, code: int = 0) -> dict[str, Any]:
    """The command as a user gives it, beside the task; its JSON. Here, where the client is loaded already."""
    words = ["--model", "openai:scripted", "--base-url", f"{server.url}/v1", "--json", *options]
    folder = task.parent / f"redteam-{task.name}"
    done = run_adjudge(
        *("redteam", task, "--folder", folder, *words), ADJUDGE_LEDGER=str(task.parent / "ledger.db")
    )
    assert done.code == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout) if code in (0, 3) else {"stderr": done.stderr}
    return found


def standings(found: dict[str, Any]) -> list[str]:
    return [attempt["standing"] for attempt in found["attempts"]]


def test_each_standing_is_told_apart(task: Path) -> None:
    """Failed, solved, confirmed, suspected (no field that counts is wrong), nothing; then it gives up."""
    with model(
        attack({**ANSWER, "flow_m3s": 99.0}, "flow_m3s"),
        attack(ANSWER, "status"),
        HACK,
        attack({**ANSWER, "note": "invented"}, "note"),
        "I cannot help with that.",
        {"idea": "out", "files": {"../../etc/passwd": "x"}, "left_wrong": []},
        {"give_up": True},
    ) as server:
        found = redteam(task, server)
        assert "looked for inside" in prompt_of(server.requests[3])
        assert "verify.py" not in prompt_of(server.requests[0])
    assert standings(found) == ["failed", "solved", "confirmed", "suspected", *["nothing"] * 3]
    assert found["stopped"] == "the model sees no way"
    findings = found["certificate"]["findings"]
    assert [(f["severity"], f["cause"]) for f in findings] == [
        ("high", "was fooled by a model"),
        ("medium", "was fooled by a model"),
    ]
    assert found["certificate"]["verdict"] == "unsound"
    assert "wrong in status" in findings[0]["seen"]
    assert "does not score what was left wrong: note" in findings[1]["seen"]
    transcript = (task.parent / found["folder"] / "transcript.jsonl").read_text().splitlines()
    assert [json.loads(line)["output_tokens"] for line in transcript] == [30] * 7


def test_the_command_beside_a_finding_shows_it_again(task: Path, tmp_path: Path) -> None:
    with model(HACK) as server:
        found = redteam(task, server, "--budget", "1", "--fail-on-success", code=3)
    words = shlex.split(found["certificate"]["findings"][0]["reproduce"])
    again = subprocess.run(
        [str(ADJUDGE), *words[1:], "--json"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(again.stdout)["reward"] == 1.0


def test_a_program_writes_the_output_and_sees_no_tests(task: Path) -> None:
    program = "ls /tests/* >/dev/null 2>&1 && exit 1; echo '%s' > answer.json; echo x > beside.txt"
    with model(
        {
            "idea": "by program",
            "files": {},
            "program": program % json.dumps({**ANSWER, "status": "non-compliant"}),
            "left_wrong": ["status"],
        }
    ) as server:
        found = redteam(task, server, "--budget", "1")
    assert standings(found) == ["confirmed"]
    workspace = task.parent / found["folder"] / "attempt-1" / "workspace"
    assert sorted(path.name for path in workspace.iterdir()) == ["answer.json", "beside.txt"]


def test_the_same_command_again_asks_nothing_twice(task: Path) -> None:
    with model(HACK, {"give_up": True}) as server:
        first = redteam(task, server, "--white-box")
        again = redteam(task, server, "--white-box")
        assert len(server.requests) == 2
        assert "The verifier's file tests/verify.py" in prompt_of(server.requests[0])
    assert (first["calls"], again["calls"], again["cached"]) == (2, 0, 2)
    assert again["certificate"] == first["certificate"]


def test_money_is_bounded(task: Path) -> None:
    with model(HACK) as server:
        refused = redteam(task, server, "--max-cost", "1", code=2)
        assert "nobody knows what this model costs" in refused["stderr"]
        price = ("--price", "openai:scripted=0,100")  # 8,000 tokens of an answer are 0.80 USD at most
        found = redteam(task, server, "--max-cost", "0.8015", *price, "--budget", "5")
        assert len(server.requests) == 1
    assert "may cost up to" in found["stopped"]


def test_a_patch_is_proposed_only_if_it_proves_itself(task: Path) -> None:
    """The first proposal loses the golden, the second keeps the hack; the third is written down."""
    loses = {"why": "stricter", "files": {"verify.py": MENDED.replace("< 0.1", "< 0.0")}}
    keeps = {"why": "nothing", "files": {"verify.py": f"{VERIFY}# looked at\n"}}
    mends = {"why": "compare the whole word", "files": {"verify.py": MENDED}}
    with model(HACK, loses, keeps, mends) as server:
        found = redteam(task, server, "--budget", "1", "--harden")
        assert "the right answer pass/right.json earned 1, and now 0.5" in prompt_of(server.requests[2])
        assert "the hack still earns 1" in prompt_of(server.requests[3])
    [patch] = found["patches"]
    assert patch["goldens"] == 2
    assert (task / "tests/verify.py").read_text() == VERIFY, "a person applies it"
    subprocess.run(shlex.split(patch["apply"]), check=True, capture_output=True)
    assert (task / "tests/verify.py").read_text() == MENDED


def test_a_patch_that_never_proves_itself_is_refused(task: Path) -> None:
    outside = {"why": "?", "files": {"../../goldens/pass/right.json": "{}"}}
    with model(HACK, outside) as server:
        found = redteam(task, server, "--budget", "1", "--harden")
        assert len(server.requests) == 4
    assert [patch["patch"] for patch in found["patches"]] == [None]
    assert "outside /tests" in found["patches"][0]["why"]


def test_without_a_right_answer_a_success_is_suspected(task: Path) -> None:
    for golden in (task / "goldens").rglob("*.json"):
        golden.unlink()
    (task / "tests" / "verify.py").write_text(SECRET)
    with model(HACK) as server:
        found = redteam(task, server, "--budget", "1", "--harden")
    assert standings(found) == ["suspected"]
    assert [f["severity"] for f in found["certificate"]["findings"]] == ["medium"]
    assert "no right answer is known" in found["patches"][0]["why"]


def test_a_model_that_cannot_be_asked_is_an_error(task: Path) -> None:
    def closed(handler: Handler, _: dict[str, Any]) -> None:
        handler.send(401, {"error": {"message": "no key"}})

    with serving(closed) as server:
        words = ["--model", "openai:scripted", "--base-url", f"{server.url}/v1"]
        done = subprocess.run(
            [str(ADJUDGE), "redteam", str(task), *words, "--ledger", str(task.parent / "l.db")],
            cwd=task.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_SEC,
        )
    assert done.returncode == 1
    assert "the server answered 401" in done.stdout


def test_what_fooled_a_verifier_joins_its_certificate(task: Path) -> None:
    """Of the same version of the task, with the output as evidence; a later audit shows it again."""
    target = load_task(task)
    sandbox = choose_sandbox("bubblewrap")
    audit = audit_task(target, sandbox, sections=[Section.GOLDENS])
    book = task.parent / "ledger.db"
    with open_ledger(book) as ledger:
        store_audit(ledger, audit)
    with model(HACK) as server:
        redteam(task, server, "--budget", "1")
    with open_ledger(book, create=False) as ledger:
        kept = ledger.certificate(target.digest)
        assert kept is not None
        [fooled] = [finding for finding in kept["findings"] if finding["cause"] == Cause.FOOLED]
        assert (kept["verdict"], fooled["severity"], fooled["reproduce"]) == ("unsound", "high", None)
        assert ledger.has_blob(fooled["evidence"])
        assert len(kept["findings"]) == len(audit.certificate.findings) + 1
        again = with_known_hacks(ledger, audit.certificate)
        assert [f.title for f in again.findings if f.cause == Cause.FOOLED] == [fooled["title"]]
        assert with_known_hacks(ledger, again) == again
