"""The same ruler: sides are compared only on trials that the same version of a task's verifier scored.

A version is a task digest. On each task, the trials that count are those whose digest every side that tried
the task has; if there is none, the sides were measured differently there and the task is left out. A trial
without a digest, as of an import, is only the same as another without one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from adjudge.ledger import Coded, TrialColumns
from adjudge.reports.models.comparison import Ruler
from adjudge.reports.rendering.wording import count

MOST_NAMED = 5


def ruler_notes(ruler: Ruler) -> tuple[str, ...]:
    """What to know if verifiers differ, and what to do about it; nothing if they do not."""
    if not ruler.differing:
        if not ruler.trials_left_out:
            return ()
        left = count(ruler.trials_left_out, "trial")
        return (f"Left out: {left} of a version of the verifier that not every side was scored by.",)
    names = ", ".join(ruler.examples) + (", …" if ruler.differing > len(ruler.examples) else "")
    tasks = count(ruler.differing, "shared task")
    what = f"Different versions of the verifier scored {tasks} for the sides ({names})"
    if ruler.ignored:
        return (f"{what}. They are compared all the same, so a difference may be that of the verifiers.",)
    return (
        f"{what}. Those trials are left out; adjudge rescore brings every trial to one version, and "
        "--any-verifier compares them as they are.",
    )


def same_ruler(
    columns: TrialColumns, grouped: Coded, sides: Mapping[str, int], *, any_verifier: bool
) -> tuple[npt.NDArray[np.bool_], Ruler]:
    """Which rows count, and on which tasks the sides were scored by different verifiers."""
    chosen = np.isin(grouped.codes, list(sides.values()))
    width = len(columns.task_digest.categories) + 1
    versions = columns.task.codes.astype(np.int64) * width + columns.task_digest.codes + 1
    tried = np.zeros(len(columns.task.categories), np.int64)
    shared = np.zeros(len(columns.task.categories) * width, np.int64)
    for code in sides.values():
        mine = grouped.codes == code
        tried[np.unique(columns.task.codes[mine])] += 1
        shared[np.unique(versions[mine])] += 1
    in_all = shared.reshape(-1, width) == tried[:, None]
    differing = np.flatnonzero((tried > 1) & ~(in_all & (tried[:, None] > 0)).any(axis=1))
    counted = chosen & (in_all.reshape(-1)[versions] | (tried[columns.task.codes] < 2))
    names = [columns.task.categories[task] for task in differing.tolist()]
    ruler = Ruler(
        differing=len(names),
        examples=tuple(names[:MOST_NAMED]),
        trials_left_out=0 if any_verifier else int((chosen & ~counted).sum()),
        ignored=any_verifier,
    )
    return (chosen if any_verifier else counted), ruler
