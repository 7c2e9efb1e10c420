"""Estimates, intervals, comparisons and agreement: pure functions on arrays, no I/O.

Start from `TrialTable.of(task, reward, status=…, cluster=…)`, one agent's trials as columns, and hand it to
`mean_reward`, `pass_at_k` or `paired_difference`. Every number comes back as an `Estimate`; a `Method` says
how it is made.
"""

from adjudge.stats.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha
from adjudge.stats.confidence import confidence_from_annotations, confidence_from_repeats, confidence_of
from adjudge.stats.corrected import corrected_pass_rate
from adjudge.stats.estimate import Bounds, Coverage, Estimate, Policy
from adjudge.stats.gate import GateOutcome, GateVerdict, gate
from adjudge.stats.many import RankedAgent, rank_agents
from adjudge.stats.mean import mean_reward
from adjudge.stats.method import IntervalMethod, Method
from adjudge.stats.multiplicity import benjamini_hochberg
from adjudge.stats.paired import PairedComparison, paired_difference
from adjudge.stats.passk import pass_at_k, pass_hat_k
from adjudge.stats.planning import PowerPlan, PowerPoint, plan_from_parts, plan_power, power_curve
from adjudge.stats.power import VarianceParts
from adjudge.stats.predicted import prediction_powered_mean
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
    "Status",
    "TrialTable",
    "VarianceParts",
    "benjamini_hochberg",
    "cohen_kappa",
    "confidence_from_annotations",
    "confidence_from_repeats",
    "confidence_of",
    "corrected_pass_rate",
    "gate",
    "gwet_ac1",
    "krippendorff_alpha",
    "mean_reward",
    "paired_difference",
    "pass_at_k",
    "pass_hat_k",
    "plan_from_parts",
    "plan_power",
    "power_curve",
    "prediction_powered_mean",
    "rank_agents",
    "split",
    "status_codes",
    "task_table",
]
