"""Other units by the verifier's own factors: whoever accepts psi for kPa has 6.894757 in its source.

The numbers of the verifier's source are tried as factors and divisors of one field. Powers of ten are tried
of every field elsewhere.
"""

from __future__ import annotations

import math
import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import leaves, replaced, slug
from adjudge.audit.probes import scaled, verifier_sources
from adjudge.audit.sections.measure import KEPT, FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report
from adjudge.contracts import Severity

_NUMBER = re.compile(r"(?<![\w.])\d{1,5}\.\d{1,9}(?![\w.])")
_MOST = 6
_LEAST_FACTOR = 2.1
"""Half the value is refused by whoever is tried: what is further off than that is no matter of tolerance."""
_LARGEST_FACTOR = 1e5


def check_factors(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try the numbers of the source on the first field that no other wrong number passes."""
    changes = ("times-10", "half", "zero")
    fields = [t for t in wrongs.fields if t.scored and t.leaf.kind == "number" and t.leaf.number]
    steady = [t for t in fields if not any(t.kept(change) for change in changes)]
    if not steady:
        return
    trial = steady[0]
    factors = _factors(wrongs, trial)
    numbers = {f"factor-{n + 1}": factor for n, factor in enumerate(factors)}
    numbers |= {f"divisor-{n + 1}": 1 / factor for n, factor in enumerate(factors)}
    probes = {
        name: wrongs.probe(
            f"{slug(trial.leaf.path)}/{name}",
            f"{trial.leaf.name}: {factor:.6g} times the value",
            replaced(
                wrongs.document.value,
                [(trial.leaf.path, trial.leaf.with_number(scaled(trial.leaf.number, factor)))],
            ),
        )
        for name, factor in numbers.items()
    }
    result.probes += probes.values()
    for probe, seen in zip(probes.values(), wrongs.bench.run(list(probes.values())), strict=True):
        if not seen.broke and share_kept(wrongs.base - seen.reward, trial.due) >= KEPT:
            title = f"{probe.what} keeps the credit"
            report(wrongs, Severity.MEDIUM, Cause.SCALE, title, probe, seen, result)


def _factors(wrongs: WrongAnswers, trial: FieldTrial) -> list[float]:
    """Numbers with decimals in the source that are no reference, no power of ten and no tolerance."""
    right = [abs(leaf.number) for leaf in leaves(wrongs.document.value) if leaf.kind == "number"]
    found = [
        float(text) for source in verifier_sources(wrongs.bench.task) for text in _NUMBER.findall(source)
    ]
    known = [trial.leaf.number * sign for sign in (1, -1)]
    return [
        factor
        for factor in dict.fromkeys(found)
        if _LEAST_FACTOR <= factor <= _LARGEST_FACTOR
        and not math.log10(factor).is_integer()
        and not any(math.isclose(factor, number, rel_tol=0.02) for number in (*right, *known))
    ][:_MOST]
