"""A ledger that is taken away while it is served: what people send is refused and kept by them, not lost."""

from __future__ import annotations

from pathlib import Path

from support.trial_samples import trial
from support.web_site import asking


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
