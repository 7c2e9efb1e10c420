"""Moments that are wrong in one part: never one that is right in another place, if there is another."""

from __future__ import annotations

from adjudge.audit.probes.moments import other_moments

WORD = "2026-03-09T08:15:00Z"


def test_a_value_of_another_record_is_not_drawn() -> None:
    """The minute that would be drawn stands in another record; then the next one is."""
    plain = other_moments(WORD)
    assert plain["minute"] == "2026-03-09T08:38:00Z"
    drawn = other_moments(WORD, {WORD, plain["minute"], plain["hour"]})
    assert drawn["minute"] == "2026-03-09T08:01:00Z"
    assert drawn["hour"] != plain["hour"]
    assert {part: drawn[part] for part in ("year", "day", "offset")} == {
        part: plain[part] for part in ("year", "day", "offset")
    }


def test_if_every_value_is_taken_the_first_stays() -> None:
    every = {f"2026-03-09T08:{minute:02}:00Z" for minute in range(60)}
    assert other_moments(WORD, every)["minute"] == "2026-03-09T08:38:00Z"
