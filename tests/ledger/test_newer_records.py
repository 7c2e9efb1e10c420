"""A record that only a newer adjudge can read is named, with what to do; it is no bug and no traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

from adjudge.errors import LedgerError
from adjudge.ledger import open_ledger
from support.trial_samples import trial


def test_a_field_that_this_version_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newer version keeps one thing more about a verifier's run."""

    def of_tomorrow(*arguments: Any, **options: Any) -> bytes:
        return to_json(*arguments, **options).replace(b'"backend":', b'"of_tomorrow":1,"backend":')

    with open_ledger(tmp_path / "a.db") as ledger:
        ledger.record([trial(0)])
        with monkeypatch.context() as newer:
            newer.setattr("adjudge.ledger.writing.documents.to_json", of_tomorrow)
            ledger.record([trial(1)])
        with pytest.raises(LedgerError, match=r"run\.of_tomorrow.*cannot be read by this version.*upgrade"):
            list(ledger.iterate())
        assert ledger.count() == 2
        assert ledger.verify().intact
