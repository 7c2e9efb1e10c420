"""Score by a rubric: normalise each dimension to score / max_score, clamp to [0, 1], roll up, round.

What was not scored counts 0, and the result says so; what does not apply (None) is not 0 and leaves the
rollup. A dimension of weight 0 is shown and never counts. A rubric, or scores, that cannot mean anything
are refused with the reason. If nothing applies there is no reward: that is refused too, and never becomes 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from adjudge.contracts import (
    BadJson,
    DimensionResult,
    DimensionScore,
    Rubric,
    RubricResult,
    load_json,
    problem_of,
)
from adjudge.errors import RubricError
from adjudge.scoring.rollups import check_rollup, roll_up

NOT_SCORED = "no score was given; counted as 0"
_RUBRIC_BYTES = 1 << 20
_SCORE_ALLOWED = "a finite number, null for not applicable, or {score, max_score, evidence}"


def score_rubric(
    rubric: Rubric, scores: Mapping[str, DimensionScore | Mapping[str, Any] | float | None]
) -> RubricResult:
    """Score the dimensions given by id. Raises `RubricError` for scores that the rubric gives no meaning."""
    check_rollup(rubric)
    known = {dimension.id for dimension in rubric.dimensions}
    if unknown := [key for key in scores if key not in known]:
        raise RubricError(
            "the rubric has no such dimension", found=unknown[0], allowed=", ".join(sorted(known))
        )
    results: list[DimensionResult] = []
    for dimension in rubric.dimensions:
        if dimension.id in scores:
            given = _given(dimension.id, scores[dimension.id])
        else:
            given = DimensionScore(score=0.0, evidence=NOT_SCORED)
        if given.max_score is not None and given.max_score != dimension.max_score:
            raise RubricError(
                "the score's maximum contradicts the rubric's",
                field=f"{dimension.id}.max_score",
                found=given.max_score,
                allowed=repr(dimension.max_score),
            )
        results.append(
            DimensionResult(
                id=dimension.id,
                score=given.score,
                max_score=dimension.max_score,
                weight=dimension.weight,
                normalised=normalise(given.score, dimension.max_score),
                evidence=given.evidence,
            )
        )
    counted = [(r.normalised, r.weight) for r in results if r.normalised is not None and r.weight > 0]
    if not counted:
        raise RubricError(
            "no dimension that counts applies, so there is no reward",
            remedy="Score at least one dimension of weight above 0.",
        )
    reward = roll_up(rubric, [value for value, _ in counted], [weight for _, weight in counted])
    return RubricResult(reward=reward, rollup=rubric.rollup, dimensions=results)


def normalise(score: float | None, max_score: float) -> float | None:
    """score / max_score, clamped to [0, 1]; None stays None."""
    if score is None:
        return None
    return min(max(score / max_score, 0.0), 1.0)


def load_rubric(path: Path | str) -> Rubric:
    """Read a rubric from TOML, YAML or JSON: `dimensions` and optionally `rollup` and `threshold`.

    The whole may stand below a key `rubric`. Raises `RubricError` with file, field and reason.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RubricError(f"cannot be read: {error.strerror}", file=path) from None
    value = _parse(path, data)
    if isinstance(value, dict) and isinstance(value.get("rubric"), dict) and len(value) == 1:
        value = value["rubric"]
    if not isinstance(value, dict):
        raise RubricError("not a table", file=path, found=value, allowed="dimensions, rollup, threshold")
    try:
        rubric = Rubric.model_validate(value)
    except ValidationError as error:
        raise RubricError(problem_of(error, file=path, model=Rubric)) from None
    try:
        check_rollup(rubric)
    except RubricError as error:
        raise RubricError(error.problem, file=path) from None
    return rubric


def _parse(path: Path, data: bytes) -> object:
    """The value in a file, by its suffix."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".json":
            return load_json(data, max_bytes=_RUBRIC_BYTES)
        if suffix == ".toml":
            import tomllib

            return tomllib.loads(data.decode("utf-8"))
        if suffix in (".yaml", ".yml"):
            import yaml

            try:
                return yaml.safe_load(data.decode("utf-8"))
            except (yaml.YAMLError, RecursionError) as error:
                raise ValueError(str(error).replace("\n", " ") or "nested too deeply") from None
    except (BadJson, ValueError) as error:
        raise RubricError(f"cannot be parsed: {error}", file=path) from None
    raise RubricError("unknown kind of file", file=path, found=suffix, allowed=".toml, .yaml, .yml, .json")


def _plain(value: object) -> object:
    """A number of numpy's as Python's; the model takes no other."""
    return float(value) if isinstance(value, Real) and not isinstance(value, int | float) else value


def _given(name: str, value: DimensionScore | Mapping[str, Any] | float | None) -> DimensionScore:
    """What was given for a dimension, as one type."""
    if isinstance(value, DimensionScore):
        return value
    if isinstance(value, Mapping):
        try:
            return DimensionScore.model_validate({key: _plain(part) for key, part in value.items()})
        except ValidationError as error:
            raise RubricError(problem_of(error, field=name, model=DimensionScore)) from None
    if value is None:
        return DimensionScore(score=None)
    if isinstance(value, bool) or not isinstance(value, Real):  # numpy's numbers are real ones, too
        raise RubricError("not a score", field=name, found=value, allowed=_SCORE_ALLOWED)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RubricError("not a finite number", field=name, found=value, allowed=_SCORE_ALLOWED)
    return DimensionScore(score=number)
