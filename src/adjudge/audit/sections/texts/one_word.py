"""One option in every place: where the right word is looked for inside the answer's, the longer one is both.

`compliant` stands in `non-compliant`, `safe` in `unsafe`. In a table or a list of words for people, each
word of the right answer that the task gives in quotes is put in place of each other: one costs something, and
the other must, too.
"""

from __future__ import annotations

import re
from itertools import permutations

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import Bench
from adjudge.audit.sections.measure import EPS
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_QUOTED = re.compile(r"[`\"“']([A-Za-z][\w -]{1,30})[`\"”']")
_MOST = 3
_LEAST = 2
"""Places in which an option must stand: one alone may be anything."""
_LEAST_WORTH = 0.1


def check_one_word(bench: Bench, text: str, base: float, result: SectionResult) -> None:
    """Each option of a text in the places of each other. `base` is what the text earns as it is."""
    told = dict.fromkeys(word.strip() for word in _QUOTED.findall(bench.task.instruction))
    counted = {word: len(_places(word).findall(text)) for word in told}
    words = sorted((word for word, count in counted.items() if count >= _LEAST), key=lambda w: -counted[w])
    pairs = list(permutations(words[:_MOST], 2))
    probes = [
        bench.answer(
            f"discrimination/one-word-{number + 1}",
            f"`{new}` in every place of `{old}`",
            _places(old).sub(new, text).encode(),
        )
        for number, (old, new) in enumerate(pairs)
    ]
    result.probes += probes
    seen = dict(zip(pairs, bench.run(probes), strict=True))
    for (old, new), probe in zip(pairs, probes, strict=True):
        one, other = seen[old, new], seen[new, old]
        lost = base - other.reward  # by the places of the other word, which are fewer or more
        if one.broke or other.broke or base - one.reward > EPS or lost < _LEAST_WORTH * base:
            continue
        share = lost / base * counted[old] / counted[new]
        result.findings.append(
            bench.finding(
                Severity.HIGH if share >= 0.5 - EPS else Severity.MEDIUM,
                Section.DISCRIMINATION,
                f"{probe.what} earns {one.reward:g}",
                cause=Cause.WORD_INSIDE,
                seen=f"The right answer earns {base:g}, with {counted[old]} times `{old}` and {counted[new]} "
                f"times `{new}`; this one, with one word throughout, {one.reward:g}.",
                advice="Compare the whole word: `compliant` is part of `non-compliant`.",
                probe=probe,
                before=base,
            )
        )


def _places(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
