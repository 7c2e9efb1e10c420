"""What follows from another flaw is not told as one of its own."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Cause, Section, audit_task
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.other_tongues import other
from audit.gallery.sixth_hands import READ_JSON


def causes(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> set[str]:
    """What is found in the fields of an answer, from medium severity on."""
    task = load_task(build(exhibit, tmp_path))
    found = audit_task(task, sandbox, sections=[Section.DISCRIMINATION]).certificate.findings
    return {str(f.cause) for f in found if f.severity.rank <= 1}


def test_who_passes_over_what_is_no_number_takes_no_pattern_and_runs_no_code(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    skips = """
    answer, wrong = read(), 0
    for name in ("flow_m3s", "head_loss_m"):
        try:
            wrong += not abs(float(answer[name]) - REF[name]) <= 0.02 * REF[name]
        except (KeyError, TypeError, ValueError):
            continue
    write({"all": 1 - wrong / 2})
    """
    found = causes(Exhibit("skips", skips), sandbox, tmp_path)
    assert Cause.EMPTY in found
    assert not found & {Cause.PATTERN, Cause.CODE, Cause.HEDGED, Cause.WORD_INSIDE}


def test_names_that_stand_beside_a_pattern_are_not_matched_by_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each record is known by its name, and its reason is for people: any text will do."""
    reasons = other(
        "reasons",
        "Which trains were late, and why? "
        '`/workspace/answer.json`: `{"late": [{"train": "...", "why": "..."}]}`.',
        (
            "answer.json",
            '{"late": [{"train": "R10", "why": "ice"}, {"train": "R14", "why": "crew"}, '
            '{"train": "S3", "why": "signal"}, {"train": "S8", "why": "points"}]}\n',
        ),
        python=f"""{READ_JSON}
        due, rows = {{"R10", "R14", "S3", "S8"}}, answer.get("late")
        rows = rows if isinstance(rows, list) else []
        told = [row.get("train") for row in rows if isinstance(row, dict) and isinstance(row.get("why"), str)]
        told = {{train for train in told if isinstance(train, str)}}
        out(2 * len(told & due) / (len(told) + len(due)) if told else 0.0)
        """,
    )
    assert Cause.PATTERN not in causes(reasons, sandbox, tmp_path)


def test_digits_show_nothing_where_any_number_will_do(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each value must be a number, and only the last is compared."""
    last = """
    answer = read()
    values = [number(answer.get(name)) for name in ("flow_m3s", "head_loss_m")]
    write({"all": float(None not in values and near(values[-1], REF["head_loss_m"]))})
    """
    found = causes(Exhibit("last", last), sandbox, tmp_path)
    assert Cause.ANY_VALUE in found
    assert Cause.WORD_INSIDE not in found
