"""The pass rate behind an imperfect judge: what share truly passes, given what the judge lets through.

A judge with sensitivity Se (truly good, called pass) and specificity Sp (truly bad, called fail) passes
p = Se*t + (1 - Sp)*(1 - t). So t = (p + Sp - 1)/(Se + Sp - 1) (Rogan and Gladen). Se and Sp come from
trials that people judged too, and are uncertain themselves. The interval is Lang and Reiczigel's (2014):
every count gets a pseudo-count, the variances of all three proportions add, and the centre is shifted.
"""

from __future__ import annotations

import math

from adjudge.contracts import Interval
from adjudge.errors import UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.quantiles import two_sided_z
from adjudge.stats.method import DEFAULT, Method


def corrected_pass_rate(
    passed: float,
    n: float,
    *,
    true_passes: float,
    positives: float,
    true_fails: float,
    negatives: float,
    method: Method = DEFAULT,
) -> Estimate:
    """The share that truly passes, from `passed` of `n` by the judge.

    Of `positives` trials that people passed, the judge passed `true_passes`; of `negatives` that they failed,
    it failed `true_fails`. Reviews that were chosen with unequal chances, or clusters of trials, come in as
    effective numbers, which need not be whole (`effective_counts`). Undefined without trials or calibration,
    or if the judge is no better than chance. An estimate outside [0, 1] is cut off there, and says so.
    """
    level = method.level
    for part, whole in ((passed, n), (true_passes, positives), (true_fails, negatives)):
        if not 0 <= part <= whole:
            raise UsageError("a count exceeds its total", found=(part, whole), allowed="0 <= part <= whole")
    how = (
        f"Rogan-Gladen, sensitivity {true_passes:.6g}/{positives:.6g}, "
        f"specificity {true_fails:.6g}/{negatives:.6g}"
    )

    def undefined(reason: str) -> Estimate:
        return Estimate(value=None, level=level, method=how, n=round(n), unit="trials", reason=reason)

    if not n:
        return undefined("the judge has seen no trials")
    if not positives or not negatives:
        missing = "passed" if not positives else "failed"
        return undefined(f"no trial that people {missing} calibrates the judge")
    sensitivity, specificity = true_passes / positives, true_fails / negatives
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return undefined(
            f"the judge is no better than chance: sensitivity {sensitivity:.3f} and "
            f"specificity {specificity:.3f} add up to 1 or less"
        )
    raw = (passed / n + specificity - 1) / youden
    value = min(1.0, max(0.0, raw))
    notes = (f"the formula gives {raw:.4f}, which is cut off to a share",) if raw != value else ()
    interval = _lang_reiczigel((passed, n), (true_passes, positives), (true_fails, negatives), level)
    return Estimate(
        value=value,
        interval=interval,
        level=level,
        method=how,
        n=round(n),
        unit="trials",
        reason=None if interval else "the judge is too weak, or its calibration too small, for an interval",
        notes=notes,
    )


def _lang_reiczigel(
    judged: tuple[float, float], good: tuple[float, float], bad: tuple[float, float], level: float
) -> Interval | None:
    (passed, n), (true_passes, positives), (true_fails, negatives) = judged, good, bad
    z = two_sided_z(level)
    size = n + z * z
    p = (passed + z * z / 2) / size
    sensitivity = (true_passes + 1) / (positives + 2)
    specificity = (true_fails + 1) / (negatives + 2)
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return None
    t = (p + specificity - 1) / youden
    from_sensitivity = sensitivity * (1 - sensitivity) / (positives + 2)
    from_specificity = specificity * (1 - specificity) / (negatives + 2)
    shift = 2 * z * z * (t * from_sensitivity - (1 - t) * from_specificity)
    error = (
        math.sqrt(p * (1 - p) / size + t * t * from_sensitivity + (1 - t) ** 2 * from_specificity) / youden
    )
    low, high = max(0.0, t + shift - z * error), min(1.0, t + shift + z * error)
    return Interval(low=low, high=high, level=level, method="Lang-Reiczigel") if low < high else None
