"""Hypothesis strategies for every contract: any value that the models should accept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from adjudge import contracts as c

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
finite = st.floats(allow_nan=False, allow_infinity=False)
unit = st.floats(0, 1)
counts = st.none() | st.integers(0, 10**12)
positive = st.integers(1, 10**9)
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
scalars = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | finite | text
json_objects = st.dictionaries(
    text,
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=3,
)
zones = st.just(UTC) | st.integers(-23 * 60, 23 * 60).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
moments = st.datetimes(datetime(1970, 1, 2), datetime(2999, 1, 1), timezones=zones)
sandbox_paths = st.from_regex(r"(/[a-z]{1,5}){1,3}", fullmatch=True)


def optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


tags = st.builds(
    c.ErrorTag, category=names, description=optional(text), source=st.sampled_from(c.ErrorSource)
)
reviews = st.builds(
    c.Annotation,
    reviewer_id=names,
    reviewer_discipline=optional(text),
    timestamp=moments,
    judgment=st.sampled_from(c.Judgment),
    categories=st.lists(text, max_size=2),
    notes=optional(text),
)
selections = st.one_of(
    st.builds(
        c.ReviewSelection,
        reviewer_id=optional(names),
        method=st.sampled_from([how for how in c.ChosenBy if how is not c.ChosenBy.UNKNOWN]),
        probability=st.floats(0, 1, exclude_min=True),
        timestamp=moments,
    ),
    st.builds(
        c.ReviewSelection,
        reviewer_id=optional(names),
        method=st.sampled_from([how for how in c.ChosenBy if how is not c.ChosenBy.RANDOM]),
        probability=st.none(),
        timestamp=moments,
    ),
)
intervals = st.builds(
    lambda ends, level, method: c.Interval(low=min(ends), high=max(ends), level=level, method=method),
    st.tuples(finite, finite),
    st.floats(0, 1, exclude_min=True, exclude_max=True),
    names,
)
judges = st.builds(c.JudgeIdentity, name=names, model=names, prompt_digest=optional(digests))
confidences = st.builds(
    c.ConfidenceMetadata,
    annotator_count=counts,
    agreement=optional(st.floats(-1, 1)),
    agreement_method=names,
    interval=optional(intervals),
    sample_count=counts,
    judge=optional(judges),
)
validities = st.builds(
    c.ValidityCheck,
    output_parseable=st.booleans(),
    schema_valid=st.booleans(),
    verifier_completed=st.booleans(),
    errors=st.lists(text, max_size=2),
)


@st.composite
def evaluations(draw: st.DrawFn) -> c.EvaluationResult:
    validity = draw(validities)
    return c.EvaluationResult(
        reward=draw(unit) if validity.output_parseable else 0.0,
        validity=validity,
        breakdown=draw(optional(json_objects)),
        error_taxonomy=draw(optional(st.lists(tags, max_size=2))),
        confidence=draw(optional(confidences)),
        annotations=draw(optional(st.lists(reviews, max_size=2))),
    )


verifiers = st.builds(
    c.VerifierSpec,
    script=names,
    expected_output_path=sandbox_paths,
    reward_path=sandbox_paths,
    details_path=optional(sandbox_paths),
)
outputs = st.builds(
    c.OutputContract,
    format=st.sampled_from(c.OutputFormat),
    format_origin=st.sampled_from(c.Origin),
    json_schema=optional(json_objects),
    schema_origin=optional(st.sampled_from(c.Origin)),
)
limits = st.builds(
    c.Limits,
    wall_time_sec=st.floats(0.001, 1e6),
    **{name: positive for name in c.Limits.model_fields if name != "wall_time_sec"},
)
task_metadata = st.builds(
    c.TaskMetadata,
    difficulty=optional(text),
    category=optional(text),
    domain=optional(text),
    tags=st.lists(text, max_size=2),
    extra=json_objects,
)
tasks = st.builds(
    c.Task,
    id=names,
    folder=st.just(Path("/tasks/a")),
    instruction=text,
    verifier=verifiers,
    output=outputs,
    limits=limits,
    metadata=task_metadata,
    deterministic=st.booleans(),
    digest=digests,
)
agents = st.builds(c.Agent, name=names, model=optional(text), config=json_objects)
output_infos = st.builds(
    c.OutputInfo,
    path=text,
    sha256=optional(digests),
    size_bytes=counts,
    media_type=optional(text),
)
runs = st.builds(
    c.VerifierRun,
    scored_by=st.just(c.ScoredBy.VERIFIER),
    backend=names,
    exit_code=optional(st.integers(-64, 255)),
    duration_sec=optional(st.floats(0, 1e6)),
    limits_hit=st.lists(st.sampled_from(c.Limit), max_size=2),
    stdout=text,
    stderr=text,
    artifacts=st.dictionaries(text, digests, max_size=2),
    reused_from=optional(text),
)
costs = st.builds(
    c.Cost,
    usd=optional(st.floats(0, 1e6)),
    input_tokens=counts,
    cached_tokens=counts,
    output_tokens=counts,
    seconds=optional(st.floats(0, 1e6)),
)
trials = st.builds(
    c.TrialRecord,
    trial_id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
    experiment=names,
    attempt=positive,
    task_id=names,
    task_digest=optional(digests),
    agent=agents,
    output=output_infos,
    evaluation=evaluations(),
    run=runs,
    cost=optional(costs),
    metadata=json_objects,
    started_at=optional(moments),
    finished_at=optional(moments),
    scored_at=moments,
    adjudge_version=names,
)
dimensions = st.builds(
    c.Dimension,
    id=names,
    weight=st.floats(0, 1e6),
    max_score=st.floats(0.001, 1e6),
    description=optional(text),
)
rubrics = st.builds(
    c.Rubric,
    dimensions=st.lists(dimensions, min_size=1, max_size=4, unique_by=lambda d: d.id).filter(
        lambda found: any(d.weight for d in found)
    ),
    rollup=names,
    threshold=unit,
)
dimension_scores = st.builds(
    c.DimensionScore,
    score=optional(finite),
    max_score=optional(st.floats(0.001, 1e6)),
    evidence=optional(text),
)
dimension_results = st.builds(
    c.DimensionResult,
    id=names,
    score=optional(finite),
    max_score=st.floats(0.001, 1e6),
    weight=st.floats(0, 1e6),
    normalised=optional(unit),
    evidence=optional(text),
)
rubric_results = st.builds(
    c.RubricResult, reward=unit, rollup=names, dimensions=st.lists(dimension_results, max_size=3)
)

BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "Agent": agents,
    "Annotation": reviews,
    "ConfidenceMetadata": confidences,
    "Cost": costs,
    "Dimension": dimensions,
    "DimensionResult": dimension_results,
    "DimensionScore": dimension_scores,
    "ErrorTag": tags,
    "EvaluationResult": evaluations(),
    "Interval": intervals,
    "JudgeIdentity": judges,
    "Limits": limits,
    "OutputContract": outputs,
    "OutputInfo": output_infos,
    "ReviewSelection": selections,
    "Rubric": rubrics,
    "RubricResult": rubric_results,
    "Task": tasks,
    "TaskMetadata": task_metadata,
    "TrialRecord": trials,
    "ValidityCheck": validities,
    "VerifierRun": runs,
    "VerifierSpec": verifiers,
}
