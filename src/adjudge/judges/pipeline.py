"""Judge one trial: materials, prompts, answers, votes, score. The verifier's evaluation is only read.

Dimensions that see the same things are asked together. An answer that cannot be read is asked for again, with
what was wrong; after that the judge abstains in this sample. A refusal abstains at once. A judge that does
not answer at all is no abstention: nothing is recorded, and the same command asks again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.contracts import ConfidenceMetadata, JudgeIdentity, TrialRecord
from adjudge.judges.answer import JudgeAnswer, Malformed, parse_answer
from adjudge.judges.calls.asking import Asker
from adjudge.judges.calls.call import Reply, Request
from adjudge.judges.calls.form import AnswerForm
from adjudge.judges.calls.offline import OFFLINE, offline_identity
from adjudge.judges.injection import find_injections
from adjudge.judges.judgement import CriterionResult, JudgeRecord, Vote
from adjudge.judges.material import (
    Material,
    NoMaterial,
    capped,
    output_text,
    section_of,
    trace_digest,
    trace_text,
)
from adjudge.judges.prompt import PROMPT_VERSION, Prompt, make_prompt
from adjudge.judges.rubric import Evaluate, JudgeDimension, JudgeRubric
from adjudge.judges.votes import settle, vote_of
from adjudge.scoring import breakdown_rows, score_rubric

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_LEAKED = "the judge repeated a word that it was told never to write"


class OnInjection(StrEnum):
    """What a text that speaks to the judge does to the judgement."""

    FLAG = "flag"
    ABSTAIN = "abstain"


class Panel(Struct, frozen=True):
    """Who judges, and how often."""

    models: tuple[str, ...]
    samples: int = 1
    temperature: float | None = None
    max_tokens: int = 4_000
    malformed_retries: int = 2
    on_injection: OnInjection = OnInjection.FLAG
    addresses: str = ""
    """Where the models are reached, if not where their providers are."""
    form: AnswerForm = AnswerForm.AUTO

    def identity(self, rubric: JudgeRubric) -> str:
        """What makes this panel with this rubric one judge: any change is another one, not yet calibrated."""
        facts = [
            PROMPT_VERSION,
            list(self.models),
            self.samples,
            self.temperature,
            self.max_tokens,
            self.addresses,
            self.form.value,
            rubric.digest,
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


class HeardVotes(Struct):
    """What was said about the dimensions of one trial so far."""

    votes: dict[str, list[Vote]] = field(default_factory=dict)
    quotes: dict[str, list[str]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    leaked: bool = False


def judge_trial(
    ledger: Ledger,
    record: TrialRecord,
    rubric: JudgeRubric,
    panel: Panel,
    asker: Asker,
    *,
    instruction: str | None = None,
    change: Callable[[str], str] = str,
    first_sample: int = 0,
) -> JudgeRecord:
    """The judgement of a trial. NotAsked if a judge cannot be asked now; then nothing is known.

    Probes `change` the output before it is shown, and begin with another sample.
    """
    output = output_text(ledger, record)
    if isinstance(output, str):
        output = change(output)
    texts = _texts(ledger, record, rubric, output, instruction)
    readable = output if isinstance(output, str) else ""
    suspected = [f"{one.rule}: {one.text}" for one in find_injections(_agent_text(texts))]
    heard = HeardVotes()
    why_not: dict[str, str] = {}
    for group in groups(rubric):
        missing = next((texts[name] for name in group[0].see if isinstance(texts[name], NoMaterial)), None)
        if isinstance(missing, NoMaterial):
            why_not |= {d.id: missing.why for d in group}
            continue
        materials = [capped(name, str(texts[name])) for name in group[0].see]
        ask_group(group, materials, panel, asker, heard, first_sample)
    if heard.leaked:
        suspected.append(_LEAKED)
    results = [
        _mechanical(dimension, record)
        if dimension.evaluate is Evaluate.MECHANICAL
        else _abstained(dimension, why_not[dimension.id])
        if dimension.id in why_not
        else settle(
            dimension, heard.votes.get(dimension.id, []), heard.quotes.get(dimension.id, []), readable
        )
        for dimension in rubric.dimensions
    ]
    cut = sorted(
        {
            f"{name}: {made.cut}"
            for name, text in texts.items()
            if isinstance(text, str) and (made := capped(name, text)).cut
        }
    )
    return _record(rubric, panel, record, results, heard, suspected, cut)


def rests_on(ledger: Ledger, record: TrialRecord, rubric: JudgeRubric, instruction: str | None) -> list[str]:
    """What a judgement rests on besides judge and output, of what the rubric asks for.

    A trial that abstained for want of its instruction or trace is judged again once it is there, and one that
    was verified again gets the new scores of its breakdown.
    """
    seen = {name for dimension in rubric.judged for name in dimension.see}
    found = [
        _mechanical(dimension, record).model_dump_json()
        for dimension in rubric.dimensions
        if dimension.evaluate is Evaluate.MECHANICAL
    ]
    if "instruction" in seen:
        found.append(f"instruction {instruction}")
    if "trace" in seen:
        found.append(f"trace {trace_digest(ledger, record.trial_id)}")
    return found


def groups(rubric: JudgeRubric) -> list[list[JudgeDimension]]:
    """The judge's dimensions by what they see, in the order of the rubric."""
    found: dict[tuple[str, ...], list[JudgeDimension]] = {}
    for dimension in rubric.judged:
        found.setdefault(tuple(dimension.see), []).append(dimension)
    return list(found.values())


def first_requests(
    ledger: Ledger, record: TrialRecord, rubric: JudgeRubric, panel: Panel, instruction: str | None
) -> list[Request]:
    """The calls that judging a trial begins with, for an estimate; repeated ones come on top."""
    texts = _texts(ledger, record, rubric, output_text(ledger, record), instruction)
    return [
        request
        for group in groups(rubric)
        if not any(isinstance(texts[name], NoMaterial) for name in group[0].see)
        for request in group_requests(group, [capped(name, str(texts[name])) for name in group[0].see], panel)
    ]


def group_requests(
    group: Sequence[JudgeDimension], materials: Sequence[Material], panel: Panel, first_sample: int = 0
) -> list[Request]:
    """The calls that asking about dimensions which see the same begins with."""
    return [
        _request(group, materials, panel, model, sample)
        for model in panel.models
        for sample in range(first_sample, first_sample + panel.samples)
    ]


def _texts(
    ledger: Ledger,
    record: TrialRecord,
    rubric: JudgeRubric,
    output: str | NoMaterial,
    instruction: str | None,
) -> dict[str, str | NoMaterial]:
    wanted = {name for dimension in rubric.judged for name in dimension.see}
    found: dict[str, str | NoMaterial] = {}
    for name in sorted(wanted):
        if name == "output":
            found[name] = output
        elif name.startswith("output:"):
            heading = name.removeprefix("output:")
            found[name] = output if isinstance(output, NoMaterial) else section_of(output, heading)
        elif name == "trace":
            found[name] = trace_text(ledger, record.trial_id)
        elif name == "reference":
            found[name] = rubric.reference or NoMaterial("the rubric has no reference")
        else:
            found[name] = (
                instruction
                if instruction is not None
                else NoMaterial("the instruction is not known: name the tasks with --tasks")
            )
    return found


def _agent_text(texts: Mapping[str, str | NoMaterial]) -> str:
    """What the agent wrote of all that the judge sees."""
    return "\n".join(
        capped(name, text).text
        for name, text in texts.items()
        if isinstance(text, str) and name not in ("instruction", "reference")
    )


def _request(
    group: Sequence[JudgeDimension], materials: Sequence[Material], panel: Panel, model: str, sample: int
) -> Request:
    return Request(
        model=model,
        prompt=make_prompt(group, materials, model=model, sample=sample),
        sample=sample,
        temperature=panel.temperature,
        max_tokens=panel.max_tokens,
        identity=offline_identity(list(group)) if model == OFFLINE else panel.addresses,
        form=panel.form.value,
    )


def ask_group(
    group: Sequence[JudgeDimension],
    materials: Sequence[Material],
    panel: Panel,
    asker: Asker,
    heard: HeardVotes,
    first_sample: int = 0,
) -> None:
    """Ask every judge in every sample about dimensions that see the same; `heard` takes what is said."""
    for request in group_requests(group, materials, panel, first_sample):
        found = _answered(request, panel, asker, heard)
        if isinstance(found, str):
            for dimension in group:
                vote = Vote(model=request.model, sample=request.sample, why=found)
                heard.votes.setdefault(dimension.id, []).append(vote)
            continue
        heard.leaked = heard.leaked or found.leaked
        for given in found.given:
            heard.votes.setdefault(given.id, []).append(vote_of(request.model, request.sample, given))
            heard.quotes.setdefault(given.id, []).extend(given.quotes)


def _answered(request: Request, panel: Panel, asker: Asker, heard: HeardVotes) -> JudgeAnswer | str:
    """The answer, or why this judge abstains in this sample."""
    prompt: Prompt = request.prompt
    why = ""
    for number in range(1 + panel.malformed_retries):
        asked = replace(request, prompt=prompt)
        reply = asker.ask(asked)
        heard.calls.append(asked.key)
        heard.replies.append(reply)
        if reply.refused:
            return "the judge refused to answer"
        found = parse_answer(reply.text, request.prompt)
        if isinstance(found, JudgeAnswer):
            return found
        assert isinstance(found, Malformed)  # noqa: S101 - the other half of the union
        why = found.why
        prompt = request.prompt.again(why, number + 1)
    return f"no answer that can be read in {1 + panel.malformed_retries} tries: {why}"


def _mechanical(dimension: JudgeDimension, record: TrialRecord) -> CriterionResult:
    wanted = dimension.field or dimension.id
    for row in breakdown_rows(record.evaluation.breakdown or {}):
        if row.field == wanted and row.score is not None and row.max_score:
            place = min(1.0, max(0.0, row.score / row.max_score))
            return CriterionResult(
                id=dimension.id,
                by="mechanical",
                weight=dimension.weight,
                score=place,
                evidence=row.evidence,
            )
    return _abstained(dimension, f"the breakdown has no score for {wanted!r}")


def _abstained(dimension: JudgeDimension, why: str) -> CriterionResult:
    return CriterionResult(
        id=dimension.id, by=dimension.evaluate.value, weight=dimension.weight, abstained=why
    )


def _record(
    rubric: JudgeRubric,
    panel: Panel,
    record: TrialRecord,
    results: list[CriterionResult],
    heard: HeardVotes,
    suspected: list[str],
    cut: list[str],
) -> JudgeRecord:
    gave_up = [
        f"{one.id}: {one.abstained}" for one in results if one.abstained is not None and one.weight > 0
    ]
    why = gave_up[0] if gave_up else None
    if suspected and panel.on_injection is OnInjection.ABSTAIN:
        why = f"{suspected[0]} (--on-injection abstain)"
        results = [
            one
            if one.by == "mechanical" or one.abstained is not None
            else CriterionResult(id=one.id, by=one.by, weight=one.weight, votes=one.votes, abstained=why)
            for one in results
        ]
    score = None
    if why is None:
        score = score_rubric(rubric.plain(), {one.id: one.score for one in results}).reward
    priced = [reply.usd for reply in heard.replies]
    return JudgeRecord(
        rubric=rubric.name,
        rubric_digest=rubric.digest,
        models=list(panel.models),
        samples=panel.samples,
        judge=panel.identity(rubric),
        output_sha256=record.output.sha256,
        score=score,
        abstained=why,
        dimensions=results,
        confidence=_confidence(rubric, panel, results) if score is not None else None,
        suspected=suspected[:20],
        cut=cut,
        calls=list(dict.fromkeys(heard.calls)),
        usd=None if None in priced else sum(usd or 0.0 for usd in priced),
        input_tokens=sum(reply.input_tokens or 0 for reply in heard.replies),
        output_tokens=sum(reply.output_tokens or 0 for reply in heard.replies),
    )


def _confidence(rubric: JudgeRubric, panel: Panel, results: list[CriterionResult]) -> ConfidenceMetadata:
    """How sure the panel is of itself: agreement, samples, and an interval over the scores of each ballot."""
    from adjudge.stats import confidence_from_repeats

    by_ballot = _ballots(rubric, results)
    shares = [one.agreement for one in results if one.agreement is not None]
    identity = JudgeIdentity(
        name=rubric.name,
        model=", ".join(panel.models) + (f" × {panel.samples}" if panel.samples > 1 else ""),
        prompt_digest=panel.identity(rubric),
    )
    repeats = confidence_from_repeats(by_ballot, judge=identity)
    return repeats.model_copy(
        update={
            "annotator_count": len(panel.models),
            "agreement": sum(shares) / len(shares) if shares else None,
            "agreement_method": "mean share of pairs of verdicts that are the same" if shares else None,
        }
    )


def _ballots(rubric: JudgeRubric, results: list[CriterionResult]) -> list[float]:
    """The score that each (model, sample) would have given alone; those with a gap give none."""
    scales = {dimension.id: dimension.scale for dimension in rubric.dimensions}
    whole: list[float] = []
    ballots = {(vote.model, vote.sample) for one in results for vote in one.votes}
    for ballot in sorted(ballots):
        places = {
            one.id: one.score
            if one.by == "mechanical"
            else next(
                (scales[one.id].place(v.verdict) for v in one.votes if (v.model, v.sample) == ballot), None
            )
            for one in results
        }
        if all(place is not None for place in places.values()):
            whole.append(score_rubric(rubric.plain(), places).reward)
    return whole
