"""`adjudge export trials` and `fields`: whole tables, types kept, unknown is null."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import adjudge
from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.errors import printable
from adjudge.ledger import open_ledger
from adjudge.reports.models.tables import COLUMNS, FIELD_COLUMNS, TRIAL_COLUMNS
from support.command_line import run_adjudge
from support.report_ledgers import HOSTILE, TWO_AGENTS, make
from support.trial_samples import annotation, trial

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = make(tmp_path / "ledger.db", TWO_AGENTS)
    with open_ledger(path) as opened:
        tag = ErrorTag(category="unit mismatch", source=ErrorSource.MECHANICAL)
        entry = trial(
            99,
            tags=[tag],
            reward=0.1 + 0.2,
            metadata={"k": HOSTILE, "n": 1},
            task_id="z/1",
            agent_name=HOSTILE,
        )
        opened.record([entry])
        opened.annotate(entry.record.trial_id, annotation("ada", "pass"))
    return path


def test_parquet_keeps_types(ledger: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.parquet"
    assert "17 rows written" in run_adjudge("export", "trials", target, "--ledger", ledger).stdout
    table = pq.read_table(target)
    assert table.column_names == [column.name for column in TRIAL_COLUMNS]
    assert table.schema.field("reward").type == pa.float64()
    assert table.schema.field("scored_at").type == pa.timestamp("us", tz="UTC")
    assert table.schema.field("tags").type == pa.list_(pa.string())
    assert table.schema.field("exit_code").type == pa.int64()
    assert table.schema.field("disagreement").type == pa.bool_()
    row = table.to_pylist()[-1]
    assert row["reward"] == 0.30000000000000004
    assert row["tags"] == ["unit mismatch"]
    assert row["agent"] == HOSTILE
    assert json.loads(row["metadata"]) == {"k": HOSTILE, "n": 1}
    assert row["disagreement"] is True  # ada says pass, the reward is 0.3
    assert row["scored_at"] == datetime(2026, 3, 1, 12, 1, 39, tzinfo=UTC)
    assert row["agent_sec"] is None


def test_csv_and_jsonl_say_the_same(ledger: Path, tmp_path: Path) -> None:
    for ending in ("csv", "jsonl"):
        assert run_adjudge("export", "trials", tmp_path / f"t.{ending}", "--ledger", ledger).code == 0
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    objects = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [float(row["reward"]) for row in rows] == [o["reward"] for o in objects]
    assert objects[-1]["agent"] == HOSTILE
    assert rows[-1]["agent"] == printable(HOSTILE)  # CSV has no escapes that a reader undoes
    assert rows[-1]["agent_sec"] == ""
    assert objects[-1]["agent_sec"] is None
    assert json.loads(rows[-1]["tags"]) == objects[-1]["tags"]
    assert objects[-1]["metadata"] == {"k": HOSTILE, "n": 1}
    assert rows[-1]["scored_at"] == objects[-1]["scored_at"] == "2026-03-01T12:01:39Z"


def test_one_row_a_field(ledger: Path) -> None:
    """Sixteen trials have a breakdown of one field; the machinery failure has none."""
    done = run_adjudge("export", "fields", "-", "--format", "jsonl", "--ledger", ledger)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 16
    assert list(rows[0]) == [column.name for column in FIELD_COLUMNS]
    assert (rows[0]["field"], rows[0]["share"], rows[0]["max_score"]) == ("value", 1.0, 1.0)


def test_a_filter_applies_and_no_match_is_a_table_without_rows(ledger: Path, tmp_path: Path) -> None:
    run_adjudge("export", "trials", tmp_path / "b.parquet", "--agent", "bee", "--ledger", ledger)
    assert pq.read_table(tmp_path / "b.parquet").num_rows == 8
    run_adjudge("export", "trials", tmp_path / "n.parquet", "--agent", "dog", "--ledger", ledger)
    assert pq.read_table(tmp_path / "n.parquet").num_rows == 0


def test_the_frame_is_the_same_table(ledger: Path, tmp_path: Path) -> None:
    run_adjudge("export", "trials", tmp_path / "t.parquet", "--ledger", ledger)
    assert adjudge.frame(ledger).to_pylist() == pq.read_table(tmp_path / "t.parquet").to_pylist()
    where = adjudge.TrialFilter(agent=("bee",))
    assert adjudge.frame(ledger, level="field", where=where).num_rows == 7


def test_a_name_without_a_format_is_refused_and_nothing_is_left_behind(ledger: Path, tmp_path: Path) -> None:
    done = run_adjudge("export", "trials", tmp_path / "t.xlsx", "--ledger", ledger)
    assert done.code == 2
    assert "allowed: .parquet, .csv or .jsonl" in done.stderr
    assert run_adjudge("export", "trials", "-", "--ledger", ledger).code == 2
    assert run_adjudge("export", "trials", tmp_path, "--format", "csv", "--ledger", ledger).code == 2
    folder = tmp_path / "none" / "t.csv"
    assert run_adjudge("export", "trials", folder, "--ledger", ledger).code == 2
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".t")]


@pytest.mark.parametrize("level", ["trial", "field"])
def test_every_column_is_documented(level: str) -> None:
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    for column in COLUMNS[level]:  # type: ignore[index]
        assert f"| `{column.name}` | {column.kind} | {column.meaning} |" in page
