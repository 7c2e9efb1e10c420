"""A ledger that is taken away while it is served: what people send is refused and kept by them, not lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from adjudge.ledger.store import database
from support.patience import wait_until
from support.postgres import running_server
from support.trial_samples import trial
from support.web_site import asking, settings


def test_a_verdict_is_not_written_into_a_file_that_is_gone(tmp_path: Path) -> None:
    """SQLite would go on writing into the open file, and a restart would know nothing of it."""
    path, away = tmp_path / "l.db", tmp_path / "away.db"
    sent = {"judgment": "pass", "submission": "submission-1"}
    with asking(path) as (client, ledger):
        ledger.record([trial(n) for n in range(3)])
        client.get("/review")
        client.cookies.clear()
        path.rename(away)
        refused = client.post("/review/1", json=sent, headers={"accept": "application/json"})
        client.cookies.clear()
        assert refused.status_code == 503
        assert refused.json()["error"]["what"] == "the ledger's file is gone"
        assert not path.exists()
        away.rename(path)
        assert client.post("/review/1", json=sent).status_code == 200
        assert len([r for r in ledger.iterate() if r.evaluation.annotations]) == 1


def test_a_database_server_that_goes_away_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages and verdicts are refused meanwhile; the verdict that is sent once more is there once."""
    monkeypatch.setattr(database, "WAITS_SEC", (0.0,))  # else each asker waits a quarter of a minute for it
    monkeypatch.setenv("ADJUDGE_BLOBS", str(tmp_path / "blobs"))
    sent = {"judgment": "pass", "submission": "submission-1"}
    with running_server() as server:
        url = server.create_database()
        with open_ledger(url) as ledger:
            ledger.record([trial(n) for n in range(3)])
        alone = settings(round_size=1)  # so that no round is drawn in the background
        with asking(url, alone, accept="application/json") as (client, ledger):
            assert client.get("/review/next").json() == {"number": 1}
            client.cookies.clear()
            server.stop()
            for _ in range(3):
                assert client.post("/review/1", json=sent).status_code == 503
                refused = client.get("/trials")
                assert refused.status_code == 503
                assert refused.json()["error"]["what"]
            server.start()
            assert wait_until(lambda: client.post("/review/1", json=sent).status_code == 200)
            assert client.post("/review/1", json=sent).status_code == 200
            assert sum(len(ledger.annotations(r.trial_id)) for r in ledger.iterate()) == 1
            assert ledger.verify().intact
