"""schemathesis asks the API what its OpenAPI document allows, and more: no 500, nothing undocumented."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from adjudge.ledger import open_ledger
from support.report_ledgers import make_full
from support.task_folders import write_task
from support.web_site import serving, settings

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.app
def test_nothing_undocumented_and_no_server_error(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks" / "good")
    with (
        open_ledger(make_full(tmp_path / "ledger.db")) as ledger,
        serving(ledger, settings(tasks=tmp_path / "tasks")) as address,
    ):
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/api/v1/openapi.json"),
            *(
                "--checks",
                CHECKS,
                "--max-examples",
                "6",
                "--seed",
                "1",
                "--phases",
                "examples,coverage,fuzzing",
            ),
            *("--suppress-health-check", "all", "--request-timeout", "60", "--no-color"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert httpx.get(f"{address}/api/v1/health").status_code == 200


def test_the_document_describes_the_api_and_no_page(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger, serving(ledger) as address:
        document = httpx.get(f"{address}/api/v1/openapi.json").json()
    assert all(path.startswith("/api/v1/") for path in document["paths"])
    assert {"/api/v1/trials", "/api/v1/score", "/api/v1/report", "/api/v1/metrics"} <= set(document["paths"])
    names = {p["name"] for p in document["paths"]["/api/v1/trials"]["get"]["parameters"]}
    from adjudge.ledger import TrialFilter

    assert set(TrialFilter.model_fields) <= names
