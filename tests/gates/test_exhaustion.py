"""No output can exhaust the process that scores it, whatever its format does to a parser."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import adjudge
from adjudge import _confined
from adjudge._confined import Exhausted, confined
from adjudge.contracts import OutputFormat
from adjudge.errors import MachineryError
from adjudge.gates.examine import examine

ARGUMENTS = {"format": "yaml", "schema": None}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"a." * 20_000 + b"a = 1", OutputFormat.TOML),
        (b"x = {" + b"a." * 20_000 + b"a = 1}", OutputFormat.TOML),
        (b"a: " * 60_000, OutputFormat.YAML),
        (b"[" * 100_000, OutputFormat.YAML),
        (b"<a>" * 100_000, OutputFormat.XML),
        (b'<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>', OutputFormat.XML),
        (b"- " * 50_000, OutputFormat.YAML),
    ],
)
def test_what_would_exhaust_a_parser_is_unparseable_and_costs_this_process_nothing(
    data: bytes, kind: OutputFormat
) -> None:
    examine(b"", kind, None)  # the helper runs
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert examine(data, kind, None).unparseable is not None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024  # in kilobytes


def test_keys_whose_memory_grows_by_the_square_end_their_child_alone() -> None:
    """Many keys just below the limit of parts: more memory than the child has, within its time or not."""
    keys = b"".join(b"k%d." % n + b"a." * 190 + b"a = 1\n" for n in range(40_000))
    found = examine(keys, OutputFormat.TOML, None)
    assert found.unparseable is not None
    assert "takes more than 1024 MB of memory or 10 s of time" in found.unparseable
    assert examine(b"a = 1", OutputFormat.TOML, None).unparseable is None


def test_a_child_that_cannot_answer_is_exhausted() -> None:
    with pytest.raises(Exhausted, match="1024 MB of memory or 10 s"):
        confined("no.such.module:function", {}, b"")


def test_threads_ask_at_the_same_time() -> None:
    found: list[str | None] = []

    def ask(number: int) -> None:
        found.append(examine(b"a = %d" % number, OutputFormat.TOML, None).unparseable)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [None] * 20


def test_a_helper_that_is_gone_is_started_again() -> None:
    examine(b"a = 1", OutputFormat.TOML, None)
    assert _confined._helper is not None
    _confined._helper.process.kill()
    _confined._helper.process.wait()
    assert examine(b"a = 1", OutputFormat.TOML, {"type": "object"}).unparseable is None


BY_PATH_ONLY = """
import sys
sys.path[:] = {paths!r}
from adjudge.errors import MachineryError
from adjudge import _confined
from adjudge._confined import confined
print(confined("adjudge.gates.examine:examine_confined", {arguments!r}, b"a: 1")["unparseable"])
_confined._forget()
sys.path[:] = [entry for entry in sys.path if entry != {source!r}]
try: confined("adjudge.gates.examine:examine_confined", {arguments!r}, b"a: 1")
except MachineryError as error: print(error)
"""


def test_the_helper_finds_adjudge_where_its_caller_does_and_else_says_so() -> None:
    """A caller may know adjudge by `sys.path` alone. A helper that cannot start is no fault of the answer."""
    source = str(Path(adjudge.__file__).parents[1])
    paths = [*(entry for entry in sys.path if entry.startswith("/") and entry != source), source]
    code = BY_PATH_ONLY.format(paths=paths, source=source, arguments=ARGUMENTS)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.startswith("None\n"), done.stderr
    assert "the helper that parses outputs cannot be started" in done.stdout


def test_a_machine_that_gives_no_time_is_no_fault_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock runs out, and not the processor time."""
    monkeypatch.setattr(_confined, "_CLOCK_SEC", 0.0)
    monkeypatch.setattr(_confined, "_GRACE_SEC", 1.0)
    with pytest.raises(MachineryError, match="others keep this machine busy"):
        confined("time:sleep", {}, b"")
