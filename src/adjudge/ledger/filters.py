"""Which trials: one description for the command line, Python, the HTTP API, the docs and the SQL.

Every field narrows; a field with several values accepts any of them. Nothing set means every trial. A filter
looks at a trial's current evaluation. `wave*` as a task stands for every task whose id begins with `wave`.

A field's description is its help text, its `Flag` how it is spelled on a command line; its SQL stands in
`reading/selection.py`. A test walks every field through all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Self, get_args

from msgspec import Struct
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from adjudge.contracts import Judgment, Outcome, Refused, StrictModel, problem_of
from adjudge.errors import UsageError

DISAGREEMENT_THRESHOLD = 0.5
"""A reward from here on counts as a pass when it is held against a reviewer's judgment."""


class Sort(StrEnum):
    """In which order. Among equal rewards `reward` shows the oldest first, `-reward` the newest."""

    NEWEST = "newest"
    OLDEST = "oldest"
    LOWEST = "reward"
    HIGHEST = "-reward"


class Flag(Struct, frozen=True):
    """How a field is spelled on a command line."""

    spelling: str
    metavar: str | None = None


def _several(value: object) -> object:
    """One name stands for itself; a list, a tuple or a set is what it holds."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(value)
    raise ValueError("this is neither a name nor a list of names")


def _outcomes(words: tuple[str, ...]) -> tuple[str, ...]:
    known = [outcome.value for outcome in Outcome]
    for word in words:
        if word not in known:
            raise Refused("no such outcome", found=word, allowed=", ".join(known))
    return words


def _moment(value: object) -> object:
    """A time, or the text of one; a text without a time zone is UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError("this is no date or time such as 2026-03-01 or 2026-03-01T12:30+02:00") from None
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError("this time has no time zone")
    return value


Names = Annotated[tuple[str, ...], BeforeValidator(_several)]
Reward = Annotated[float, Field(ge=0, le=1)]
Moment = Annotated[datetime, BeforeValidator(_moment)]


class TrialFilter(StrictModel):
    """A choice of trials. UsageError for what cannot mean anything: a field that is none, a wrong type."""

    experiment: Annotated[Names, Flag("--experiment", "NAME")] = Field(
        (), description="Trials of this experiment."
    )
    agent: Annotated[Names, Flag("--agent", "NAME")] = Field((), description="Trials by this agent.")
    model: Annotated[Names, Flag("--model", "NAME")] = Field(
        (), description="Trials with this model; '' for those without one."
    )
    task: Annotated[Names, Flag("--task", "ID")] = Field(
        (), description="Trials of this task; 'circuits/*' for every task whose id begins with circuits/."
    )
    not_task: Annotated[Names, Flag("--not-task", "ID")] = Field(
        (), description="No trials of this task; 'held/*' for every task whose id begins with held/."
    )
    task_digest: Annotated[Names, Flag("--task-digest", "SHA256")] = Field(
        (), description="Trials scored by this version of a task."
    )
    tag: Annotated[Names, Flag("--tag", "CATEGORY")] = Field(
        (), description="Trials with a tag of this category."
    )
    outcome: Annotated[Names, AfterValidator(_outcomes), Flag("--outcome", "WORD")] = Field(
        (),
        description="Trials that are scored, wrong, 'nothing usable', suspected or 'machinery failed'.",
    )
    min_reward: Annotated[Reward | None, Flag("--min-reward", "REWARD")] = Field(
        None, description="Trials with at least this reward."
    )
    max_reward: Annotated[Reward | None, Flag("--max-reward", "REWARD")] = Field(
        None, description="Trials with at most this reward."
    )
    output_parseable: Annotated[bool | None, Flag("--parseable/--unparseable")] = Field(
        None, description="Trials whose output parses, or does not."
    )
    schema_valid: Annotated[bool | None, Flag("--schema-valid/--schema-invalid")] = Field(
        None, description="Trials whose output has the expected shape, or has not."
    )
    verifier_completed: Annotated[bool | None, Flag("--completed/--not-completed")] = Field(
        None, description="Trials whose verifier finished, or did not."
    )
    annotated: Annotated[bool | None, Flag("--annotated/--not-annotated")] = Field(
        None, description="Trials that a person has reviewed, or nobody has."
    )
    reviewer: Annotated[Names, Flag("--reviewer", "ID")] = Field(
        (), description="Trials that this person reviewed."
    )
    judged: Annotated[bool | None, Flag("--judged/--not-judged")] = Field(
        None, description="Trials that a judge has judged, or none has."
    )
    disagreement: Annotated[bool | None, Flag("--disagreement/--no-disagreement")] = Field(
        None, description="Trials on which a reviewer contradicts the reward, or none does."
    )
    threshold: Annotated[Reward, Flag("--threshold", "REWARD")] = Field(
        DISAGREEMENT_THRESHOLD,
        description="For --disagreement: from this reward on, the verifier counts as saying pass.",
    )
    scored_after: Annotated[Moment | None, Flag("--since", "TIME")] = Field(
        None, description="Trials scored at or after this ISO date or time."
    )
    scored_before: Annotated[Moment | None, Flag("--until", "TIME")] = Field(
        None, description="Trials scored before this ISO date or time."
    )

    def __init__(self, **values: Any) -> None:
        self._fill(values, str)

    @classmethod
    def from_options(cls, values: Mapping[str, object]) -> Self:
        """From what a command line gave; None is "not given". Messages name the options."""
        made = cls.__new__(cls)
        made._fill({name: value for name, value in values.items() if value is not None}, _option)
        return made

    @classmethod
    def from_query(cls, pairs: Iterable[tuple[str, str]]) -> Self:
        """From the pairs of a query string; a name may stand several times if it takes several values."""
        texts: dict[str, list[str]] = {}
        for name, text in pairs:
            texts.setdefault(name, []).append(text)
        return cls(**{name: _read(name, found) for name, found in texts.items()})

    def _fill(self, values: Mapping[str, object], named: Callable[[str], str]) -> None:
        try:
            self.__pydantic_validator__.validate_python(values, self_instance=self)
        except ValidationError as error:
            raise UsageError(problem_of(error, model=type(self), named=named)) from None

    @model_validator(mode="after")
    def _range_is_one(self) -> Self:
        low, high = self.min_reward, self.max_reward
        if low is not None and high is not None and low > high:
            raise ValueError(f"no reward is at least {low} and at most {high}")
        return self

    @property
    def narrows(self) -> bool:
        """Is anything set at all?"""
        return bool(self.set_fields())

    def set_fields(self) -> dict[str, Any]:
        """What narrows, by field."""
        return {
            name: value
            for name, field in type(self).model_fields.items()
            if (value := getattr(self, name)) != field.default and name != "threshold"
        }


def kind_of(name: str) -> type:
    """What one value of a field is: str (of which it takes several), float, bool or datetime."""
    kind: Any = TrialFilter.model_fields[name].annotation
    while arguments := [argument for argument in get_args(kind) if argument is not type(None)]:
        kind = arguments[0]
    found: type = kind
    return found


def flag_of(name: str) -> Flag:
    """How a field is spelled on a command line."""
    return next(part for part in TrialFilter.model_fields[name].metadata if isinstance(part, Flag))


def disagrees(judgment: Judgment | str, reward: float, threshold: float = DISAGREEMENT_THRESHOLD) -> bool:
    """Pass below the threshold, or fail from it on. `defer` contradicts nothing."""
    if judgment == Judgment.PASS:
        return reward < threshold
    return judgment == Judgment.FAIL and reward >= threshold


def _option(name: str) -> str:
    return flag_of(name).spelling if name in TrialFilter.model_fields else name


def _read(name: str, texts: list[str]) -> object:
    """The value of a field from its texts; what cannot be read stays text, and the field refuses it."""
    kind = kind_of(name) if name in TrialFilter.model_fields else str
    if kind is str:
        return texts
    if len(texts) > 1:
        raise UsageError("this is given more than once", field=name, found=texts, allowed="one value")
    [text] = texts
    if kind is bool:
        return {"true": True, "false": False}.get(text, text)
    if kind is float:
        try:
            return float(text)
        except ValueError:
            return text
    return text
