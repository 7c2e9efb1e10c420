"""What a reviewed trial may serve for: to calibrate a judge, to tune its rubric, or as an example in it.

One of the three, and the ledger holds the first. What is held is the *output*, so a second trial with the
same output cannot serve for another use, and neither can an example whose text was taken from it. It is held
for the rubric's name and for the words of each criterion: a rubric under another name with the same criterion
is no way around, and neither are other words under the same name. A rubric with another name and other words
is another rubric.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.contracts import Choice
from adjudge.errors import UsageError, describe
from adjudge.judges.material import output_text
from adjudge.judges.rubric import JudgeRubric
from adjudge.ledger import NewAttachment

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

USE_KIND = "use of an output"
_SHORTEST_EXCERPT = 40
"""Characters of an example that cannot stand in an output by chance."""


class Use(Choice):
    """What a reviewed trial serves for."""

    CALIBRATION = "calibration"
    TUNING = "tuning"
    EXAMPLE = "example"


def claim(ledger: Ledger, rubric: JudgeRubric, uses: Mapping[str, Use]) -> dict[str, str]:
    """Use trials for something, each for the first time or for the same again; those refused, with why.

    The ledger writes one use per output and rubric, so two processes cannot both be first.
    """
    subjects = {trial_id: _subject(ledger, trial_id) for trial_id in uses}
    return _claim(ledger, rubric, {trial_id: (subjects[trial_id], use) for trial_id, use in uses.items()})


def claim_examples(ledger: Ledger, rubric: JudgeRubric) -> list[str]:
    """Use what the examples of a rubric were taken from, by trial and by text; what is refused, in words."""
    wanted: dict[str, tuple[str, Use]] = {}
    for dimension in rubric.judged:
        for number, example in enumerate(dimension.examples, 1):
            text = hashlib.sha256(example.text.encode("utf-8", "surrogatepass")).hexdigest()
            wanted[f"example {number} of {dimension.id}"] = (text, Use.EXAMPLE)
            if example.trial_id is not None:
                wanted[example.trial_id] = (_subject(ledger, example.trial_id), Use.EXAMPLE)
    return [describe(why, file=name) for name, why in _claim(ledger, rubric, wanted).items()]


def quoted_by_examples(ledger: Ledger, rubric: JudgeRubric, trial_ids: Iterable[str]) -> dict[str, str]:
    """Trials whose output holds an example's text, or the other way round, with why they cannot serve."""
    texts = [_plain(example.text) for d in rubric.judged for example in d.examples]
    texts = [text for text in texts if len(text) >= _SHORTEST_EXCERPT]
    found = {}
    for trial_id in trial_ids if texts else ():
        output = output_text(ledger, ledger.get(trial_id))
        own = _plain(output) if isinstance(output, str) else ""
        if any(text in own or (len(own) >= _SHORTEST_EXCERPT and own in text) for text in texts):
            found[trial_id] = "an example of the rubric was taken from this output"
    return found


def _claim(ledger: Ledger, rubric: JudgeRubric, wanted: Mapping[str, tuple[str, Use]]) -> dict[str, str]:
    keys = {name: list(_keys(rubric, subject)) for name, (subject, _) in wanted.items()}
    refused = _refused(ledger, rubric, wanted, keys)
    ledger.attach(
        [
            NewAttachment(USE_KIND, key, {"use": use.value, "rubric": rubric.name, "of": name})
            for name, (_, use) in wanted.items()
            if name not in refused
            for key in keys[name]
        ]
    )
    return _refused(ledger, rubric, wanted, keys)  # another process may have been first


def _refused(
    ledger: Ledger,
    rubric: JudgeRubric,
    wanted: Mapping[str, tuple[str, Use]],
    keys: Mapping[str, list[str]],
) -> dict[str, str]:
    every = [key for some in keys.values() for key in some]
    held = {row.key: row.document for row in ledger.attached(USE_KIND, keys=every)}
    found = {}
    for name, (_, use) in wanted.items():
        other = next((held[key] for key in keys[name] if key in held and held[key]["use"] != use.value), None)
        if other is not None:
            found[name] = (
                f"this output serves for {other['use']} with rubric {other['rubric']!r}, so not for "
                f"{use.value} with rubric {rubric.name!r}"
            )
    return found


def _keys(rubric: JudgeRubric, subject: str) -> Iterator[str]:
    words = [f"name {rubric.name}", *(f"criterion {_plain(str(d.criterion))}" for d in rubric.judged)]
    for word in words:
        yield hashlib.sha256(f"{word}\0{subject}".encode("utf-8", "surrogatepass")).hexdigest()


def _subject(ledger: Ledger, trial_id: str) -> str:
    """The output of a trial; the trial itself if it has none, or is in another ledger."""
    try:
        return ledger.get(trial_id).output.sha256 or trial_id
    except UsageError:
        return trial_id


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
