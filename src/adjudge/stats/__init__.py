"""Estimates, intervals, comparisons and agreement: pure functions on arrays, no I/O.

Start from `TrialTable.of(task, reward, status=…, cluster=…)`, one agent's trials as columns, and hand it to
`mean_reward`, `pass_at_k` or `paired_difference`. Every number comes back as an `Estimate`; a `Method` says
how it is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.stats.estimate import Bounds, Coverage, Estimate, Policy
    from adjudge.stats.means.intervals import wilson_interval
    from adjudge.stats.means.mean import mean_reward
    from adjudge.stats.means.passk import ShortTask, largest_k, left_out, pass_at_k, pass_hat_k
    from adjudge.stats.method import IntervalMethod, Method
    from adjudge.stats.pairs.gate import GateOutcome, GateVerdict, gate
    from adjudge.stats.pairs.many import RankedAgent, rank_agents
    from adjudge.stats.pairs.multiplicity import benjamini_hochberg
    from adjudge.stats.pairs.paired import PairedComparison, paired_difference
    from adjudge.stats.pairs.sides import reduce_side
    from adjudge.stats.planning.curve import PowerPoint, pilot_curve, power_curve
    from adjudge.stats.planning.plan import PowerPlan, plan_from_parts, plan_power
    from adjudge.stats.planning.power import VarianceParts, fewest_groups
    from adjudge.stats.planning.sequential import (
        SequentialVerdict,
        Watched,
        confidence_sequence,
        fixed_order,
        sequential_gate,
        watch_difference,
        watch_mean,
    )
    from adjudge.stats.reviews.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha
    from adjudge.stats.reviews.confidence import (
        confidence_from_annotations,
        confidence_from_repeats,
        confidence_of,
    )
    from adjudge.stats.reviews.corrected import corrected_pass_rate
    from adjudge.stats.reviews.predicted import prediction_powered_mean
    from adjudge.stats.reviews.reviewed import (
        effective_counts,
        inclusion_chances,
        reviewed_mean,
        why_not_a_sample,
    )
    from adjudge.stats.trial_table import Status, TrialTable, split, status_codes, task_table


__all__ = [
    "Bounds",
    "Coverage",
    "Estimate",
    "GateOutcome",
    "GateVerdict",
    "IntervalMethod",
    "Method",
    "PairedComparison",
    "Policy",
    "PowerPlan",
    "PowerPoint",
    "RankedAgent",
    "SequentialVerdict",
    "ShortTask",
    "Status",
    "TrialTable",
    "VarianceParts",
    "Watched",
    "benjamini_hochberg",
    "cohen_kappa",
    "confidence_from_annotations",
    "confidence_from_repeats",
    "confidence_of",
    "confidence_sequence",
    "corrected_pass_rate",
    "effective_counts",
    "fewest_groups",
    "fixed_order",
    "gate",
    "gwet_ac1",
    "inclusion_chances",
    "krippendorff_alpha",
    "largest_k",
    "left_out",
    "mean_reward",
    "paired_difference",
    "pass_at_k",
    "pass_hat_k",
    "pilot_curve",
    "plan_from_parts",
    "plan_power",
    "power_curve",
    "prediction_powered_mean",
    "rank_agents",
    "reduce_side",
    "reviewed_mean",
    "sequential_gate",
    "split",
    "status_codes",
    "task_table",
    "watch_difference",
    "watch_mean",
    "why_not_a_sample",
    "wilson_interval",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "estimate": ("Bounds", "Coverage", "Estimate", "Policy"),
        "means.intervals": ("wilson_interval",),
        "means.mean": ("mean_reward",),
        "means.passk": ("ShortTask", "largest_k", "left_out", "pass_at_k", "pass_hat_k"),
        "method": ("IntervalMethod", "Method"),
        "pairs.gate": ("GateOutcome", "GateVerdict", "gate"),
        "pairs.many": ("RankedAgent", "rank_agents"),
        "pairs.multiplicity": ("benjamini_hochberg",),
        "pairs.paired": ("PairedComparison", "paired_difference"),
        "pairs.sides": ("reduce_side",),
        "planning.curve": ("PowerPoint", "pilot_curve", "power_curve"),
        "planning.plan": ("PowerPlan", "plan_from_parts", "plan_power"),
        "planning.power": ("VarianceParts", "fewest_groups"),
        "planning.sequential": (
            "SequentialVerdict",
            "Watched",
            "confidence_sequence",
            "fixed_order",
            "sequential_gate",
            "watch_difference",
            "watch_mean",
        ),
        "reviews.agreement": ("cohen_kappa", "gwet_ac1", "krippendorff_alpha"),
        "reviews.confidence": ("confidence_from_annotations", "confidence_from_repeats", "confidence_of"),
        "reviews.corrected": ("corrected_pass_rate",),
        "reviews.predicted": ("prediction_powered_mean",),
        "reviews.reviewed": ("effective_counts", "inclusion_chances", "reviewed_mean", "why_not_a_sample"),
        "trial_table": ("Status", "TrialTable", "split", "status_codes", "task_table"),
    },
)
