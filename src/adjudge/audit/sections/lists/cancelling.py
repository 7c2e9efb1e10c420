"""Errors that cancel out: what only compares a sum or a mean does not notice them.

Two errors cancel out if each of them alone costs far more than both together. What is cheap anyway, such as
an end of one interval that another covers, cancels nothing.
"""

from __future__ import annotations

from adjudge.audit.causes import Cause
from adjudge.audit.documents import get, replaced, several_are_right
from adjudge.audit.probes import Probe
from adjudge.audit.sections.measure import EPS, KEPT, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report
from adjudge.contracts import Severity


def check_cancelling(wrongs: WrongAnswers, result: SectionResult) -> None:
    """One value too high and another as much too low, and the other way round: a mean does not notice.

    Of records two of one column are tried as well, since a sum is one of a column.
    """
    scored = [t for t in wrongs.fields if t.scored and t.leaf.kind == "number" and t.leaf.number]
    if len(scored) < 2 or not wrongs.document.structured or several_are_right(wrongs.bench.task.instruction):
        return
    _check_margins(wrongs, scored, result)
    _cancel(wrongs, scored[0], scored[1], "cancelling", result)
    for place, one in enumerate(scored):
        like = [
            t for t in scored[place + 1 :] if len(t.leaf.path) > 2 and t.leaf.path[-1] == one.leaf.path[-1]
        ]
        if like and one.leaf.path[-1] != scored[1].leaf.path[-1]:
            _cancel(wrongs, one, like[0], "cancelling-column", result)
            return


def _check_margins(wrongs: WrongAnswers, scored: list[FieldTrial], result: SectionResult) -> None:
    """Four cells of a matrix, two higher and two lower: no sum of a row or a column notices."""
    inside = [trial for trial in scored if [type(step) for step in trial.leaf.path[-2:]] == [int, int]]
    if not inside:
        return
    matrix, one = inside[0].leaf.path[:-2], inside[0]
    rows = get(wrongs.document.value, matrix)
    cells = [row[:2] for row in rows[:2] if isinstance(row, list)]
    if [len(row) for row in cells] != [2, 2] or not all(isinstance(x, int | float) for r in cells for x in r):
        return
    shift = max(1, round(max(abs(x) for row in cells for x in row) / 3))
    changes = [((*matrix, i, j), cells[i][j] + (shift if i == j else -shift)) for i in (0, 1) for j in (0, 1)]
    what = "four cells of a matrix wrong, every sum of a row or a column right"
    probe = wrongs.probe("margins", what, replaced(wrongs.document.value, changes))
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and share_kept(wrongs.base - seen.reward, one.due) >= KEPT:
        title = f"{what}: keeps the credit"
        report(wrongs, Severity.MEDIUM, Cause.CANCELS, title, probe, seen, result)


def _cancel(
    wrongs: WrongAnswers, one: FieldTrial, other: FieldTrial, name: str, result: SectionResult
) -> None:
    larger = max(one, other, key=lambda trial: abs(trial.leaf.number))
    shift = 0.5 * abs(larger.leaf.number)
    if isinstance(one.leaf.number, int) and isinstance(other.leaf.number, int):
        shift = round(shift) or 1
    if shift == abs(one.leaf.number - other.leaf.number):  # then each would take the other's place
        shift += 1 if isinstance(shift, int) else shift / 2

    def shifted(name: str, up: FieldTrial | None, down: FieldTrial | None) -> Probe:
        ways = [(up, shift, "too high"), (down, -shift, "too low")]
        moved = [(trial.leaf, by, how) for trial, by, how in ways if trial is not None]
        what = ", ".join(f"{leaf.name} {how}" for leaf, _, how in moved)
        what += " by as much" if len(moved) > 1 else ""
        changes = [(leaf.path, leaf.with_number(leaf.number + by)) for leaf, by, _ in moved]
        return wrongs.probe(name, what, replaced(wrongs.document.value, changes))

    pairs = [(name, one, other), (f"{name}-back", other, one)]
    probes = [shifted(which, up, down) for which, up, down in pairs]
    result.probes += probes
    for (which, up, down), probe, seen in zip(pairs, probes, wrongs.bench.run(probes), strict=True):
        cost = wrongs.base - seen.reward
        kept = share_kept(cost, max(one.due, other.due))
        if kept < KEPT or seen.broke or larger.kept("half"):  # which is the shift, alone
            continue
        alone = [shifted(f"{which}-up", up, None), shifted(f"{which}-down", None, down)]
        costs = [wrongs.base - after.reward for after in wrongs.bench.run(alone) if not after.broke]
        result.probes += alone
        if not costs or (max(costs) > EPS and share_kept(cost, max(costs)) >= KEPT):
            title = f"{probe.what}: keeps the credit"
            report(wrongs, Severity.MEDIUM, Cause.CANCELS, title, probe, seen, result)
