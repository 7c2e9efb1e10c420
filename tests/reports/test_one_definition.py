"""One number, one definition: terminal, JSON, HTML, gate, compare and export agree to the last digit."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import adjudge
from adjudge.reports.rendering.html.page import unpack
from adjudge.stats import TrialTable, mean_reward
from support.command_line import run_adjudge
from support.report_ledgers import TWO_AGENTS, make


class _Page(HTMLParser):
    """The rows of the headline table by agent, and the packed data."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.tips: list[str] = []
        self.packed: dict[str, str] = {}
        self._row: str | None = None
        self._script: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "tr":
            self._row = found.get("data-name")
        if tag == "td" and self._row and "big" in (found.get("class") or ""):
            self.values[self._row] = found.get("data-v") or ""
        if found.get("data-tip"):
            self.tips.append(found["data-tip"] or "")
        self._script = found.get("id") if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script:
            self.packed[self._script] = json.loads(data)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return make(tmp_path / "ledger.db", TWO_AGENTS)


def test_every_face_shows_the_same_numbers(ledger: Path, tmp_path: Path) -> None:
    plain = json.loads(run_adjudge("report", "--ledger", ledger, "--format", "json").stdout)
    page_file = tmp_path / "report.html"
    assert run_adjudge("report", "--ledger", ledger, "-o", page_file).code == 0
    page = _Page()
    page.feed(page_file.read_text(encoding="utf-8"))
    terminal = run_adjudge("report", "--ledger", ledger, COLUMNS="120").stdout
    markdown = run_adjudge("report", "--ledger", ledger, "--format", "md").stdout
    compared = json.loads(run_adjudge("compare", "ant", "bee", "--ledger", ledger, "--format", "json").stdout)
    gated = run_adjudge(
        *("gate", "--ledger", ledger, "--by", "agent", "--baseline", "bee", "--candidate", "ant"),
        *("--format", "json"),
    )
    table = adjudge.frame(ledger).to_pylist()

    assert unpack(page.packed["data-report"]) == plain  # the page carries the very same data
    for group in plain["groups"]:
        reward = group["reward"]
        assert float(page.values[group["name"]]) == reward["value"]
        shown = f"{reward['value']:.3f} [{reward['interval']['low']:.3f}, {reward['interval']['high']:.3f}]"
        assert shown in terminal
        assert shown in markdown
        assert any(shown in tip for tip in page.tips)
        ranked = {a["agent"]: a["reward"] for a in compared["ranking"]}
        assert ranked[group["name"]] == reward
        rows = [row for row in table if row["agent"] == group["name"]]
        again = mean_reward(
            TrialTable.of(
                [row["task"] for row in rows],
                [row["reward"] for row in rows],
                status=[0 if row["verifier_completed"] else 2 for row in rows],
            )
        )
        assert again.model_dump(mode="json") == reward
    verdict = json.loads(gated.stdout)["verdict"]
    assert verdict["comparison"] == compared["pairs"][0]["comparison"]


def test_export_formats_agree(ledger: Path, tmp_path: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    rewards = []
    for ending in ("parquet", "csv", "jsonl"):
        target = tmp_path / f"trials.{ending}"
        assert run_adjudge("export", "trials", target, "--ledger", ledger).code == 0
        if ending == "parquet":
            rows = pyarrow.parquet.read_table(target).to_pylist()
        elif ending == "csv":
            rows = pyarrow.csv.read_csv(target).to_pylist()
        else:
            rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
        rewards.append({row["trial_id"]: row["reward"] for row in rows})
    assert rewards[0] == rewards[1] == rewards[2]
    assert len(rewards[0]) == 16


def test_no_statistic_is_computed_outside_stats() -> None:
    """Reports count and sum money; whatever has a standard error comes from `adjudge.stats`."""
    folder = Path(adjudge.__file__).parent / "reports"
    computed = re.compile(r"np\.(mean|std|var|median|percentile|quantile)\(|statistics\.|scipy")
    assert [p.name for p in folder.glob("*.py") if computed.search(p.read_text(encoding="utf-8"))] == []
