"""Turn verifier artifacts into an `EvaluationResult`: the one way a verifier's word becomes a reward.

`reward.json` is authoritative: it is validated, never recomputed. Whatever else is found gets a named
outcome, never an exception (unless `strict` asks for one):

    found                                              reward   verifier_completed
    a number in [0, 1]                                 it       true
    nothing, or anything else under that name          0.0      false, tagged `verifier failure`
    a reward above 0 for an output that does not parse 0.0      true
    bad details or tags beside a good reward           kept     true
    the verifier ran out of time or memory             0.0      false, tagged `verifier failure`
    the same, by the agent's own program               0.0      false, tagged `output stopped the verifier`
    nothing, for an answer that is not there           0.0      false, tagged `output stopped the verifier`

Signs that the verifier could not do its work change neither: they become a tag (`doubts`). The result depends
on the arguments alone: no clock, no host. `docs/verifier-contract.md` is this module for authors of
verifiers; `tests/scoring/test_ingestion_table.py` holds every row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

from adjudge._files import is_machines_failure
from adjudge.contracts import (
    CHECKED_JSON,
    LIMIT_HIT,
    OUTPUT_STOPPED_VERIFIER,
    REWARD_DISAGREES,
    VERIFIER_FAILURE,
    ErrorTag,
    EvaluationResult,
    Limit,
    mechanical,
)
from adjudge.errors import ArtifactError, MachineryError, describe
from adjudge.evidence import Lack, Scene, Sign, how_it_ended, listen, weigh
from adjudge.sandbox import Artifact, read_files
from adjudge.scoring.artifacts import (
    DETAILS_BYTES,
    ArtifactNames,
    BadArtifact,
    read_details,
    read_reward,
    read_tags,
)
from adjudge.scoring.contradicting import contradiction
from adjudge.scoring.diagnosis import diagnose_breakdown
from adjudge.scoring.doubts import doubt, last_line, worded
from adjudge.scoring.standing import Control

_FATAL = {Limit.WALL_TIME: "ran out of time", Limit.MEMORY: "ran out of memory"}
"""Limits that end a verifier before it can have meant what it wrote."""
_QUIET = frozenset({Limit.CAPTURED_OUTPUT})
"""A verifier that prints a lot did nothing wrong."""
_CONVENTION = ArtifactNames()
_USUAL_SCENE = Scene(("/workspace", "/app"))


class VerifierResult(NamedTuple):
    """What a verifier's artifacts come to, in values that an `EvaluationResult` takes as they are."""

    reward: float
    verifier_completed: bool
    errors: list[str]
    breakdown: dict[str, Any] | None
    tags: list[ErrorTag]


def ingest(
    artifacts: Mapping[str, Artifact],
    *,
    output_parseable: bool = True,
    schema_valid: bool = True,
    gate_errors: Sequence[str] = (),
    **seen: Unpack[RunFacts],
) -> EvaluationResult:
    """The result of one verifier run: what its artifacts say, and what the gates said of the output."""
    result = read_verifier_result(artifacts, output_parseable=output_parseable, **seen)
    return EvaluationResult.model_validate(
        {
            "reward": result.reward,
            "validity": {
                "output_parseable": output_parseable,
                "schema_valid": schema_valid,
                "verifier_completed": result.verifier_completed,
                "errors": [*gate_errors, *result.errors],
            },
            "breakdown": result.breakdown,
            "error_taxonomy": result.tags or None,
        },
        context=CHECKED_JSON,  # by the strict loader
    )


class RunFacts(TypedDict, total=False):
    """What is known of a verifier's run besides its artifacts, as `read_verifier_result` takes it."""

    exit_code: int | None
    limits_hit: Sequence[Limit]
    stdout: bytes
    stderr: bytes
    signs: Sequence[Sign] | None
    control: Control | None
    by_output: bool
    elsewhere: str | None
    names: ArtifactNames
    remarks: Sequence[ErrorTag]
    strict: bool


def read_verifier_result(
    artifacts: Mapping[str, Artifact],
    *,
    output_parseable: bool = True,
    exit_code: int | None = None,
    limits_hit: Sequence[Limit] = (),
    stdout: bytes = b"",
    stderr: bytes = b"",
    signs: Sequence[Sign] | None = None,
    control: Control | None = None,
    by_output: bool = False,
    elsewhere: str | None = None,
    names: ArtifactNames = _CONVENTION,
    remarks: Sequence[ErrorTag] = (),
    strict: bool = False,
) -> VerifierResult:
    """What a verifier's artifacts say. `exit_code` None means that nobody knows how the verifier ended.

    `signs` are those that count; None looks for them in the streams alone. `by_output` says that if the
    verifier gave no reward, that was the agent's doing. `elsewhere` says where else a reward was seen.
    `remarks` are tags that come before all others. With `strict`, the first bad artifact raises
    `ArtifactError` instead of becoming an error in the result.
    """
    details = read_details(artifacts, names)
    breakdown = None if isinstance(details, BadArtifact) else details
    claimed = read_reward(artifacts, names)
    if signs is None:
        silent = not (stderr or stdout or exit_code)
        signs = () if silent else weigh(listen((stderr, stdout), _USUAL_SCENE), exit_code=exit_code)
    if limits_hit and (fatal := [limit for limit in _FATAL if limit in limits_hit]):
        claimed = BadArtifact(_limit_problem(fatal, claimed))

    reward = 0.0
    problems: list[str] = []
    tags: list[ErrorTag] = list(remarks)
    if isinstance(claimed, BadArtifact):
        message = claimed.message if elsewhere is None else f"{claimed.message}. {elsewhere}"
        problems.append(message)
        category = OUTPUT_STOPPED_VERIFIER if by_output else VERIFIER_FAILURE
        tags.append(mechanical(category, _with_end(message, exit_code, stderr, signs)))
    else:
        tags += _remarks(
            claimed,
            breakdown=breakdown,
            limits_hit=limits_hit,
            doubts=doubt(signs, control, claimed),
        )
        if output_parseable:
            reward = claimed
        elif claimed > 0:
            problems.append(_does_not_count(names.reward, claimed))
    if isinstance(details, BadArtifact):
        problems.append(details.message)
    own_tags = read_tags(artifacts, names)
    if isinstance(own_tags, BadArtifact):
        problems.append(own_tags.message)
    else:
        tags += own_tags

    if strict and problems:
        raise ArtifactError(problems[0])
    if reward < 1:
        tags += diagnose_breakdown(breakdown, known=tags)
    reward += 0.0  # there is one zero, and -0.0 is not it
    return VerifierResult(reward, not isinstance(claimed, BadArtifact), problems, breakdown, tags)


def read_artifacts(
    folder: Path | str,
    *,
    output_parseable: bool = True,
    schema_valid: bool = True,
    strict: bool = False,
) -> EvaluationResult:
    """Read a folder of artifacts that some verifier left behind, here or elsewhere.

    Never raises on what the folder holds, unless `strict` (then `ArtifactError`). A folder that is missing,
    no folder or not readable is a missing reward. How the verifier ended is not known, so nothing is
    suspected from it. Raises MachineryError if this machine fails while it reads.
    """
    try:
        artifacts = read_files(folder, _CONVENTION.all, max_file_bytes=DETAILS_BYTES)
        unreadable = None
    except OSError as error:
        if is_machines_failure(error):
            raise MachineryError(
                "this machine cannot read the artifacts", file=folder, found=error.strerror
            ) from error
        artifacts = {}
        unreadable = describe(f"the folder cannot be read: {error.strerror}", file=folder)
    if unreadable is not None and strict:
        raise ArtifactError(unreadable)
    return ingest(
        artifacts,
        output_parseable=output_parseable,
        schema_valid=schema_valid,
        gate_errors=() if unreadable is None else (unreadable,),
        strict=strict,
    )


def _remarks(
    reward: float,
    *,
    breakdown: dict[str, Any] | None,
    limits_hit: Sequence[Limit],
    doubts: ErrorTag | None,
) -> list[ErrorTag]:
    """What a reader of a good reward should know besides."""
    tags = [] if doubts is None else [doubts]
    if limits_hit and (limits := sorted(str(limit) for limit in limits_hit if limit not in _QUIET)):
        tags.append(mechanical(LIMIT_HIT, f"{', '.join(limits)}; a reward was written all the same"))
    if why := contradiction(reward, breakdown):
        tags.append(mechanical(REWARD_DISAGREES, f"the reward is {reward:.4g}, but in the details {why}"))
    return tags


def _does_not_count(name: str, reward: float) -> str:
    what = "does not count, because the output does not parse"
    return describe(what, file=name, field="reward", found=reward, allowed="0.0")


def _limit_problem(fatal: Sequence[Limit], claimed: float | BadArtifact) -> str:
    """Which limit ended the verifier, and what it had written until then."""
    ends = " and ".join(f"{_FATAL[limit]} (limit: {limit})" for limit in fatal)
    if isinstance(claimed, BadArtifact):
        return f"the verifier {ends}"
    return f"the verifier {ends}; the reward it had written by then, {claimed!r}, does not count"


def _with_end(problem: str, exit_code: int | None, stderr: bytes, signs: Sequence[Sign]) -> str:
    """A problem with all that helps to find its cause."""
    parts = [problem]
    if ended := how_it_ended(exit_code):
        parts.append(ended)
    elif exit_code:
        parts.append(f"exit code {exit_code}")
    if line := last_line(stderr):
        parts.append(f"stderr ends {line}")
    if told := worded([sign for sign in signs if sign.lack is not Lack.ENDED]):
        parts.append(told)
    return "; ".join(parts)
