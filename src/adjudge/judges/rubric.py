"""A rubric for judges: which dimensions a breakdown answers, and which a judge, with what it may see.

TOML, next to a task as `tests/judge.toml` or named on the command line. What cannot mean anything is refused
with file, field and reason; what merely looks unwise is a remark (`lint_rubric`).
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from adjudge.contracts import Choice, Dimension, Name, Rubric, StrictModel, problem_of
from adjudge.errors import Problem, RubricError
from adjudge.judges.scale import Scale, ScaleKind, Verdict
from adjudge.scoring import check_rollup

RUBRIC_NAME = "judge.toml"
_MOST_BYTES = 1 << 20
_SEEN = ("output", "instruction", "reference", "trace")
_VAGUE = re.compile(r"\b(good|nice|appropriate|reasonable|quality|well[- ]written|adequate)\b", re.IGNORECASE)


class Evaluate(Choice):
    """Who answers a dimension."""

    MECHANICAL = "mechanical"
    """A field of the verifier's breakdown."""
    JUDGE = "judge"


class Example(StrictModel):
    """A text with the verdict that it should get."""

    text: str = Field(min_length=1, max_length=20_000)
    verdict: bool | str | float
    reason: str = Field(min_length=1)
    trial_id: str | None = None
    """The trial that the text was taken from: it may then not calibrate the judge."""


class OfflineRule(StrictModel):
    """A rule of the offline judge: a regular expression, and the verdict where it is found, or is not."""

    match: str = Field(min_length=1, max_length=2_000)
    verdict: bool | str | float
    reason: str = ""
    absent: bool = False
    """The rule applies where the expression is not found."""


class JudgeDimension(StrictModel):
    """One dimension of a rubric, and how it is evaluated."""

    id: Name
    evaluate: Evaluate = Evaluate.JUDGE
    weight: float = Field(default=1.0, ge=0)
    description: str | None = None
    field: Name | None = None
    """Of a mechanical dimension: the field of the breakdown; None takes the dimension's id."""
    criterion: str | None = Field(default=None, min_length=1, max_length=8_000)
    """Of a judge's dimension: what is asked."""
    scale: Scale = Field(default_factory=Scale)
    see: list[str] = Field(default_factory=lambda: ["output"])
    """What the judge may see: output, output:HEADING (a section of it), instruction, reference, trace."""
    examples: list[Example] = Field(default_factory=list, max_length=20)
    patterns: list[OfflineRule] = Field(default_factory=list, max_length=50)
    otherwise: bool | str | float | None = None
    """What the offline judge answers if no pattern applies; nothing: it abstains."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        judged = self.evaluate is Evaluate.JUDGE
        if judged and self.criterion is None:
            raise ValueError(f"{self.id}: a dimension for a judge needs a criterion")
        if judged and self.field is not None:
            raise ValueError(f"{self.id}: only a mechanical dimension has a field")
        if not judged and (self.criterion is not None or self.examples or self.patterns):
            raise ValueError(f"{self.id}: a mechanical dimension has no criterion, examples or patterns")
        for name in self.see:
            if name not in _SEEN and not (
                name.startswith("output:") and name.removeprefix("output:").strip()
            ):
                raise ValueError(
                    f"{self.id}: a judge cannot see {name!r}, only {', '.join(_SEEN)}, output:HEADING"
                )
        if judged and (not self.see or len(set(self.see)) != len(self.see)):
            raise ValueError(f"{self.id}: name what the judge may see, each once")
        self._check_verdicts()
        return self

    def _check_verdicts(self) -> None:
        given: list[Verdict] = [example.verdict for example in self.examples]
        given += [pattern.verdict for pattern in self.patterns]
        if self.otherwise is not None:
            given.append(self.otherwise)
        for verdict in given:
            if self.scale.place(verdict) is None:
                raise ValueError(f"{self.id}: {verdict!r} is not {self.scale.describe()}")
        for pattern in self.patterns:
            try:
                re.compile(pattern.match)
            except (re.error, RecursionError) as error:
                raise ValueError(f"{self.id}: {pattern.match!r} is no regular expression: {error}") from None


class JudgeRubric(StrictModel):
    """Dimensions, and how they combine."""

    name: Name
    dimensions: list[JudgeDimension] = Field(min_length=1, max_length=60)
    rollup: Name = "weighted_mean"
    threshold: float = Field(default=0.5, ge=0, le=1)
    reward: bool = False
    """Opt in: a judge that is calibrated for every criterion puts a reward that includes it on its record."""
    reward_agreement: float = Field(default=0.6, ge=0, le=1)
    """For that: what the lower end of agreement with people must reach."""
    reward_items: int = Field(default=30, ge=2)
    """For that: on how many trials."""
    reference: str | None = None
    """A right answer for the judge to compare with: the text itself, or with `reference_file` a file's."""

    @model_validator(mode="after")
    def _is_a_rubric(self) -> Self:
        self.plain()
        return self

    def plain(self) -> Rubric:
        """The rubric that `score_rubric` rolls up: every dimension from 0 to 1."""
        return Rubric(
            dimensions=[
                Dimension(id=d.id, weight=d.weight, description=d.description or d.criterion)
                for d in self.dimensions
            ],
            rollup=self.rollup,
            threshold=self.threshold,
        )

    @property
    def judged(self) -> list[JudgeDimension]:
        """The dimensions that a judge answers."""
        return [d for d in self.dimensions if d.evaluate is Evaluate.JUDGE]

    @property
    def digest(self) -> str:
        """What makes it this rubric: any change is another one."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load_judge_rubric(path: Path) -> JudgeRubric:
    """Read a rubric. RubricError with file, field, what was found and what is allowed."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RubricError(f"cannot be read: {error.strerror}", file=path) from None
    try:
        if len(data) > _MOST_BYTES:
            raise ValueError("larger than 1 MiB")
        value = tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        raise RubricError(f"cannot be parsed as TOML: {error}", file=path) from None
    named = value.pop("reference_file", None)
    if named is not None:
        value["reference"] = _reference(path, named, also=value.get("reference"))
    try:
        rubric = JudgeRubric.model_validate(value)
        check_rollup(rubric.plain())
    except ValidationError as error:
        raise RubricError(problem_of(error, file=path, model=JudgeRubric)) from None
    except RubricError as error:
        raise RubricError(error.problem, file=path) from None
    if rubric.reference is None and any("reference" in d.see for d in rubric.judged):
        raise RubricError(
            "a dimension shows the judge a reference, and there is none",
            file=path,
            field="reference",
            remedy="Add reference (a text) or reference_file (a file beside the rubric).",
        )
    return rubric


def _reference(path: Path, named: object, *, also: object) -> str:
    if not isinstance(named, str) or also is not None:
        raise RubricError(
            "either reference or reference_file, as a text", file=path, field="reference_file", found=named
        )
    try:
        return (path.parent / named).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise RubricError(
            f"cannot be read: {error}", file=path, field="reference_file", found=named
        ) from None


def lint_rubric(rubric: JudgeRubric) -> Iterator[Problem]:
    """What makes a judge's answers needlessly uncertain; remarks, each with what to do about it."""
    if not rubric.judged:
        yield Problem("no dimension is evaluated by a judge", remedy="adjudge judge has nothing to ask.")
    for d in rubric.judged:
        at = f"dimensions.{d.id}"
        criterion = str(d.criterion)
        if len(criterion) < 20:
            yield Problem(
                "the criterion is very short", field=at, found=criterion, remedy="Say what to look for."
            )
        if (vague := _VAGUE.search(criterion)) and d.scale.kind is not ScaleKind.ORDINAL:
            yield Problem(
                "the criterion rests on a word that two people read differently",
                field=at,
                found=vague[0],
                remedy="Say what can be seen in the output, or give levels with descriptions.",
            )
        if d.scale.kind is ScaleKind.ORDINAL and not all(level.description for level in d.scale.levels):
            yield Problem("a level has no description", field=at, remedy="Describe every level.")
        if d.scale.kind is ScaleKind.NUMERIC:
            yield Problem(
                "a numeric scale says nothing about what its numbers mean",
                field=at,
                remedy="Levels with descriptions agree better between judges and people.",
            )
        if d.examples and len({str(example.verdict) for example in d.examples}) == 1:
            yield Problem("every example has the same verdict", field=at, remedy="Add one with another.")
