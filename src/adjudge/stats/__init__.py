"""Estimates, intervals, comparisons and agreement: pure functions on arrays, no I/O.

Start from `Trials.of(task, reward, status=…, cluster=…)`, one agent's trials as columns, and hand it to
`mean_reward`, `pass_at_k` or `paired_difference`. Every number comes back as an `Estimate`.
"""

from adjudge.stats.estimate import Bounds, Coverage, Estimate, Policy
from adjudge.stats.mean import mean_reward
from adjudge.stats.paired import McNemar, PairedComparison, paired_difference
from adjudge.stats.permutation import PValue, mcnemar_p, sign_flip_p
from adjudge.stats.trials import Status, TaskTable, Trials, split, status_codes, task_table
from adjudge.stats.units import IntervalMethod

__all__ = [
    "Bounds",
    "Coverage",
    "Estimate",
    "IntervalMethod",
    "McNemar",
    "PValue",
    "PairedComparison",
    "Policy",
    "Status",
    "TaskTable",
    "Trials",
    "mcnemar_p",
    "mean_reward",
    "paired_difference",
    "sign_flip_p",
    "split",
    "status_codes",
    "task_table",
]
