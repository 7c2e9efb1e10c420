"""Every finding can be seen again by the command that is printed beside it, in any folder."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, run_again
from adjudge.audit.probes import Bench, Probe, Seen
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import build
from audit.gallery.flawed import FLAWED
from support.command_line import run_adjudge

_TRIED = {
    "absolute-tolerance": "trivial agents",
    "believes-a-reward": "exploits",
    "wrong-golden-passes": "goldens",
    "fence-in-capitals": "format",
}


@pytest.mark.parametrize("name", _TRIED)
def test_the_command_shows_the_same_elsewhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exhibit = next(exhibit for exhibit in FLAWED if exhibit.name == name)
    folder = build(exhibit, tmp_path / "tasks")
    done = run_adjudge("audit", folder, "--no-ledger", "--json", "--section", _TRIED[name])
    assert done.code == 0, done.stderr
    findings = [f for f in json.loads(done.stdout)["findings"] if f["probe"]]
    assert findings
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    for finding in findings[:2]:
        program, *arguments = shlex.split(finding["reproduce"])
        assert program == "adjudge"
        again = run_adjudge(*arguments, "--json")
        assert again.code == 0, again.stderr
        shown = json.loads(again.stdout)
        assert (shown["probe"], shown["reward"]) == (finding["probe"], finding["reward_after"])


def test_it_says_that_code_of_the_output_ran(tmp_path: Path) -> None:
    """The reward alone does not show it: the code does nothing but leave its mark."""
    exhibit = next(e for e in FLAWED if e.cause is Cause.IMPORTS)
    folder = build(exhibit, tmp_path)
    done = run_adjudge("audit", folder, "--reproduce", "exploits/planted-modules", "--no-ledger")
    assert done.code == 0, done.stderr
    assert "executed: code of the output ran inside the verifier" in done.stdout


def test_only_what_a_probe_follows_from_is_run_before_it(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the many that stand beside it none is; one that the audit has not is told by the names of all."""
    exhibit = next(exhibit for exhibit in FLAWED if exhibit.name == "absolute-tolerance")
    task = load_task(build(exhibit, tmp_path))
    runs: list[str] = []
    plain = Bench._one

    def noted(bench: Bench, probe: Probe) -> Seen:
        runs.append(probe.name)
        return plain(bench, probe)

    monkeypatch.setattr(Bench, "_one", noted)
    found = run_again(task, sandbox, "trivial/zeros", sections=[Section.TRIVIAL])
    assert isinstance(found, tuple)
    assert (found[1].name, found[2].claimed) == ("trivial/zeros", 1.0)
    assert runs[-1] == "trivial/zeros"
    assert len(runs) <= 5
    names = run_again(task, sandbox, "trivial/ones", sections=[Section.TRIVIAL])
    assert isinstance(names, list)
    assert "trivial/zeros" in names
