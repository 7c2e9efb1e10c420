"""What people say of one criterion of one trial.

Labels come from a JSONL file, or from annotations that answer a criterion. The newest of a reviewer counts,
the people's is that of most reviewers, and a tie is missing. Uses of trials stand in `uses.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from adjudge.contracts import BadJson, Judgment, Name, StrictModel, TrialId, load_json, problem_of
from adjudge.errors import UsageError
from adjudge.judges.rubric import JudgeRubric
from adjudge.judges.scale import Verdict
from adjudge.ledger import NewAttachment

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

LABEL_KIND = "criterion label"
_MOST_BYTES = 1 << 20


class CriterionLabel(StrictModel):
    """One line of a file of labels."""

    trial_id: TrialId
    criterion: Name
    verdict: bool | str | float
    reviewer: Name


def read_labels(path: Path, rubric: JudgeRubric) -> list[CriterionLabel]:
    """The labels in a JSONL file. UsageError names the first bad line: a label must not be lost unseen."""
    dimensions = {dimension.id: dimension for dimension in rubric.judged}
    found = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"the labels cannot be read: {error.strerror}", file=path) from None
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            label = CriterionLabel.model_validate(load_json(line, max_bytes=_MOST_BYTES))
        except BadJson as error:
            raise UsageError(str(error), file=where) from None
        except ValidationError as error:
            raise UsageError(problem_of(error, file=where, model=CriterionLabel)) from None
        dimension = dimensions.get(label.criterion)
        if dimension is None:
            raise UsageError(
                "no such criterion", file=where, found=label.criterion, allowed=", ".join(dimensions)
            )
        if dimension.scale.place(label.verdict) is None:
            raise UsageError(
                "no verdict of this criterion",
                file=where,
                found=label.verdict,
                allowed=dimension.scale.describe(),
            )
        found.append(label)
    return found


def record_labels(ledger: Ledger, rubric: JudgeRubric, labels: Sequence[CriterionLabel]) -> int:
    """Keep labels with their trials; how many were new."""
    items = [
        NewAttachment(
            LABEL_KIND,
            _key(rubric.name, label),
            {"rubric": rubric.name, **label.model_dump()},
            label.trial_id,
        )
        for label in labels
    ]
    return sum(ledger.attach(items))


def people_of(
    ledger: Ledger, rubric: JudgeRubric, trial_ids: Iterable[str], annotated: str | None = None
) -> dict[str, dict[str, Verdict]]:
    """Criterion -> trial -> the verdict of most reviewers. `annotated` is answered by annotations, too."""
    wanted = list(trial_ids)
    said: dict[tuple[str, str], dict[str, Verdict]] = {}
    for row in ledger.attached(LABEL_KIND, trial_ids=wanted):
        if row.document["rubric"] == rubric.name:
            label = CriterionLabel.model_validate_json(
                json.dumps({name: row.document[name] for name in CriterionLabel.model_fields})
            )
            said.setdefault((label.criterion, label.trial_id), {})[label.reviewer] = label.verdict
    if annotated is not None:
        for trial_id in wanted:
            for note in ledger.get(trial_id).evaluation.annotations or ():
                if note.judgment is not Judgment.DEFER:
                    people = said.setdefault((annotated, trial_id), {})
                    people.setdefault(note.reviewer_id, note.judgment is Judgment.PASS)
    found: dict[str, dict[str, Verdict]] = {}
    for (criterion, trial_id), verdicts in said.items():
        if (most := _most(verdicts)) is not None:
            found.setdefault(criterion, {})[trial_id] = most
    return found


def _most(verdicts: Mapping[str, Verdict]) -> Verdict | None:
    counts = Counter(verdicts.values()).most_common(2)
    return None if len(counts) == 2 and counts[0][1] == counts[1][1] else counts[0][0]


def _key(rubric: str, label: CriterionLabel) -> str:
    return hashlib.sha256(f"{rubric}\0{label.model_dump_json()}".encode("utf-8", "surrogatepass")).hexdigest()
