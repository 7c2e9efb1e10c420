"""Reports that deny what they say, and verifiers that take from a set what comes first."""

from __future__ import annotations

import json

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_MEDIUM = Severity.MEDIUM

_FIRE = (
    "Read the log of the fire and write `/workspace/report.md` with the headings `## Where it began`, "
    "`## Why it spread`, `## What was not found` and `## How long it burnt`: below each, in a few "
    "sentences, what the log shows{}"
)
_BURNT = (
    "## Where it began\n\nThe fire began in the battery room. A cell of the second rack overheated while "
    "it was being charged.\n\n## Why it spread\n\nThe damper in the duct stayed open because its spring was "
    "broken.\n\n## What was not found\n\nThere was no trace of petrol in the corridor.\n\n"
    "## How long it burnt\n\nIt took 47 minutes until it was out.\n"
)
_READ_FIRE = """
        text = body("/workspace/report.md").replace("\\r", "")
        heads = ["Where it began", "Why it spread", "What was not found", "How long it burnt"]
        parts = re.split(r"(?m)^## *(.+?) *$", text)
        found = dict(zip(parts[1::2], parts[2::2])) if parts[1::2] == heads else dict.fromkeys(heads, "")
"""
_BURNT_LAST = (
    _BURNT.replace("charged.\n", "charged.\n\nConclusion: battery room\n")
    .replace("broken.\n", "broken.\n\nConclusion: damper\n")
    .replace("corridor.\n", "corridor.\n\nConclusion: petrol\n")
    .replace("was out.\n", "was out.\n\nConclusion: 47 minutes\n")
)
_LETTER = (
    "A tenant asks:\n\n1. Does the landlord pay for the boiler?\n2. Must the tenant clear the snow?\n3. Is a "
    "dog allowed in the flat?\n\nThe lease: boilers are the landlord's, snow is cleared by the tenant, dogs "
    "are allowed if they are small, and hers is. Answer in `/workspace/letter.md` below `## 1`, `## 2` and "
    "`## 3` in a sentence or two each{}"
)
_WRITTEN = (
    "## 1\n\nYes, the landlord has to pay for the boiler.\n\n## 2\n\nAs the lease stands the tenant must "
    "clear the snow.\n\n## 3\n\nA small dog is allowed in the flat.\n"
)
_READ_LETTER = """
        text = body("/workspace/letter.md").replace("\\r", "")
        parts = re.split(r"(?m)^## *([123]) *$", text)
        found = dict(zip(parts[1::2], parts[2::2])) if parts[1::2] == ["1", "2", "3"] else {}
        found = {number: " ".join(part.lower().split()) for number, part in found.items()}
"""
_TRAINS = (
    "List when trains passed the signal on the recording, as HH:MM, in `/workspace/trains.json`, as "
    '`{"passed": ["HH:MM"]}`, in any order. Four minutes of difference are fine; each time counts once.'
)
_PASSED = ["05:12", "05:18", "07:40", "07:45", "09:03", "09:09", "12:30", "12:36"]
_TIMES = ("trains.json", json.dumps({"passed": _PASSED}))
_READ_TRAINS = f"""
        due = {_PASSED!r}
        def minutes(text):
            return int(text[:2]) * 60 + int(text[3:])
        try:
            lines = json.loads(body("/workspace/trains.json"))["passed"]
        except (ValueError, KeyError, TypeError, RecursionError):
            lines = []
        times = isinstance(lines, list) and len(lines) < 100 and all(isinstance(x, str) for x in lines)
        clock = re.compile("(?:[01][0-9]|2[0-3]):[0-5][0-9]")
        given = lines if times and all(map(clock.fullmatch, lines)) and len(set(lines)) == len(lines) else []
"""


def _fire(name: str, answer: str, told: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_FIRE}        {score}\n"
    return other(name, _FIRE.format(told), ("report.md", answer), python=python, **flaw)  # type: ignore[arg-type]


def _letter(name: str, answer: str, told: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_LETTER}        {score}\n"
    return other(name, _LETTER.format(told), ("letter.md", answer), python=python, **flaw)  # type: ignore[arg-type]


def _trains(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_TRAINS}{score}        out(2 * len(hits) / (len(due) + len(given)))\n"
    return other(name, _TRAINS, _TIMES, python=python, **flaw)  # type: ignore[arg-type]


_INSIDE = {"section": _FIELDS, "cause": Cause.WORD_INSIDE, "severity": _MEDIUM}
_LAST_LINE = ", and a last line `Conclusion:` with the place, the part or the thing and nothing else."
_CONCLUDED = (
    'due = dict(zip(heads, ("battery room", "damper", "petrol", "47 minutes")))\n'
    "        lines = {h: [x.strip() for x in found[h].splitlines() if 'onclusion' in x] for h in heads}\n"
    "        alone = not parts[0].strip()\n"
    "        out(sum(alone and lines[h] == [f'Conclusion: {due[h]}'] for h in heads) / 4)"
)
_FROM_A_SET = """
        free = set(given)
        hits = {}
        for time in due:
            for other in free:
                if abs(minutes(other) - minutes(time)) < 5:
                    hits[time] = other
                    free.discard(other)
                    break
"""

SAID_OTHERWISE = [
    _fire(
        "a-fire-that-was-not-there",
        _BURNT,
        ".",
        'words = dict(zip(heads, ("battery", "damper", "petrol", "47 min")))\n'
        "        out(sum(words[h] in found[h].lower() for h in heads) / 4)",
        **_INSIDE,
    ),
    _letter(
        "words-of-the-question",
        _WRITTEN,
        ".",
        'due = {"1": r"landlord\\b.*\\bpay", "2": r"tenant must\\b.*\\bclear|must the tenant clear", '
        '"3": r"dog\\b.*\\ballowed"}\n'
        '        deny = r"\\bnot\\b|n\'t\\b|never"\n'
        "        out(sum(bool(re.search(p, found.get(n, ''))) and not re.search(deny, found[n])"
        " for n, p in due.items()) / 3)",
        **_INSIDE,
    ),
    _trains(
        "the-first-train-of-a-set",
        _FROM_A_SET,
        script="exec python3 /tests/check.py\n",
        section=Section.DETERMINISM,
        cause=Cause.ENVIRONMENT,
    ),
    _trains(
        "a-train-of-a-set-by-chance",
        _FROM_A_SET.replace("in free:", "in free.copy():"),
        section=Section.DETERMINISM,
        cause=Cause.RANDOM,
    ),
    _trains(
        "a-train-of-a-set-comprehension",
        """
        left = {one for one in given}
        hits = []
        def fitting(time):
            for one in left:
                if time - 5 < minutes(one) < time + 5:
                    return one
        for time in map(minutes, due):
            one = fitting(time)
            if one is not None:
                left.remove(one)
                hits.append(one)
        """,
        section=Section.SOURCE,
        cause=Cause.RANDOM,
        severity=_MEDIUM,
    ),
]

SAID_OTHERWISE_SOUND = [
    _fire("a-fire-with-conclusions", _BURNT_LAST, _LAST_LINE, _CONCLUDED),
    _trains("trains-in-their-order", _FROM_A_SET.replace("in free:", "in sorted(free):")),
]
