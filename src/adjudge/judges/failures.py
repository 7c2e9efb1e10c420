"""Why did a trial fail? A judge picks one of the given categories, or says that it is another kind.

Only given categories become tags (`source = judge`), with a reason, a confidence and quotes that stand in the
output. Failures of another kind are put together by the words of their reasons and proposed under a name; a
person confirms a name before anything is tagged by it. Everything goes through the same prompt, parsing and
cache as a rubric.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudge.contracts import ErrorSource, ErrorTag, TrialRecord
from adjudge.judges.calls.asking import Asker
from adjudge.judges.calls.call import Request
from adjudge.judges.material import Material, NoMaterial, capped, output_text, trace_digest, trace_turns
from adjudge.judges.pipeline import HeardVotes, Panel, ask_group, group_requests
from adjudge.judges.prompt import PROMPT_VERSION
from adjudge.judges.rubric import JudgeDimension, OfflineRule
from adjudge.judges.scale import Level, Scale, ScaleKind
from adjudge.judges.votes import check_quotes
from adjudge.ledger import NewAttachment
from adjudge.scoring import breakdown_rows

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

FAILURE_KIND = "failure classification"
OTHER = "another kind of failure"
_ALIKE = 0.4
_WORD = re.compile(r"[a-z]{4,}")
_COMMON = frozenset({"that", "this", "with", "from", "have", "been", "were", "does", "which", "into"})


class FailureCluster(Struct, frozen=True):
    """Failures of one kind over many trials; `confirmed` if their category was given by a person."""

    name: str
    trials: tuple[str, ...]
    confirmed: bool


def classify_failure(
    ledger: Ledger, record: TrialRecord, categories: Mapping[str, str | None], panel: Panel, asker: Asker
) -> dict[str, Any]:
    """What the judges say, as plain JSON. `categories` may have patterns for the offline judge.

    `category` is None if they abstain, or if there is nothing to read: `why`. NotAsked as for judging.
    """
    output = output_text(ledger, record)
    if isinstance(output, NoMaterial):
        return {"category": None, "why": output.why}
    heard = HeardVotes()
    ask_group([_question(categories)], _materials(record, output), panel, asker, heard)
    votes = heard.votes.get("failure", [])
    given = Counter(vote.verdict for vote in votes if vote.verdict is not None).most_common(2)
    if not given or (len(given) == 2 and given[0][1] == given[1][1]):
        why = votes[0].why if votes and not given else "the verdicts are split evenly"
        return {"category": None, "why": why or "the judge could not tell"}
    category, times = str(given[0][0]), given[0][1]
    quotes, invented = check_quotes(heard.quotes.get("failure", []), output)
    return {
        "category": category,
        "confidence": times / len(votes),
        "reason": next(vote.reason for vote in votes if vote.verdict == category),
        "quotes": [json.loads(quote.model_dump_json()) for quote in quotes],
        "invented_quotes": invented,
        "began_at_turn": _began(ledger, record, panel, asker),
        "calls": heard.calls,
    }


def failure_requests(
    ledger: Ledger, record: TrialRecord, categories: Mapping[str, str | None], panel: Panel
) -> list[Request]:
    """The calls that classifying a failure begins with, for an estimate; repeated ones come on top."""
    output = output_text(ledger, record)
    if isinstance(output, NoMaterial):
        return []
    found = group_requests([_question(categories)], _materials(record, output), panel)
    began = _began_question(ledger, record)
    return found + (group_requests(began.asked, began.materials, panel) if began is not None else [])


def failure_key(
    ledger: Ledger, record: TrialRecord, categories: Mapping[str, str | None], panel: Panel
) -> str:
    """The same question to the same judges about the same output, evidence and trace is asked once."""
    facts = [
        PROMPT_VERSION,
        dict(sorted(categories.items())),
        list(panel.models),
        panel.samples,
        panel.temperature,
        panel.max_tokens,
        panel.addresses,
        panel.form.value,
        record.output.sha256,
        _evidence(record),
        trace_digest(ledger, record.trial_id),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def known_failure(ledger: Ledger, trial_id: str, key: str) -> dict[str, Any] | None:
    """What was said about this question before, under the category that a person has confirmed since."""
    rows = list(ledger.attached(FAILURE_KIND, trial_ids=[trial_id]))
    said = next((row.document for row in rows if row.key == key), None)
    if said is None or said["category"] != OTHER:
        return said
    confirmed = [row.document for row in rows if row.key == _confirmed_key(row.document["category"], said)]
    return confirmed[-1] if confirmed else said


def record_failure(ledger: Ledger, trial_id: str, key: str, found: dict[str, Any]) -> None:
    """Keep a classification, and tag the trial if it fell under a given category."""
    ledger.attach([NewAttachment(FAILURE_KIND, key, found, trial_id)])
    if found["category"] not in (None, OTHER):
        ledger.add_tags(trial_id, [failure_tag(found["category"], found)])


def confirm_failures(ledger: Ledger, category: str, found: Mapping[str, Mapping[str, Any]]) -> int:
    """Tag proposed failures by trial with the category that a person gave them; how many tags were new.

    The classification is kept under that category, so that whatever is known of it, such as the turn at which
    the failure began, counts for the category.
    """
    ledger.attach(
        [
            NewAttachment(
                FAILURE_KIND, _confirmed_key(category, one), {**one, "category": category}, trial_id
            )
            for trial_id, one in found.items()
        ]
    )
    return sum(ledger.add_tags_all([(i, failure_tag(category, one)) for i, one in found.items()]))


def _confirmed_key(category: str, found: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps([category, found], sort_keys=True).encode()).hexdigest()


def began_at_turns(ledger: Ledger, trial_ids: Iterable[str]) -> dict[str, list[int]]:
    """Category -> at which turns failures began, sorted; by the newest word of judges on each trial."""
    newest = {str(row.trial_id): row.document for row in ledger.attached(FAILURE_KIND, trial_ids=trial_ids)}
    found: dict[str, list[int]] = {}
    for document in newest.values():
        turn, category = document.get("began_at_turn"), document["category"]
        if turn is not None and category is not None:
            found.setdefault(category, []).append(turn)
    return {category: sorted(turns) for category, turns in found.items()}


def failure_tag(category: str, found: Mapping[str, Any]) -> ErrorTag:
    """The tag of a classified failure, with what speaks for it."""
    turn = found.get("began_at_turn")
    parts = [f"{found['reason'][:300]} (confidence {found['confidence']:.2f}, uncalibrated)"]
    parts += [f"began at turn {turn}"] if turn is not None else []
    parts += [f'at {quote["start"]}: "{quote["text"][:120]}"' for quote in found["quotes"][:1]]
    return ErrorTag(category=category, description="; ".join(parts), source=ErrorSource.JUDGE)


def cluster_failures(found: Mapping[str, Mapping[str, Any]]) -> list[FailureCluster]:
    """Trials by kind of failure: the given categories, then proposals for the others, largest first."""
    by_category: dict[str, list[str]] = {}
    groups: list[tuple[set[str], list[str]]] = []
    for trial_id, one in sorted(found.items()):
        if one["category"] is None:
            continue
        if one["category"] != OTHER:
            by_category.setdefault(one["category"], []).append(trial_id)
            continue
        words = _words(one["reason"])
        group = next((group for group in groups if _alike(words, group[0]) >= _ALIKE), None)
        if group is None:
            groups.append((words, [trial_id]))
        else:
            group[1].append(trial_id)
    known = [FailureCluster(name, tuple(ids), True) for name, ids in by_category.items()]
    proposed = [FailureCluster(_name(ids, found), tuple(ids), False) for _, ids in groups]
    return sorted([*known, *proposed], key=lambda one: (not one.confirmed, -len(one.trials), one.name))


def _question(categories: Mapping[str, str | None]) -> JudgeDimension:
    labels = [*categories, OTHER]
    return JudgeDimension(
        id="failure",
        criterion="The verifier found this output wrong. Which category says best why?",
        scale=Scale(
            kind=ScaleKind.ORDINAL,
            levels=[Level(label=label, score=float(number)) for number, label in enumerate(labels)],
        ),
        see=["output"],
        patterns=[
            OfflineRule(match=pattern, verdict=name)
            for name, pattern in categories.items()
            if pattern is not None
        ],
        otherwise=OTHER,
    )


def _materials(record: TrialRecord, output: str) -> list[Material]:
    return [capped("output", output), capped("evidence", _evidence(record))]


class _BeganQuestion(Struct, frozen=True):
    asked: tuple[JudgeDimension]
    materials: list[Material]
    turns: range
    """The turns that the trace has: another number is no answer."""


def _began_question(ledger: Ledger, record: TrialRecord) -> _BeganQuestion | None:
    turns = trace_turns(ledger, record.trial_id)
    if isinstance(turns, NoMaterial) or not turns:
        return None
    question = JudgeDimension(
        id="began",
        criterion="At which turn did the failure begin? Give the number of the turn.",
        scale=Scale(kind=ScaleKind.NUMERIC, low=0.0, high=float(max(1, len(turns) - 1))),
        see=["trace"],
    )
    materials = [capped("trace", "\n".join(turns)), capped("evidence", _evidence(record))]
    return _BeganQuestion((question,), materials, range(len(turns)))


def _began(ledger: Ledger, record: TrialRecord, panel: Panel, asker: Asker) -> int | None:
    """The turn at which the failure began; None without a trace or an answer. The median of turns."""
    question = _began_question(ledger, record)
    if question is None:
        return None
    heard = HeardVotes()
    ask_group(question.asked, question.materials, panel, asker, heard)
    said = [vote.verdict for vote in heard.votes.get("began", [])]
    turns = sorted(int(turn) for turn in said if isinstance(turn, int | float) and turn in question.turns)
    return turns[len(turns) // 2] if turns else None


def _evidence(record: TrialRecord) -> str:
    lines = [f"reward {record.evaluation.reward:g}", *record.evaluation.validity.errors[:20]]
    lines += [
        f"{row.field}: {row.score} of {row.max_score}: {row.evidence or ''}"
        for row in breakdown_rows(record.evaluation.breakdown or {})[:100]
    ]
    return "\n".join(lines)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower())) - _COMMON


def _alike(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0


def _name(ids: Sequence[str], found: Mapping[str, Mapping[str, Any]]) -> str:
    counts = Counter(word for trial_id in ids for word in sorted(_words(found[trial_id]["reason"])))
    best = sorted(counts, key=lambda word: (-counts[word], word))[:3]
    return " ".join(best) or "no reason given"
