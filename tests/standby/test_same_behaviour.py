"""A command does with a resident process what it does without: streams, exit code, files, variables."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.doc_pages import ROOT
from support.patience import HANG_SEC, wait_until
from support.standby import PROGRAM, StandbyHome, children, command_of, waits

TASK = ROOT / "examples/tasks/electrical/voltage-drop"
RIGHT = TASK / "goldens/pass/reference.md"
TIMED = re.compile(rb"( +\w+,)? *\d+(\.\d+)? m?s\b|\"duration_ms\": \d+|\d+:\d\d:\d\d|\x1b\[K")
"""Also the blanks before the sandbox's name, which keep the end of a line with a duration in its column."""


def both(
    ready: StandbyHome, run: Callable[[bool], tuple[int, bytes, bytes]]
) -> tuple[tuple[int, bytes, bytes], tuple[int, bytes, bytes]]:
    """What it does without and with what stands by, apart from durations; the second was really served."""
    served = ready.served
    found = []
    for plain in (True, False):
        code, out, err = run(plain)
        found.append((code, TIMED.sub(b"", out), TIMED.sub(b"", err)))
    assert ready.served == served + 1
    return found[0], found[1]


def same(ready: StandbyHome, *words: object, **options: Any) -> tuple[int, bytes, bytes]:
    def run(plain: bool) -> tuple[int, bytes, bytes]:
        done = ready.run(*words, plain=plain, **options)
        return done.returncode, done.stdout, done.stderr

    without, with_it = both(ready, run)
    assert with_it == without
    return without


def test_scoring(ready: StandbyHome, tmp_path: Path) -> None:
    code, out, _ = same(ready, "score", TASK, RIGHT)
    assert (code, b"reward 1.00" in out) == (0, True)
    code, out, _ = same(ready, "score", TASK, tmp_path / "none.md", "--json")
    assert (code, json.loads(out)["reward"]) == (0, 0.0)
    assert same(ready, "score", TASK, TASK / "goldens/fail/prose.md", "--fail-under", 0.9)[0] == 3


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["run", "--help"],
        ["ledger", "info", "--help"],
        ["trials"],
        ["trials", "--json"],
        ["trials", "--agent", "nobody"],
        ["trials", "--no-such-option"],
        ["trials", "\udcff"],
        ["show", "t0000"],
        ["ledger", "info", "--json"],
        ["ledger", "verify"],
        ["ledger", "nothing"],
        ["report"],
        ["report", "--json"],
        ["export", "trials", "-", "--format", "csv"],
        ["check", "nowhere"],
        ["tasks", str(ROOT / "examples/tasks/electrical")],
        ["schema", "EvaluationResult"],
        ["plan"],
        ["ledger"],
        ["check", str(ROOT / "examples/tasks"), "--json"],
        ["compare"],
        ["gate", "--baseline", "agent=a", "--candidate", "agent=b"],
        ["tags"],
        ["report", "--format", "html"],
        ["traces", "search", "x"],
    ],
    ids=lambda words: ascii(" ".join(words)),
)
def test_reading(ready: StandbyHome, book: Path, words: list[str]) -> None:
    same(ready, *words, env={**ready.environment, "ADJUDGE_LEDGER": str(book)})


def test_how_deep_a_file_may_be_nested(ready: StandbyHome, tmp_path: Path) -> None:
    """Python counts its calls, those that a fork was made in among them."""
    task = tmp_path / "task"
    shutil.copytree(TASK, task)
    settings = (TASK / "task.toml").read_text()

    def is_too_deep(levels: int, **how: bool) -> bool:
        nested = "[" * levels + "]" * levels
        (task / "task.toml").write_text(settings.replace("[output]", f"nested = {nested}\n[output]", 1))
        return b"RecursionError" in ready.run("check", task, **how).stdout

    fits, fails = 100, 1000
    while fails - fits > 1:
        between = (fits + fails) // 2
        fits, fails = (fits, between) if is_too_deep(between, plain=True) else (between, fails)
    served = ready.served
    assert (is_too_deep(fits), is_too_deep(fails)) == (False, True)
    assert ready.served == served + 2


@pytest.mark.parametrize(
    "variables",
    [
        {"COLUMNS": "50"},
        {"NO_COLOR": "1", "FORCE_COLOR": "1"},
        {"FORCE_COLOR": "1"},
        {"TZ": "Asia/Kolkata"},
        {"ADJUDGE_LEDGER": "/nowhere/at/all.db"},
        {"ADJUDGE_LEDGER": "/proc/self/x"},
        {"TMPDIR": "/nowhere"},
        {"HUGE": "x" * 100_000, "ADJUDGE_LEDGER": "none.db"},
        {"PATH": ""},
    ],
    ids=" ".join,
)
def test_variables(ready: StandbyHome, book: Path, variables: dict[str, str]) -> None:
    same(ready, "trials", env={**ready.environment, "ADJUDGE_LEDGER": str(book), **variables})


def test_many_long_arguments(ready: StandbyHome, book: Path) -> None:
    words = [part for number in range(300) for part in ("--agent", f"{number}-" + "x" * 1000)]
    same(ready, "trials", "--ledger", book, *words)


def test_relative_paths_and_the_mode_of_what_is_written(
    ready: StandbyHome, book: Path, tmp_path: Path
) -> None:
    for name, mask in (("a", 0o077), ("b", 0o022), ("c", 0o002)):
        modes = []

        def run(plain: bool, name: str = name, mask: int = mask) -> tuple[int, bytes, bytes]:
            done = ready.run(
                *("ledger", "backup", f"{name}{plain}.db", "--ledger", book),
                plain=plain,
                cwd=tmp_path,
                umask=mask,
            )
            modes.append(stat.S_IMODE((tmp_path / f"{name}{plain}.db").stat().st_mode))  # noqa: B023
            return done.returncode, b"", b""

        both(ready, run)
        assert modes[0] == modes[1]


def test_a_folder_that_is_gone(ready: StandbyHome, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone}; rmdir {gone}; exec {PROGRAM} trials"
    results = []
    for off in ("0", "1"):
        done = subprocess.run(
            ["bash", "-c", script],
            env={**ready.environment, "ADJUDGE_STANDBY": off},
            capture_output=True,
        )
        gone.mkdir()
        results.append((done.returncode, done.stdout, done.stderr))
    assert results[0] == results[1]


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", ">/dev/full", "2>/dev/full", "</dev/full"])
@pytest.mark.parametrize("words", ["trials", "trials --json", "ledger info", "--help", "trials --nothing"])
def test_streams_that_are_closed_or_full(
    ready: StandbyHome, book: Path, words: str, redirection: str
) -> None:
    results = []
    for off in ("0", "1"):
        done = subprocess.run(
            ["bash", "-c", f"{PROGRAM} {words} {redirection}"],
            env={**ready.environment, "ADJUDGE_STANDBY": off, "ADJUDGE_LEDGER": str(book)},
            capture_output=True,
            timeout=HANG_SEC,
        )
        results.append((done.returncode, done.stdout, re.sub(rb"0x[0-9a-f]+", b"", done.stderr)))
    assert results[0] == results[1]


def test_a_reader_who_leaves_early(ready: StandbyHome, book: Path) -> None:
    script = f"set -o pipefail; {PROGRAM} export trials - --format csv --ledger {book} | head -1"

    def run(plain: bool) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            ["bash", "-c", script],
            env={**ready.environment, **({"ADJUDGE_STANDBY": "0"} if plain else {})},
            capture_output=True,
            timeout=HANG_SEC,
        )
        return done.returncode, done.stdout, done.stderr

    without, with_it = both(ready, run)
    assert with_it == without


def test_annotations_from_standard_input(ready: StandbyHome, tmp_path: Path) -> None:
    rows = b'{"trial_id": "nothing", "reviewer_id": "\xc3\xa4"}\nnot json\n'
    same(ready, "annotate", "import", "-", "--ledger", tmp_path / "none.db", stdin=None, input=rows)


def test_descriptors_that_a_shell_opens(ready: StandbyHome, book: Path, tmp_path: Path) -> None:
    """`<(command)` is a descriptor by its number; so may be any other."""
    row = '{"trial_id": "nothing", "reviewer_id": "me"}'
    for script in (
        f"{PROGRAM} annotate import <(echo '{row}') --ledger {tmp_path}/none.db",
        f"{PROGRAM} trials --ledger {book} -o /dev/fd/1",
        f"{PROGRAM} annotate import /dev/fd/7 --ledger {book} 7<<< '{row}'",
        f"{PROGRAM} annotate import /dev/fd/7 --ledger {book} 9>&1 7<<< '{row}' 8</dev/null",
        f"{PROGRAM} trials --ledger {book} {' '.join(f'{number}</dev/null' for number in range(3, 100))}",
    ):

        def run(plain: bool, script: str = script) -> tuple[int, bytes, bytes]:
            done = subprocess.run(
                ["bash", "-c", script],
                env={**ready.environment, **({"ADJUDGE_STANDBY": "0"} if plain else {})},
                capture_output=True,
                timeout=HANG_SEC,
            )
            return done.returncode, done.stdout, done.stderr

        without, with_it = both(ready, run)
        assert with_it == without


def test_a_terminal_is_one_with_its_width_and_colours(ready: StandbyHome, book: Path) -> None:
    environment = {
        **{name: value for name, value in ready.environment.items() if name != "COLUMNS"},
        "TERM": "xterm-256color",
        "ADJUDGE_LEDGER": str(book),
    }

    def run(plain: bool) -> tuple[int, bytes, bytes]:
        master, slave = pty.openpty()
        subprocess.run(["stty", "cols", "90", "rows", "20"], stdin=slave, check=True)
        process = subprocess.Popen(
            [PROGRAM, "report"],
            env={**environment, **({"ADJUDGE_STANDBY": "0"} if plain else {})},
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
            while part := os.read(master, 4096):
                shown += part
        os.close(master)
        # a line of progress comes with load, and goes
        return process.wait(), re.sub(rb"\r[^\r]*\x1b\[K", b"", shown), b""

    without, with_it = both(ready, run)
    assert b"\x1b[" in without[1]
    assert with_it == without


def test_a_command_and_the_programs_that_it_starts_are_as_they_would_be(
    ready: StandbyHome, tmp_path: Path
) -> None:
    """Signals, limits, rights, mask, folder and streams, as the system shows them while a verifier runs."""

    def become() -> None:
        os.umask(0o027)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})

    words = waits(tmp_path)
    server = ready.start()["process"]
    found = []
    for off in ("0", "1"):
        process = subprocess.Popen(
            [PROGRAM, *words],
            env={**ready.environment, "ADJUDGE_STANDBY": off},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=become,  # noqa: PLW1509 - no threads here
        )
        command = process.pid if off == "0" else command_of(server)
        assert wait_until(lambda command=command: "sleep" in names_below(command))  # type: ignore[misc]
        # other programs may only just have been started, or be about to end: those are told by chance
        found.append(
            [shown(command), *(shown(each) for each in children(command) if "sleep" in names_below(each))]
        )
        process.kill()
        process.wait()
    assert len(found[0]) > 1
    assert found[0] == found[1]


def names_below(process: int) -> list[str]:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        name = Path(f"/proc/{process}/comm").read_text().strip()
        return [name, *(below for child in children(process) for below in names_below(child))]
    return []


def shown(process: int) -> list[object]:
    at = Path(f"/proc/{process}")
    status = [line for line in (at / "status").read_text().splitlines() if line.startswith(_OF_STATUS)]
    streams = [os.readlink(at / "fd" / str(number)).partition("[")[0] for number in (0, 2)]  # noqa: PTH115
    return [status, (at / "limits").read_text(), (at / "cwd").readlink(), streams]


_OF_STATUS = ("Umask", "Groups", "SigBlk", "SigIgn", "SigCgt", "Cap", "NoNewPrivs", "Seccomp", "THP_enabled")


def test_commands_that_record(ready: StandbyHome, tmp_path: Path) -> None:
    """Half of the commands with, half without: one ledger, whole."""
    ledger = tmp_path / "ledger.db"
    from adjudge.ledger import open_ledger
    from support.trial_samples import trial

    with open_ledger(ledger) as book:
        one = trial(1)
        book.record(one)
    served = ready.served
    for number in range(6):
        done = ready.run(
            *("annotate", "add", one.record.trial_id, "--reviewer", f"r{number}", "--judgment", "pass"),
            *("--ledger", ledger),
            plain=bool(number % 2),
        )
        assert done.returncode == 0, done.stderr
    assert ready.served == served + 3
    verified = ready.run("ledger", "verify", "--json", "--ledger", ledger)
    assert verified.returncode == 0
    info = json.loads(ready.run("ledger", "info", "--json", "--ledger", ledger).stdout)
    assert info["annotations"] == 6
