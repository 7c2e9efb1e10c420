"""A minority of wrong values must cost something: medians, trimmed means and "two thirds will do".

One wrong value alone proves little if nothing else is known of it: it may be one that nobody asked for. So it
is asked what a part of the values costs if all of them together cost a lot. Of a list every other item is
wrong, and every third; of the fields of an object each third in its turn, so that whatever counts is wrong
once. A share that the task itself grants is no flaw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Leaf,
    Path,
    get,
    is_place,
    leaves,
    lists,
    name_of,
    replaced,
    slug,
    stated_share,
)
from adjudge.audit.probes import Probe, Seen, halved, junk, wrong_everywhere
from adjudge.audit.sections.measure import EPS, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_MAX_LISTS = 3
_LEAST_ITEMS = 3
_LEAST_FIELDS = 5
_LONGEST = 500
_FREE = 0.95
"""From this share on, what all wrong values together cost counts as kept."""
_WORTH = 0.1
_EACH_ITS_SHARE = 0.7
_ADVICE = "Let every wrong value cost its share, or say in the task how many may be wrong."


def check_minorities(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report lists and objects of which a part may be wrong at no cost."""
    if not wrongs.document.structured:
        return
    value = wrongs.document.value
    long_enough = [
        path
        for path in lists(value)
        if _LEAST_ITEMS <= len(get(value, path)) <= _LONGEST and not is_place(value, path)
    ]
    for path in long_enough[:_MAX_LISTS]:
        _check_list(wrongs, path, result)
    if not any(finding.cause == Cause.CLAMPED for finding in result.findings):
        _check_fields(wrongs, result)


def granted(wrongs: WrongAnswers, wrong: int, of: int) -> bool:
    """Does the task say that so many of so many may be wrong?"""
    share = stated_share(wrongs.bench.task.instruction)
    return share is not None and wrong <= (1 - share) * of + EPS


def _check_list(wrongs: WrongAnswers, path: Path, result: SectionResult) -> None:
    items = get(wrongs.document.value, path)
    ways: dict[str, Callable[[Any, int], Any]] = {"junk": junk}
    if any(leaf.kind != "text" for leaf in leaves(items)):
        ways["half"] = lambda item, _: halved(item)
    for way, change in ways.items():
        _try_list(wrongs, path, way, [change(item, place) for place, item in enumerate(items)], result)


def _try_list(
    wrongs: WrongAnswers, path: Path, way: str, wrong: Sequence[Any], result: SectionResult
) -> None:
    items, name = get(wrongs.document.value, path), name_of(path)
    count = len(items)
    parts = {
        "all": list(range(count)),
        "every-other": list(range(1, count - 1, 2)),
        "every-third": list(range(1, count - 1, 3)),
    }

    def made(part: str, places: Sequence[int]) -> Probe:
        changed = [wrong[place] if place in places else item for place, item in enumerate(items)]
        return wrongs.probe(
            f"list.{slug(path)}/{part}-{way}",
            f"{name}: {len(places)} of {count} items wrong ({way})",
            replaced(wrongs.document.value, [(path, changed)]),
        )

    probes = {part: made(part, places) for part, places in parts.items()}
    seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
    result.probes += probes.values()
    stake = wrongs.base - seen["all"].reward
    if stake <= _WORTH * wrongs.base or any(s.broke for s in seen.values()):
        return
    kept = {part: share_kept(wrongs.base - s.reward, stake) for part, s in seen.items()}
    wrongs.lost.append(min(1.0, (1 - kept["every-third"]) * count / len(parts["every-third"])))
    for part in ("every-other", "every-third"):
        places = parts[part]
        if kept[part] >= _FREE and not granted(wrongs, len(places), count):
            title = f"{name}: {len(places)} wrong items of {count} cost little or nothing"
            _report(wrongs, title, probes[part], seen[part], result)
            inside = f"discrimination/{slug(path)}." if path else "discrimination/"
            result.findings = [  # they are scored, together
                f
                for f in result.findings
                if f.cause != Cause.UNSCORED or not (f.probe or "").startswith(inside)
            ]
            return


def _check_fields(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Each third of the fields in its turn; not if single fields were seen to cost what they are worth."""
    value = wrongs.document.value
    fields = [leaf for leaf in leaves(value) if not any(isinstance(step, int) for step in leaf.path)]
    alone = sum(trial.stake for trial in wrongs.fields)
    if len(fields) < _LEAST_FIELDS or alone >= _EACH_ITS_SHARE * wrongs.base:
        return
    bad = wrong_everywhere(value)

    def made(name: str, part: Sequence[Leaf]) -> Probe:
        changed = replaced(value, [(leaf.path, get(bad, leaf.path)) for leaf in part])
        return wrongs.probe(f"part/{name}", f"{len(part)} of {len(fields)} values wrong", changed)

    turns = -(-len(fields) // (len(fields) // 3))
    parts = [fields[turn::turns] for turn in range(turns)]
    probes = [made("every", fields), *(made(f"turn-{turn + 1}", part) for turn, part in enumerate(parts))]
    every, *each = wrongs.bench.run(probes)
    result.probes += probes
    stake = wrongs.base - every.reward
    if stake < 0.5 * wrongs.base or every.broke or any(seen.broke for seen in each):
        return
    kept = [share_kept(wrongs.base - seen.reward, stake) for seen in each]
    wrongs.lost += [min(1.0, (1 - share) * turns) for share in kept]
    most = len(parts[0])
    if min(kept) >= _FREE and not granted(wrongs, most, len(fields)):
        title = f"{most} wrong values of {len(fields)} cost little or nothing, whichever they are"
        _report(wrongs, title, probes[1], each[0], result)
        result.findings = [f for f in result.findings if f.cause != Cause.UNSCORED]


def _report(wrongs: WrongAnswers, title: str, probe: Probe, seen: Seen, result: SectionResult) -> None:
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            _HERE,
            title,
            cause=Cause.CLAMPED,
            seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}: a median, a trimmed "
            "mean or a low mark does not see them.",
            advice=_ADVICE,
            probe=probe,
            before=wrongs.base,
        )
    )
