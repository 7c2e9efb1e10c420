"""One result in a terminal: snapshots of what people read, at several widths, with and without Unicode."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from adjudge.contracts import (
    Annotation,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Interval,
    JudgeIdentity,
    Judgment,
    Limit,
    ValidityCheck,
    VerifierRun,
)
from adjudge.reports.rendering.terminal.canvas import Terminal, cells, cut, pad, wrap
from adjudge.reports.rendering.terminal.result import format_duration, format_score, render_result
from support.no_hang import no_hang

DETAILS: dict[str, Any] = {
    "voltage_drop_v": {"score": 1.0, "max_score": 1.0, "evidence": "within 2 % of reference"},
    "voltage_drop_pct": {
        "score": 0.0,
        "max_score": 1.0,
        "evidence": "76.0 for 0.76: percent given for fraction?",
    },
    "compliance": {"score": 1.0, "max_score": 1.0, "evidence": "exact match"},
}
RUN = VerifierRun(backend="bubblewrap", exit_code=0, duration_sec=0.031)


def result(reward: float = 0.67, breakdown: dict[str, Any] | None = None, **more: Any) -> EvaluationResult:
    validity = more.pop("validity", {})
    flags = {"output_parseable": True, "schema_valid": True, "verifier_completed": True, **validity}
    return EvaluationResult(
        reward=reward,
        validity=ValidityCheck(**flags),
        breakdown=DETAILS if breakdown is None else breakdown,
        **more,
    )


def view(
    what: EvaluationResult, run: VerifierRun = RUN, title: str = "electrical/voltage-drop", **terminal: Any
) -> str:
    return render_result(title, what, run, Terminal(**{"width": 72, "encoding": "ascii", **terminal}))


UNIT = ErrorTag(category="unit mismatch", source=ErrorSource.MECHANICAL)


def test_the_whole_view() -> None:
    assert view(result(error_taxonomy=[UNIT])) == (
        "electrical/voltage-drop                                      reward 0.67\n"
        "parseable yes   schema yes   verifier completed        bubblewrap, 31 ms\n"
        "voltage_drop_v    ##########  1.00  within 2 % of reference\n"
        "voltage_drop_pct  ..........  0.00  76.0 for 0.76: percent given for\n"
        "                                    fraction?\n"
        "compliance        ##########  1.00  exact match\n"
        "tags              unit mismatch (mechanical)\n"
    )


def test_blocks_in_a_unicode_terminal() -> None:
    assert "██████████  1.00" in view(result(), encoding="utf-8")
    assert "░░░░░░░░░░  0.00" in view(result(), encoding="utf-8")


def test_a_narrow_terminal_puts_the_evidence_below_and_keeps_names_whole() -> None:
    assert view(result(), width=40) == (
        "electrical/voltage-drop      reward 0.67\n"
        "parseable yes schema yes verifier\n"
        "completed\n"
        "bubblewrap, 31 ms\n"
        "voltage_drop_v\n"
        "               #####  1.00\n"
        "    within 2 % of reference\n"
        "voltage_drop_pct\n"
        "               .....  0.00\n"
        "    76.0 for 0.76: percent given for\n"
        "    fraction?\n"
        "compliance     #####  1.00\n"
        "    exact match\n"
    )


@pytest.mark.parametrize("width", [40, 47, 60, 72, 80, 110, 200])
@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_no_line_is_wider_than_the_terminal_and_every_character_can_be_shown(
    width: int, encoding: str
) -> None:
    """Long names, long words, wide characters, many tags, long streams."""
    breakdown = {
        "a_very_long_name_of_a_field_that_goes_on_and_on.and_on": {
            "score": 3,
            "max_score": 7,
            "evidence": "x" * 300,
        },
        "断面係数": {"score": 0.5, "evidence": "断面係数が違います。" * 20},
        "n/a": {"score": None},
    }
    tags = [ErrorTag(category="c" * 200, description="ü " * 100, source=ErrorSource.JUDGE)] * 3
    run = RUN.model_copy(
        update={"stdout": "o" * 500 + "\n" + "断" * 200, "stderr": "e\n" * 40, "exit_code": 1}
    )
    shown = view(
        result(0.4, breakdown, error_taxonomy=tags, validity={"errors": ["ö" * 500]}),
        run,
        title="t" * 300,
        width=width,
        encoding=encoding,
    )
    assert max(cells(line) for line in shown.splitlines()) <= width
    shown.encode(encoding)


def test_colour_changes_nothing_but_colour() -> None:
    plain = view(result(error_taxonomy=[UNIT]), encoding="utf-8")
    coloured = view(result(error_taxonomy=[UNIT]), encoding="utf-8", colour=True)
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_nothing_a_verifier_writes_reaches_the_terminal_raw() -> None:
    evil = "\x1b[2J\x1b]0;title\x07\r\u202eevil\u202c\x9b31m"
    tag = ErrorTag(category=f"c{evil}", description=evil, source=ErrorSource.MECHANICAL)
    run = RUN.model_copy(update={"stdout": f"{evil}\nline", "stderr": evil, "backend": f"b{evil}"})
    breakdown = {f"f{evil}": {"score": 1, "evidence": evil}}
    shown = view(
        result(1.0, breakdown, error_taxonomy=[tag], validity={"errors": [evil]}),
        run,
        title=evil,
        encoding="utf-8",
    )
    assert all(character.isprintable() for character in shown.replace("\n", ""))


@pytest.mark.parametrize(
    ("what", "run", "says"),
    [
        (
            result(0.0, {}, validity={"verifier_completed": False}),
            RUN,
            "machinery failed: this 0.0 says nothing",
        ),
        (result(0.0, {}, validity={"output_parseable": False}), RUN, "nothing usable"),
        (
            result(
                0.0,
                error_taxonomy=[
                    ErrorTag(category="verifier failure suspected", source=ErrorSource.MECHANICAL)
                ],
            ),
            RUN,
            "verifier failure suspected: read this reward with care",
        ),
        (
            result(0.0, {}, validity={"output_parseable": False}),
            VerifierRun(backend="not run"),
            "verifier not run\n",
        ),
        (result(), RUN.model_copy(update={"exit_code": 1}), "bubblewrap, 31 ms, exit 1"),
        (result(), RUN.model_copy(update={"limits_hit": [Limit.WALL_TIME]}), "limit: wall time"),
        (result(0.5, {"note": "x"}), RUN, "nothing in them reads as a score"),
        (result(0.5, {f"f{i}": 0.5 for i in range(80)}), RUN, "... and 20 more fields"),
        (result(error_taxonomy=[UNIT] * 3), RUN, "unit mismatch (mechanical) x3"),
        (
            result(validity={"errors": ["first", "second"]}),
            RUN,
            "errors            first\n                  second\n",
        ),
    ],
)
def test_what_a_reader_is_told(what: EvaluationResult, run: VerifierRun, says: str) -> None:
    assert says in view(what, run)


def test_people_and_judges_are_shown_beside_the_reward() -> None:
    shown = view(
        result(
            confidence=ConfidenceMetadata(
                sample_count=5,
                agreement=0.8,
                agreement_method="alpha",
                interval=Interval(low=0.5, high=0.75, level=0.95, method="bootstrap"),
                judge=JudgeIdentity(name="strict", model="m-1"),
            ),
            annotations=[
                Annotation(
                    reviewer_id="ada",
                    reviewer_discipline="electrical",
                    timestamp=datetime(2026, 1, 1, tzinfo=UTC),
                    judgment=Judgment.FAIL,
                    notes="wrong unit",
                )
            ],
        )
    )
    assert "confidence        judge strict (m-1), 5 samples, alpha 0.80, 95% [0.50," in shown
    assert "review            fail (ada, electrical): wrong unit" in shown


def test_megabytes_are_not_laid_out() -> None:
    """Evidence, names and tags of eight megabytes: a short view, at once."""
    long = "x" * (8 << 20)
    tags = [ErrorTag(category="c", description=long, source=ErrorSource.MECHANICAL)]
    scored = result(
        0.5, {long: {"score": 0.5, "evidence": long}}, error_taxonomy=tags, validity={"errors": [long]}
    )
    with no_hang():
        assert len(view(scored)) < 20_000


def test_other_keys_of_the_reward_file_are_shown() -> None:
    shown = render_result("t", result(), RUN, Terminal(), beside={"speed": 3, "note": "\x1b[2J"})
    assert "besides           speed 3, note '\\x1b[2J'" in shown


def test_the_last_lines_of_the_streams() -> None:
    run = RUN.model_copy(update={"stdout": "".join(f"line {n}\n" for n in range(30))})
    shown = view(result(), run)
    assert "stdout            (18 lines before)" in shown
    assert "line 29" in shown
    assert "line 17\n" not in shown


def test_a_bar_is_full_only_for_all_and_empty_only_for_none() -> None:
    shown = view(result(0.5, {"a": 0.999, "b": 0.001, "c": 0.5}))
    assert "#########.  0.999" in shown
    assert "#.........  0.001" in shown
    assert "#####.....   0.50" in shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((1.0, "1.00"), (0.0, "0.00"), (0.5, "0.50"), (0.67, "0.67"), (2 / 3, "0.6667"), (0.125, "0.125")),
        *((0.99999, "0.99999"), (1e-9, "1e-09"), (7.0, "7.00"), (-0.5, "-0.50")),
    ],
)
def test_scores(value: float, text: str) -> None:
    assert format_score(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.031, "31 ms"), (2.44, "2.4 s"), (200.2, "3 min 20 s"), (0.0, "0 ms")]
)
def test_durations(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_layout_in_cells() -> None:
    assert cells("断面x") == 5
    assert pad("断", 4) == "断  "
    assert cut("断面係数", 5) == "断面…"
    assert cut("abcdef", 4, "...") == "a..."
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"]
    assert wrap("", 5) == [""]
    assert wrap("at 95 to 99.17 % of", 15) == ["at 95 to", "99.17 % of"]
    assert wrap("断", 1) == ["断"]
