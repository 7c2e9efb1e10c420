"""Every field of `TrialFilter`, by its name alone, through all that follows from it.

A field that is added to the model has an option, a place in the docs, a text in a query and its SQL, or one
of these tests fails and says which is missing.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.dialects import sqlite

from adjudge.cli.records import trials as trials_command
from adjudge.cli.shared.build import Root, run
from adjudge.cli.shared.options import takes_filter
from adjudge.cli.shared.root import enter
from adjudge.cli.shared.typed import parameters_of
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, TrialFilter, flag_of, kind_of, open_ledger
from adjudge.ledger.reading.selection import CONDITIONS, select_by
from adjudge.ledger.store.names import Names

COMMANDS = Path(__file__).parents[2] / "docs" / "commands.md"
FIELDS = list(TrialFilter.model_fields)
SAMPLES: dict[type, tuple[str, Any]] = {
    str: ("one", ("one",)),
    float: ("0.25", 0.25),
    bool: ("true", True),
    datetime: ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
}
"""By kind: a text, and the value it stands for."""
WORDS = {"outcome": ("suspected", ("suspected",))}
"""Fields that do not take any word."""


def sample(name: str) -> tuple[str, Any]:
    return WORDS.get(name, SAMPLES[kind_of(name)])


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_an_option_with_its_description(name: str) -> None:
    given: list[TrialFilter] = []

    @takes_filter
    def command(wanted: TrialFilter) -> None:
        given.append(wanted)

    text, value = sample(name)
    option = flag_of(name).spelling.split("/")[0]
    module = ModuleType("try")
    module.__dict__["command"] = command
    root = Root("", {"try": ""}, lambda _: module, enter)
    assert run(root, ["try", option] if kind_of(name) is bool else ["try", option, text]) == 0
    assert given == [TrialFilter(**{name: value})]
    assert TrialFilter.model_fields[name].description


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_in_the_command_reference(name: str) -> None:
    flag = flag_of(name)
    shown = flag.spelling if flag.metavar is None else f"{flag.spelling} {flag.metavar}"
    text = COMMANDS.read_text(encoding="utf-8")
    description = str(TrialFilter.model_fields[name].description)
    assert re.search(f"{re.escape(shown)}.*{re.escape(description)}", text)
    assert name in [parameter.name for parameter in parameters_of(trials_command.command)]


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_a_text_in_a_query(name: str) -> None:
    text, value = sample(name)
    assert TrialFilter.from_query([(name, text)]) == TrialFilter(**{name: value})
    if kind_of(name) is str:
        twice = TrialFilter.from_query([(name, text), (name, text)])
        assert getattr(twice, name) == value * 2
    else:
        with pytest.raises(UsageError, match=f"{name}: this is given more than once"):
            TrialFilter.from_query([(name, text), (name, text)])
        with pytest.raises(UsageError, match=f"^{name}: .*found 'x'"):
            TrialFilter.from_query([(name, "x")])


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_a_condition_in_sql(name: str, tmp_path: Path) -> None:
    """`threshold` alone asks nothing: it says what `disagreement` means."""
    beside = {"disagreement": True} if name == "threshold" else {}
    with open_ledger(tmp_path / "ledger.db") as ledger:
        without, narrowed = (
            sql(ledger, TrialFilter(**beside, **more)) for more in ({}, {name: sample(name)[1]})
        )
    assert narrowed != without
    assert (name in CONDITIONS) is (name != "threshold")


def sql(ledger: Ledger, wanted: TrialFilter) -> str:
    with ledger.database.reading() as connection:
        chosen = select_by(connection, Names(), wanted)
        return str(chosen.where().compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))


def test_one_name_is_one_name_and_not_its_letters() -> None:
    assert TrialFilter(agent="slide-rule").agent == ("slide-rule",)
    assert TrialFilter(agent=["a", "b"]) == TrialFilter(agent=("a", "b"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agent": 5}, "agent: this is neither a name nor a list of names; found 5"),
        ({"agent": ["a", 5]}, "agent[1]: not a text; found 5; allowed: a text"),
        ({"min_reward": "0.5"}, "min_reward: not a number; found '0.5'; allowed: a number"),
        ({"max_reward": True}, "max_reward: not a number; found True; allowed: a number"),
        ({"min_reward": 1.5}, "min_reward: too large; found 1.5; allowed: at most 1.0"),
        ({"annotated": "yes"}, "annotated: neither true nor false; found 'yes'; allowed: true or false"),
        ({"agnet": "a"}, "agnet: no such field; did you mean agent?; found 'a'; allowed: experiment, agent"),
        ({"outcome": "worng"}, "outcome: no such outcome; found 'worng'; allowed: scored, wrong"),
        ({"scored_after": "soon"}, "scored_after: this is no date or time such as"),
        ({"scored_after": 5}, "scored_after: not a time; found 5"),
        ({"min_reward": 0.8, "max_reward": 0.2}, "no reward is at least 0.8 and at most 0.2"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        TrialFilter(**given)
    assert str(refused.value).startswith(said)


def test_a_command_names_its_option_and_not_the_field() -> None:
    with pytest.raises(UsageError, match=r"^--since: this is no date or time"):
        TrialFilter.from_options({"scored_after": "soon", "agent": None})
