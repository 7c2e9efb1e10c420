"""A machine without memory is told as such, in whatever words Python or an extension fails."""

from __future__ import annotations

import sys

import pytest

from adjudge import cli


@pytest.mark.parametrize(
    "raised",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        SystemError("error return without exception set"),
        ImportError("/x/_util_cy.so: failed to map segment from shared object"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_it_is_no_bug(
    raised: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: list[str]) -> int:
        raise raised

    monkeypatch.setattr(cli, "_run", fail)
    monkeypatch.setattr(sys, "argv", ["adjudge", "trials"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 1
    said = capsys.readouterr().err
    assert "no more memory or threads" in said
    assert "bug" not in said


def test_any_other_failure_is_called_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: list[str]) -> int:
        raise RuntimeError("what nobody thought of")

    monkeypatch.setattr(cli, "_run", fail)
    monkeypatch.setattr(sys, "argv", ["adjudge", "trials"])
    monkeypatch.delenv("ADJUDGE_TRACEBACK", raising=False)
    with pytest.raises(SystemExit):
        cli.main()
    assert "This is a bug in adjudge" in capsys.readouterr().err
