"""Estimates, intervals, comparisons and agreement: pure functions on arrays, no I/O.

Start from `Trials.of(task, reward, status=…, cluster=…)`, one agent's trials as columns, and hand it to
`mean_reward`, `pass_at_k` or `paired_difference`. Every number comes back as an `Estimate`.
"""

from adjudge.stats.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha
from adjudge.stats.bootstrap import bca_interval
from adjudge.stats.confidence import confidence_from_annotations, confidence_from_repeats, confidence_of
from adjudge.stats.corrected import corrected_pass_rate
from adjudge.stats.estimate import Bounds, Coverage, Estimate, Policy
from adjudge.stats.gate import GateOutcome, GateVerdict, gate
from adjudge.stats.intervals import clopper_pearson_interval, wilson_interval
from adjudge.stats.many import AgentPair, RankedAgent, Ranking, rank_agents
from adjudge.stats.mean import mean_reward
from adjudge.stats.multiplicity import benjamini_hochberg, holm
from adjudge.stats.paired import McNemar, PairedComparison, paired_difference
from adjudge.stats.passk import pass_at_k, pass_hat_k
from adjudge.stats.permutation import PValue, mcnemar_p, sign_flip_p
from adjudge.stats.power import (
    PowerPlan,
    VarianceParts,
    detectable_difference,
    plan_power,
    required_attempts,
    required_tasks,
)
from adjudge.stats.predicted import prediction_powered_mean
from adjudge.stats.trials import Status, TaskTable, Trials, split, status_codes, task_table
from adjudge.stats.units import IntervalMethod, UnitMean, mean_of_units

__all__ = [
    "AgentPair",
    "Bounds",
    "Coverage",
    "Estimate",
    "GateOutcome",
    "GateVerdict",
    "IntervalMethod",
    "McNemar",
    "PValue",
    "PairedComparison",
    "Policy",
    "PowerPlan",
    "RankedAgent",
    "Ranking",
    "Status",
    "TaskTable",
    "Trials",
    "UnitMean",
    "VarianceParts",
    "bca_interval",
    "benjamini_hochberg",
    "clopper_pearson_interval",
    "cohen_kappa",
    "confidence_from_annotations",
    "confidence_from_repeats",
    "confidence_of",
    "corrected_pass_rate",
    "detectable_difference",
    "gate",
    "gwet_ac1",
    "holm",
    "krippendorff_alpha",
    "mcnemar_p",
    "mean_of_units",
    "mean_reward",
    "paired_difference",
    "pass_at_k",
    "pass_hat_k",
    "plan_power",
    "prediction_powered_mean",
    "rank_agents",
    "required_attempts",
    "required_tasks",
    "sign_flip_p",
    "split",
    "status_codes",
    "task_table",
    "wilson_interval",
]
