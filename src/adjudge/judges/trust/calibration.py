"""Hold a judge against people, criterion by criterion: can its scores be trusted, and what do they say then?

A judge counts as calibrated for a criterion only if the lower end of its agreement with people reaches a
threshold on enough trials. Who calibrates again and again on the same trials, with another judge, rubric or
more labels, gets a wider interval each time: all looks share one risk. Every number comes from
`stats`; here the pairs are put together and the answer is recorded. What is not random is no sample: pass
rates are estimated only if it is known with which probability each trial was chosen for review.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from adjudge.contracts import Interval
from adjudge.judges.judgement import JudgeRecord
from adjudge.judges.rubric import JudgeDimension
from adjudge.judges.scale import ScaleKind, Verdict
from adjudge.judges.trust.calibrated import CALIBRATION_KIND
from adjudge.ledger import NewAttachment

if TYPE_CHECKING:
    from adjudge.ledger import Ledger
    from adjudge.stats import Estimate

_FEWEST_CLUSTERS = 5
_RISK = 0.05
"""Of ever calling a judge calibrated that is not. The lower ends of all looks at the same trials share it,
the k-th with 1 / (k (k + 1)) of it, which adds up to 1; the first look is at a level of 95 %."""


class VerdictPair(Struct, frozen=True):
    """One trial that the judge and people gave a verdict on."""

    trial_id: str
    task: str
    agent: str
    size: int
    judge: Verdict
    people: Verdict
    chance: float | None = None
    """Of being chosen for review; None: not known."""


class UnlabelledScore(Struct, frozen=True):
    """One trial that the judge gave a verdict on, and nobody else did: its place from 0 to 1."""

    task: str
    place: float
    chance: float | None = None
    """Of being chosen for review, if it was; None: it was not, or that is not known."""


def calibrate_criterion(
    dimension: JudgeDimension,
    pairs: Sequence[VerdictPair],
    others: Sequence[UnlabelledScore],
    *,
    threshold: float = 0.6,
    min_items: int = 30,
    draws: int | None = None,
    looks: int = 1,
) -> dict[str, Any]:
    """What the pairs show, as plain JSON. `others` are the judge's scores of trials that nobody labelled.

    `looks` is the how-many-th calibration on these trials it is; the level of its agreement pays for that.

    No pairs, or a judge that always says the same, show nothing: then it is not calibrated, with the reason.
    """
    pairs = sorted(pairs, key=lambda pair: pair.trial_id)
    level = 1 - 2 * _RISK / (looks * (looks + 1))
    agreement = _agreements(dimension, pairs, draws, level)
    main = agreement["alpha" if dimension.scale.kind is ScaleKind.NUMERIC else "kappa"]
    low = None if main["interval"] is None else main["interval"]["low"]
    why = None
    if len(pairs) < min_items:
        why = f"{len(pairs)} trials with both verdicts, and {min_items} are needed"
    elif low is None:
        why = main["reason"] or "the agreement has no interval"
    elif low < threshold:
        why = f"the lower end of {main['method']} is {low:.3f}, below {threshold:g}"
    return {
        "criterion": dimension.id,
        "items": len(pairs),
        "calibrated": why is None,
        "why_not": why,
        "lower_end": low,
        "looks": looks,
        "level": level,
        "trials": [pair.trial_id for pair in pairs],
        "threshold": threshold,
        "min_items": min_items,
        "agreement": agreement,
        "confusion": _confusion(dimension, pairs),
        **(_rates(pairs) if dimension.scale.kind is ScaleKind.BINARY else {}),
        "leniency": _leniency(dimension, pairs),
        "estimates": _estimates(dimension, pairs, others),
    }


def make_pairs(
    ledger: Ledger,
    dimension: JudgeDimension,
    judge: str,
    made: Mapping[str, Mapping[str, JudgeRecord]],
    people: Mapping[str, Verdict],
) -> tuple[list[VerdictPair], list[UnlabelledScore]]:
    """The trials with both verdicts, and the judge's scores of the others. Abstentions are in neither."""
    from adjudge.ledger import read_selections

    chosen = read_selections(ledger, made)
    pairs, others = [], []
    for trial_id, by_judge in made.items():
        if judge not in by_judge:
            continue
        [result] = [one for one in by_judge[judge].dimensions if one.id == dimension.id]
        if result.score is None:
            continue
        record = ledger.get(trial_id)
        known = [one.probability for one in chosen.get(trial_id, []) if one.probability is not None]
        chance = known[-1] if known else None
        if trial_id not in people:
            others.append(UnlabelledScore(record.task_id, result.score, chance))
            continue
        verdict = result.verdict
        if verdict is None:
            if dimension.scale.kind is not ScaleKind.NUMERIC:
                continue  # a median between two levels is no level
            verdict = float(dimension.scale.low or 0) + result.score * (
                float(dimension.scale.high or 0) - float(dimension.scale.low or 0)
            )
        pairs.append(
            VerdictPair(
                trial_id,
                record.task_id,
                record.agent.name,
                record.output.size_bytes or 0,
                verdict,
                people[trial_id],
                chance,
            )
        )
    return pairs, others


def _agreements(
    dimension: JudgeDimension, pairs: Sequence[VerdictPair], draws: int | None, level: float
) -> dict[str, Any]:
    from adjudge.stats import Method, cohen_kappa, gwet_ac1, krippendorff_alpha

    method = Method(level=level, resamples=draws)
    a, b = [pair.judge for pair in pairs], [pair.people for pair in pairs]
    tasks = [pair.task for pair in pairs]
    cluster = _clusters(tasks)
    kind = dimension.scale.kind
    table = list(zip(a, b, strict=True))
    if kind is ScaleKind.NUMERIC:
        return {"alpha": _shown(krippendorff_alpha(table, metric="interval", cluster=cluster, method=method))}
    categories = dimension.scale.categories
    weights: Literal["linear"] | None = "linear" if kind is ScaleKind.ORDINAL else None
    metric: Literal["ordinal", "nominal"] = "ordinal" if kind is ScaleKind.ORDINAL else "nominal"
    return {
        "kappa": _shown(
            cohen_kappa(a, b, weights=weights, categories=categories, cluster=cluster, method=method)
        ),
        "alpha": _shown(
            krippendorff_alpha(table, metric=metric, categories=categories, cluster=cluster, method=method)
        ),
        "ac1": _shown(gwet_ac1(table, categories=categories, cluster=cluster, method=method)),
    }


def _confusion(dimension: JudgeDimension, pairs: Sequence[VerdictPair]) -> list[list[Any]] | None:
    """[people, judge, how many], every combination; None for a numeric scale."""
    categories = dimension.scale.categories
    if categories is None:
        return None
    return [
        [people, judge, sum(pair.people == people and pair.judge == judge for pair in pairs)]
        for people in categories
        for judge in categories
    ]


def _rates(pairs: Sequence[VerdictPair]) -> dict[str, Any]:
    """How often the judge sees what is good, and what is bad."""
    from adjudge.stats import wilson_interval

    def rate(wanted: bool) -> dict[str, Any]:
        of = [pair for pair in pairs if pair.people is wanted]
        hits = sum(pair.judge is wanted for pair in of)
        return {
            "value": hits / len(of) if of else None,
            "hits": hits,
            "of": len(of),
            "interval": _interval(wilson_interval(hits, len(of))) if of else None,
        }

    return {"sensitivity": rate(True), "specificity": rate(False)}


def _leniency(dimension: JudgeDimension, pairs: Sequence[VerdictPair]) -> dict[str, Any]:
    """The judge's place minus the people's: over all, for long and short outputs, and by agent."""

    def place(verdict: Verdict) -> float:
        found = dimension.scale.place(verdict)
        return 0.0 if found is None else found  # every verdict was checked against its scale

    gaps = [(pair, place(pair.judge) - place(pair.people)) for pair in pairs]
    sizes = sorted(pair.size for pair in pairs)
    middle = sizes[len(sizes) // 2] if sizes else 0
    agents = sorted({pair.agent for pair in pairs})
    return {
        "all": _mean_gap([gap for _, gap in gaps]),
        "shorter": _mean_gap([gap for pair, gap in gaps if pair.size < middle]),
        "longer": _mean_gap([gap for pair, gap in gaps if pair.size >= middle]),
        "by_agent": {
            agent: _mean_gap([gap for pair, gap in gaps if pair.agent == agent]) for agent in agents
        },
    }


def _mean_gap(gaps: Sequence[float]) -> dict[str, Any]:
    """The mean of differences from -1 to 1, with its interval."""
    from adjudge.stats import confidence_from_repeats

    if not gaps:
        return {"value": None, "n": 0, "interval": None}
    found = confidence_from_repeats([(gap + 1) / 2 for gap in gaps]).interval
    interval = None if found is None else {"low": 2 * found.low - 1, "high": 2 * found.high - 1}
    return {"value": math.fsum(gaps) / len(gaps), "n": len(gaps), "interval": interval}


def _estimates(
    dimension: JudgeDimension, pairs: Sequence[VerdictPair], others: Sequence[UnlabelledScore]
) -> dict[str, Any]:
    """What people would say of all trials: from the judge's verdicts corrected, and from both together.

    By the same procedures as in reports. A label of a trial that somebody picked says nothing of the others:
    its judge's score counts, the label does not.
    """
    from adjudge.stats import prediction_powered_mean, reviewed_mean, why_not_a_sample

    drawn = [pair for pair in pairs if pair.chance is not None]
    if not drawn:
        return {"none": "nobody recorded with which probability the labelled trials were chosen"}
    chances = [float(pair.chance or 0) for pair in drawn]
    chosen = chances + [other.chance for other in others if other.chance is not None]
    why = why_not_a_sample(chosen, len(pairs) + len(others))
    if why is not None:
        return {"none": why}
    place = dimension.scale.place
    labels = [place(pair.people) or 0.0 for pair in drawn]
    alone = [other.place for other in others]
    alone += [place(pair.judge) or 0.0 for pair in pairs if pair.chance is None]
    cluster = _clusters([pair.task for pair in drawn])
    found = {
        "reviewed": _shown(reviewed_mean(labels, chances, cluster=cluster)),
        "prediction_powered": _shown(
            prediction_powered_mean(
                labels,
                [place(pair.judge) or 0.0 for pair in drawn],
                alone,
                chances=chances,
                cluster=cluster,
            )
        ),
    }
    if dimension.scale.kind is ScaleKind.BINARY:
        found["corrected"] = _shown(_corrected(drawn, pairs, others, chances))
    return found


def _corrected(
    drawn: Sequence[VerdictPair],
    pairs: Sequence[VerdictPair],
    others: Sequence[UnlabelledScore],
    chances: Sequence[float],
) -> Estimate:
    from adjudge.stats import corrected_pass_rate, effective_counts

    every = [(pair.task, pair.judge is True) for pair in pairs]
    every += [(other.task, other.place >= 1) for other in others]
    passed, n = effective_counts([hit for _, hit in every], 1.0, _clusters([task for task, _ in every]))
    counts: dict[str, Any] = {}
    for right, part, whole in ((True, "true_passes", "positives"), (False, "true_fails", "negatives")):
        of = [(pair, chance) for pair, chance in zip(drawn, chances, strict=True) if pair.people is right]
        counts[part], counts[whole] = effective_counts(
            [pair.judge is right for pair, _ in of],
            [chance for _, chance in of],
            _clusters([pair.task for pair, _ in of]),
        )
    return corrected_pass_rate(passed, n, **counts)


def _clusters(tasks: Sequence[str]) -> Sequence[str] | None:
    """Trials of one task go together; with too few tasks each trial stands for itself."""
    return tasks if len(set(tasks)) >= _FEWEST_CLUSTERS else None


def record_calibration(ledger: Ledger, judge: str, rubric: str, found: dict[str, Any]) -> str:
    """Record a calibration; its key. Whatever the newest one of a judge and criterion says holds."""
    document = {"judge": judge, "rubric": rubric, **found}
    before = sum(1 for _ in ledger.attached(CALIBRATION_KIND))
    text = json.dumps([before, document], sort_keys=True)
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    ledger.attach([NewAttachment(CALIBRATION_KIND, key, document)])
    return key


def count_looks(ledger: Ledger, rubric: str, criterion: str, judge: str, trial_ids: Sequence[str]) -> int:
    """The how-many-th look at these trials a calibration is; the same one again is no new look."""
    now = (judge, tuple(sorted(trial_ids)))
    mine = set(trial_ids)
    earlier = {
        (row.document["judge"], tuple(row.document.get("trials", ())))
        for row in ledger.attached(CALIBRATION_KIND)
        if (row.document["rubric"], row.document["criterion"]) == (rubric, criterion)
        and mine.intersection(row.document.get("trials", ()))
    }
    return len(earlier | {now})


def drift(ledger: Ledger, judge: str, found: dict[str, Any]) -> dict[str, Any] | None:
    """How the main agreement has changed since this judge's last calibration; None if there is none.

    `changed` says that neither agreement lies in the other's interval.
    """
    earlier = [
        row.document
        for row in ledger.attached(CALIBRATION_KIND)
        if (row.document["judge"], row.document["criterion"]) == (judge, found["criterion"])
    ]
    if not earlier:
        return None
    name = "kappa" if "kappa" in found["agreement"] else "alpha"
    now, then = found["agreement"][name], earlier[-1]["agreement"][name]
    changed = None
    if None not in (now["value"], then["value"], now["interval"], then["interval"]):
        changed = not (_inside(now, then) or _inside(then, now))
    return {"measure": name, "then": then["value"], "now": now["value"], "changed": changed}


def _inside(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(other["interval"]["low"] <= one["value"] <= other["interval"]["high"])


def _shown(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "interval": None if estimate.interval is None else _interval(estimate.interval),
        "n": estimate.n,
        "method": estimate.method,
        "reason": estimate.reason,
    }


def _interval(interval: Interval) -> dict[str, float]:
    return {"low": interval.low, "high": interval.high}
