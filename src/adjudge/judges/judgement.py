"""What judges made of one trial: a record of its own kind, beside the verifier's evaluation, never its place.

An abstention has no number: a criterion that is not settled has neither score nor verdict, and a judgement
with one has no score. `calibrated` is not part of it: whether a judge can be trusted is found out later, and
looked up when a score is shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from adjudge.contracts import ConfidenceMetadata, Name, Sha256, StrictModel
from adjudge.errors import LedgerError
from adjudge.ledger import NewAttachment

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

JUDGEMENT_KIND = "judgement"


class Quote(StrictModel):
    """A passage of the output that a judge pointed to, found where it says."""

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Vote(StrictModel):
    """What one judge said in one sample. `why` tells why there is no verdict."""

    model: Name
    sample: int = Field(ge=0)
    verdict: bool | str | float | None = None
    reason: str = ""
    why: str | None = None


class CriterionResult(StrictModel):
    """One dimension. `score` is from 0 to 1; none if `abstained` says why."""

    id: Name
    by: Name
    """`judge` or `mechanical`."""
    weight: float
    score: float | None = Field(default=None, ge=0, le=1)
    verdict: bool | str | float | None = None
    agreement: float | None = Field(default=None, ge=0, le=1)
    """The share of pairs of verdicts that are the same; none with fewer than two."""
    spread: float | None = Field(default=None, ge=0, le=1)
    """The distance between the lowest and the highest verdict on the scale."""
    votes: list[Vote] = Field(default_factory=list)
    dissent: int = Field(default=0, ge=0)
    """Verdicts that differ from the settled one."""
    quotes: list[Quote] = Field(default_factory=list)
    invented_quotes: int = Field(default=0, ge=0)
    """Quotes that do not stand in the output."""
    evidence: str | None = None
    abstained: str | None = None

    @model_validator(mode="after")
    def _no_number_without_a_verdict(self) -> Self:
        if (self.score is None) is (self.abstained is None):
            raise ValueError(
                "a dimension has a score, or says why it abstained; never both and never neither"
            )
        return self


class JudgeRecord(StrictModel):
    """A judgement: every dimension, and the score if none that counts abstained."""

    rubric: Name
    rubric_digest: Sha256
    models: list[Name]
    samples: int = Field(ge=1)
    judge: Sha256
    """What makes this judge the one it is: models, settings, samples, prompt and rubric."""
    output_sha256: Sha256 | None
    score: float | None = Field(default=None, ge=0, le=1)
    abstained: str | None = None
    reward: float | None = Field(default=None, ge=0, le=1)
    """The score as a reward, if the rubric opts in and `calibrations` vouch for every criterion."""
    calibrations: list[Sha256] = Field(default_factory=list)
    reward_refused: str | None = None
    """Why there is no reward, if the rubric opts in."""
    dimensions: list[CriterionResult]
    confidence: ConfidenceMetadata | None = None
    suspected: list[str] = Field(default_factory=list)
    """What in the agent's text speaks to the judge."""
    cut: list[str] = Field(default_factory=list)
    """What the judge did not get to see."""
    calls: list[Sha256] = Field(default_factory=list)
    usd: float | None = Field(default=None, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _no_number_for_an_abstention(self) -> Self:
        if (self.score is None) is (self.abstained is None):
            raise ValueError(
                "a judgement has a score, or says why it abstained; never both and never neither"
            )
        if self.reward is not None and (self.score is None or not self.calibrations):
            raise ValueError("an uncalibrated judge reaches no reward: name the calibrations")
        if self.reward is not None and self.reward_refused is not None:
            raise ValueError("a reward that was refused is none")
        return self


def judgement_key(
    judge: str,
    output_sha256: str | None,
    on_injection: str,
    calibrations: Sequence[str] = (),
    rests_on: Sequence[str] = (),
) -> str:
    """The same key is the same judgement of a trial: it is not made twice.

    `rests_on` is what it rests on besides the output; another instruction, trace or score makes another one.
    """
    facts = json.dumps(
        [judge, output_sha256, on_injection, *calibrations, *([list(rests_on)] if rests_on else [])]
    )
    return hashlib.sha256(facts.encode()).hexdigest()


def judgement_attachment(trial_id: str, key: str, made: JudgeRecord) -> NewAttachment:
    """The judgement as the ledger keeps it; what is not there has no key, so an abstention has no number."""
    document = json.loads(made.model_dump_json(exclude_none=True))
    return NewAttachment(JUDGEMENT_KIND, key, document, trial_id=trial_id)


def has_judgements(ledger: Ledger) -> bool:
    """Was any trial judged?"""
    return next(iter(ledger.attached(JUDGEMENT_KIND)), None) is not None


def read_judgements(ledger: Ledger, trial_ids: Iterable[str] | None = None) -> dict[str, list[JudgeRecord]]:
    """Every judgement of trials, oldest first; trials without one are absent."""
    found: dict[str, list[JudgeRecord]] = {}
    for row in ledger.attached(JUDGEMENT_KIND, trial_ids=trial_ids):
        try:
            made = JudgeRecord.model_validate_json(json.dumps({"output_sha256": None, **row.document}))
        except ValueError as error:
            raise LedgerError(
                f"judgement {row.row} cannot be read by this version of adjudge: {error}",
                file=ledger.location,
            ) from None
        found.setdefault(str(row.trial_id), []).append(made)
    return found
