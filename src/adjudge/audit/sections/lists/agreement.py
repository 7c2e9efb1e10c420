"""Numbers that agree with each other and with nothing else, and lists that pay for what is in them.

A balance that closes, a total that is the sum of its parts: a verifier that checks only that takes the same
table at half the size. A list of remarks of which each earns a little makes up for all that is wrong.
"""

from __future__ import annotations

from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Path, leaves, name_paths, replaced
from adjudge.audit.probes import all_wrong
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import weigh_share
from adjudge.contracts import Severity

_FACTORS = (0.5, 2)
_LEAST_NUMBERS = 3
_ITEMS = 40
_ADVICE = (
    "Compare what the task gives with the task's own values, and what follows from it with the right result; "
    "that the values agree with each other is not enough."
)


def check_agreement(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Every number by the same factor, where zeros pass and numbers out of step do not.

    Zeros agree with each other as well, so they show it first, and are put down to it.
    """
    tried = [wrongs.whole.get(name) for name in ("absurd-numbers", "all-zeros", "all-half")]
    absurd, zeros, half = (None if one is None else one[1].reward for one in tried)
    if absurd is None or zeros is None or half is None or not wrongs.document.structured:
        return
    worth = wrongs.base - absurd
    if worth < 0.1 or share_kept(wrongs.base - zeros, worth) < 0.5:
        return
    if share_kept(wrongs.base - half, worth) >= 0.5:
        return  # then the tolerance is what is wide
    value, names = wrongs.document.value, name_paths(wrongs.document.value)
    numbers = [leaf for leaf in leaves(value) if leaf.kind == "number" and leaf.path not in names]
    if sum(bool(leaf.number) for leaf in numbers) < _LEAST_NUMBERS:
        return
    probes = [
        wrongs.probe(
            f"in-step-{number + 1}",
            f"every number {'half' if factor < 1 else 'twice'} the right one",
            replaced(value, [(leaf.path, leaf.with_number(leaf.number * factor)) for leaf in numbers]),
        )
        for number, factor in enumerate(_FACTORS)
    ]
    result.probes += probes
    for probe, seen in zip(probes, wrongs.bench.run(probes), strict=True):
        kept = share_kept(wrongs.base - seen.reward, worth)
        if kept >= KEPT and not seen.broke:
            result.findings = [
                f.model_copy(update={"cause": Cause.AGREES, "advice": _ADVICE})
                if f.cause == Cause.ZEROS
                else f
                for f in result.findings
            ]
            result.findings.append(
                wrongs.bench.finding(
                    Severity.MEDIUM,
                    Section.DISCRIMINATION,
                    f"{probe.what} scores {seen.reward:g}",
                    cause=Cause.AGREES,
                    seen=f"The numbers are worth {worth:.3g} of the reward, and {kept:.0%} of that is kept: "
                    "they are compared with each other, and not with what is right.",
                    advice=_ADVICE,
                    probe=probe,
                    before=wrongs.base,
                )
            )


def check_bonus(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Every value wrong, and each list of texts full of invented ones."""
    wrong = wrongs.whole.get("all-wrong")
    free = _free_lists(wrongs.document.value)
    if wrong is None or not free:
        return
    items = [f"Remark {number + 1}: this should be looked at once more." for number in range(_ITEMS)]
    value = replaced(all_wrong(wrongs.document.value), [(path, items) for path in free])
    names = ", ".join(str(path[-1]) for path in free[:3])
    probe = wrongs.probe("bonus", f"{_ITEMS} invented texts in {names}, all else wrong,", value, alone=True)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and seen.reward > wrong[1].reward + EPS:
        share = (seen.reward - wrong[1].reward) / wrongs.base
        weigh_share(wrongs, Cause.ANY_VALUE, probe, seen, share, result)


def _free_lists(value: Any) -> list[Path]:
    """The lists of texts, and the empty ones, that stand under a name and in no record."""
    found: list[Path] = []
    stack: list[tuple[Path, Any]] = [((), value)]
    for path, node in stack:
        if isinstance(node, dict):
            stack += [((*path, key), child) for key, child in node.items()]
        elif isinstance(node, list) and path and all(isinstance(item, str) for item in node):
            found.append(path)
    return found
