"""Which trials, and by which keys: the columns that report, comparison, gate and plan are made from.

A key that no trial has is refused with the keys there are; it would otherwise drop the clustering or make one
group of everything. If no cluster is asked for and the trials carry the metadata key `cluster`, which a
manifest or a task's `[metadata]` can set, that is the cluster; `none` asks for none.
"""

from __future__ import annotations

from itertools import islice

from msgspec.structs import replace

from adjudge.errors import UsageError
from adjudge.ledger import Ledger, TrialColumns, TrialFilter, may_have_metadata
from adjudge.reports.building.groups import METADATA, metadata_keys
from adjudge.reports.models.choices import Choices

DECLARED = "cluster"
"""The metadata key that declares a cluster."""
NO_CLUSTER = "none"
_LOOKED_AT = 5_000
"""Trials whose metadata is looked into for keys to name, if one was asked for that does not exist."""
_OUTCOME_FIELDS = (
    *("outcome", "tag", "min_reward", "max_reward", "output_parseable", "schema_valid"),
    *("verifier_completed", "annotated", "reviewer", "disagreement"),
)


def read_columns_for(ledger: Ledger, wanted: TrialFilter, choices: Choices) -> tuple[TrialColumns, Choices]:
    """The columns that these choices need, and the choices with the cluster settled.

    UsageError for a metadata key that none of the trials has.
    """
    declared = None
    if choices.cluster == NO_CLUSTER:
        choices = choices.model_copy(update={"cluster": None})
    elif choices.cluster is None and may_have_metadata(ledger, DECLARED):
        declared = METADATA + DECLARED
    asked = metadata_keys(choices.group_by, choices.cluster)
    columns = ledger.columns(wanted, metadata=metadata_keys(choices.group_by, choices.cluster, declared))
    if declared is not None and (columns.metadata[DECLARED].codes >= 0).any():
        choices = choices.model_copy(update={"cluster": declared})
    elif declared is not None:
        columns = replace(columns, metadata={key: columns.metadata[key] for key in asked})
    for name, option in ((choices.group_by, "the grouping"), (choices.cluster, "the cluster")):
        key = (name or "").removeprefix(METADATA)
        if len(columns) and key in columns.metadata and (columns.metadata[key].codes < 0).all():
            there = ", ".join(METADATA + known for known in _keys(ledger, wanted))
            raise UsageError(
                "none of these trials has this metadata key",
                field=option,
                found=name,
                allowed=there or "no metadata key: these trials have none",
            )
    return columns, choices


def _keys(ledger: Ledger, wanted: TrialFilter) -> list[str]:
    records = islice(ledger.iterate(wanted, streams=False), _LOOKED_AT)
    return sorted({key for record in records for key in record.metadata})


def scope_notes(choices: Choices, wanted: TrialFilter | None) -> tuple[str, ...]:
    """What the numbers stand on, in sentences: the filter, a warning if it picks by outcome, the cluster."""
    said = []
    narrowed = {} if wanted is None else wanted.model_dump(mode="json", exclude_defaults=True)
    narrowed.pop("threshold", None)
    if narrowed:
        said.append(f"Only trials with {', '.join(_phrase(*item) for item in narrowed.items())}.")
    picked = [name for name in narrowed if name in _OUTCOME_FIELDS]
    if picked:
        names = " and ".join(name.replace("_", " ") for name in picked)
        said.append(
            f"These trials were picked by what became of them ({names}): their means are not those of an "
            "agent, and a difference between them may come from the picking alone."
        )
    if choices.cluster is not None:
        said.append(f"Tasks of one {choices.cluster} count as one cluster in every error and interval.")
    return tuple(said)


def _phrase(name: str, value: object) -> str:
    words = " or ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{name.replace('_', ' ')} {words}"
