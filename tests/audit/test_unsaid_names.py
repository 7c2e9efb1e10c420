"""Names that the task never says: which of a right answer's an agent could not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit.documents import open_document
from adjudge.audit.sections.layouts.unsaid import unsaid_names
from adjudge.tasks import load_task

BEAM = '{"reaction_kn": 18.6, "moment_knm": 27.9, "verdict": "ok"}'


def tried(folder: Path, instruction: str, answer: str, **files: str) -> list[str]:
    """The names of the rewritings that are tried."""
    for name, text in {"instruction.md": instruction, "tests/test.sh": "true\n", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    task = load_task(folder)
    document = open_document(answer.encode(), task.output.format)
    return [made.name for made in unsaid_names(task, (), answer, document)]


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Give reaction_kn and moment_knm in `/workspace/beam.json`.", ["unsaid-keys"]),
        ("Give reaction_kn, moment_knm and a verdict in `/workspace/beam.json`.", []),
        ("Give reaction_kn, moment_knm and what the verdicts are in `/workspace/beam.json`.", []),
        ("Fill in the form of `/workspace/form.md`; `/workspace/beam.json` is yours: reaction_kn.", []),
        ("reaction_kn, moment_knm in `/workspace/beam.json`, see https://example.org/form.", []),
        ("reaction_kn, moment_knm: GeoJSON in `/workspace/beam.json`.", []),
        ("Write `/workspace/beam.json`.", []),
    ],
    ids=["one", "said", "in-another-form", "elsewhere", "address", "standard", "all"],
)
def test_keys(instruction: str, names: list[str], tmp_path: Path) -> None:
    assert tried(tmp_path, instruction, BEAM) == names


def test_keys_that_an_input_has(tmp_path: Path) -> None:
    instruction = "Give reaction_kn and moment_knm in `/workspace/beam.json`."
    assert tried(tmp_path, instruction, BEAM, **{"environment/old.csv": "beam,verdict\nA,ok\n"}) == []


def test_days_of_the_week(tmp_path: Path) -> None:
    instruction = "From Mon to Wed: write `/workspace/rota.json` with early and late for each."
    answer = (
        '{"Mon": {"early": 1, "late": 2}, "Tue": {"early": 1, "late": 2}, "Wed": {"early": 2, "late": 1}}'
    )
    assert tried(tmp_path, instruction, answer) == []


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Write `/workspace/memo.md`: a recommendation, and the risks.", ["unsaid-headings"]),
        ("Write `/workspace/memo.md`: a recommendation, and risks with mitigations.", []),
        ("Write `/workspace/memo.md`.", []),
    ],
)
def test_headings(instruction: str, names: list[str], tmp_path: Path) -> None:
    memo = "# Memo\n\n## Recommendation\n\nTake it.\n\n## Risks and mitigations\n\n- One.\n"
    assert tried(tmp_path, instruction, memo) == names


FANS = '[{"fan": "east", "rpm": 2210}, {"fan": "hall", "rpm": 1500}, {"fan": "west", "rpm": 1480}]'


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Of west, hall, roof and east, which are fast? `/workspace/fans.json`: fan, rpm.", ["unsaid-order"]),
        ("Of west, hall and east, which are fast? Sorted by fan: `/workspace/fans.json`: fan, rpm.", []),
        ("Of west, hall and east, the fastest first: `/workspace/fans.json`: fan, rpm.", []),
        ("Of east, hall and west, which are fast? `/workspace/fans.json`: fan, rpm.", []),
        ("Of west and hall, which are fast? `/workspace/fans.json`: fan, rpm.", []),
    ],
    ids=["unsaid", "sorted", "ranked", "as-given", "not-all-told"],
)
def test_orders(instruction: str, names: list[str], tmp_path: Path) -> None:
    assert tried(tmp_path, instruction, FANS) == names


def test_a_comment_in_settings_is_no_name_of_theirs(tmp_path: Path) -> None:
    instruction = "Memory and slow queries: write `/workspace/db.txt` with work_mem and log_min_duration."
    settings = "# memory\nwork_mem = 20\n# diagnostics\nlog_min_duration = 500\n"
    assert tried(tmp_path, instruction, settings) == []
