"""Lists cut, padded and repeated; fields exchanged; all fields but one left out.

What is fair is stated: one right item of n keeps at most 2/(n + 1), which is what precision and recall
together (F1) leave of it. A list of the right length is compared with one of that length in which all is
wrong: another length may void an answer. Lists that cost nothing, whatever is in them, are not judged.
"""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Path,
    candidates_taken,
    get,
    is_place,
    leaves,
    lists,
    name_of,
    slug,
)
from adjudge.audit.probes import (
    FLOOD,
    InputText,
    Probe,
    Seen,
    has_every_name,
    list_variants,
    only_key,
)
from adjudge.audit.sections.given_texts import input_texts
from adjudge.audit.sections.lists.columns import check_columns, check_single_items, check_turned
from adjudge.audit.sections.lists.neighbours import check_malformed, check_neighbours
from adjudge.audit.sections.lists.ordering import check_order
from adjudge.audit.sections.lists.records import junk_is_refused
from adjudge.audit.sections.measure import EPS, WrongAnswers, fair_share, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_MAX_LISTS = 3
_MOST_COUNTED = 50
_GEOMETRIC = re.compile(r"\bgeometric(?:al)? mean\b", re.I)
_SAME_LENGTH = frozenset({"repeated", "repeated-2", "repeated-3", "one-right"})


def check_lists(wrongs: WrongAnswers, result: SectionResult) -> None:
    if not wrongs.document.structured:
        return
    check_single_items(wrongs, result)
    value = wrongs.document.value
    told = [path for path in lists(value) if any(item != get(value, path)[0] for item in get(value, path))]
    told = [path for path in told if not is_place(value, path)]
    most = candidates_taken(wrongs.bench.task.instruction)  # of as many the right one is enough
    told = [path for path in told if not path or len(get(value, path)) > most]
    for path in told[:_MAX_LISTS]:  # of equal items, one repeated is the right answer
        variants = list_variants(wrongs.document.value, path)
        name = name_of(path)
        probes = {
            kind: wrongs.probe(f"list.{slug(path)}/{kind}", f"{name}: {_LIST_WORDS[kind]}", changed)
            for kind, changed in variants.items()
        }
        seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
        result.probes += probes.values()
        sound = {kind: s for kind, s in seen.items() if not s.broke and kind != "malformed"}
        if not {"truncated", "repeated", "doubled", "padded", "permuted", "one-right"} <= set(sound):
            continue  # it breaks on lists, which is a finding of its own
        stake = wrongs.base - _least(wrongs, path, sound)
        if stake <= EPS:
            _report_unread(wrongs, path, probes, result)
            continue
        _weigh_list(wrongs, path, probes, sound, stake, result)
        check_columns(wrongs, path, stake, result)
        check_malformed(wrongs, path, probes["malformed"], seen["malformed"], sound["padded"], stake, result)
        check_neighbours(wrongs, path, stake, result)
        check_turned(wrongs, path, stake, result)


def _least(wrongs: WrongAnswers, path: Path, seen: dict[str, Seen]) -> float:
    """The least that any change to a list left; junk that voids an answer of many lists does not count."""
    every = min(s.reward for s in seen.values())
    kinds = [kind for kind in ("emptied", "truncated", "repeated") if kind in seen]
    if seen["repeated"].reward <= EPS and all(seen[kind].reward > EPS for kind in kinds[:-1]):
        kinds = kinds[:-1]  # a name that stands twice voids the answer
    own = min(seen[kind].reward for kind in kinds)
    among_others = wrongs.among_files or (len(path) > 0 and len(lists(wrongs.document.value)) > 1)
    costs = own < wrongs.base - EPS and own <= seen["truncated"].reward
    return own if every <= EPS < own and among_others and costs else every


def _report_unread(wrongs: WrongAnswers, path: Path, probes: dict[str, Probe], result: SectionResult) -> None:
    """A list of records or numbers that the task asks for, in which nothing matters; texts may be notes."""
    items = get(wrongs.document.value, path)
    data = all(isinstance(item, dict | int | float) for item in items)
    if len(path) != 1 or not data or not any(trial.scored for trial in wrongs.fields):
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            _HERE,
            f"{name_of(path)}: nothing in the list costs anything, not even to leave it empty",
            cause=Cause.UNSCORED,
            seen=f"Cut, padded, exchanged or empty, the answer scores {wrongs.base:g}.",
            advice="Score what the task asks for, or do not ask for it.",
            probe=probes["emptied"],
            before=wrongs.base,
        )
    )


_LIST_WORDS = {
    "emptied": "no items",
    "truncated": "only the first item",
    "ends": "only the first item and the last",
    "padded": "three times as long, two thirds of it junk",
    "doubled": "every item twice",
    "repeated": "the first item over and over",
    "repeated-2": "another item over and over",
    "repeated-3": "a third item over and over",
    "permuted": "in another order",
    "one-right": "all items wrong but the first",
    "all-wrong": "all items wrong",
    "flooded": "a hundred junk items added",
    "hedged": "wrong versions of every record around it",
    "hedged-before": "a wrong version of every record before it",
    "hedged-behind": "a wrong version of every record behind it",
    "malformed": "malformed items added",
}


def _weigh_list(
    wrongs: WrongAnswers,
    path: Path,
    probes: dict[str, Probe],
    seen: dict[str, Seen],
    stake: float,
    result: SectionResult,
) -> None:
    items = get(wrongs.document.value, path)
    length = len(items)
    sizes = [len(leaves(item)) for item in items]  # a branch of a tree may be most of it
    fair = max(fair_share(1, length), min(0.9, fair_share(sizes[0], sum(sizes) or 1)))
    if _GEOMETRIC.search(wrongs.bench.task.instruction):  # of three parts, a third of one leaves 0.69
        fair = max(fair, (1 / length) ** (1 / max(2, len(lists(wrongs.document.value)))))
    fair_often = max(fair, *(items.count(item) / length for item in items[:_MOST_COUNTED]))
    fair_flooded = 2 * length / (2 * length + FLOOD)
    same_length = wrongs.base - seen["all-wrong"].reward if "all-wrong" in seen else 0.0
    same_length = min(stake, same_length) if same_length > EPS else stake
    stakes = {kind: same_length if kind in _SAME_LENGTH else stake for kind in seen}
    kept = {kind: share_kept(wrongs.base - s.reward, stakes[kind]) for kind, s in seen.items()}
    wrongs.lost.append(min(1.0, (1 - kept["truncated"]) / (1 - fair)))
    wrongs.lost.append(min(1.0, (1 - kept["repeated"]) / (1 - fair_often)))

    def report(severity: Severity, kind: str, title: str, text: str, advice: str, cause: Cause) -> None:
        result.findings.append(
            wrongs.bench.finding(
                severity,
                _HERE,
                title,
                cause=cause,
                seen=text,
                advice=advice,
                probe=probes[kind],
                before=wrongs.base,
            )
        )

    name = name_of(path)
    often = max((kind for kind in kept if kind.startswith("repeated")), key=lambda kind: kept[kind])
    recall = (
        "Score precision and recall together (adjudge_kit's records and members do), against the full list."
    )
    if kept["truncated"] > fair + 0.15:
        report(
            Severity.HIGH if length >= 4 and kept["truncated"] >= 0.5 else Severity.MEDIUM,
            "truncated",
            f"{name}: one item of {length} keeps {kept['truncated']:.0%} of the credit",
            f"The list is worth {stake:.3g}; cut to its first item it scores {seen['truncated'].reward:g}. "
            f"One of {length} is fairly worth {fair:.0%} at most.",
            recall,
            Cause.FEW_ITEMS,
        )
    elif kept[often] > max(kept["truncated"], fair_often) + 0.15:
        report(
            Severity.HIGH if kept[often] >= 0.5 else Severity.MEDIUM,
            often,
            f"{name}: one right item repeated {length} times counts as {length}",
            f"Cut to one item the answer scores {seen['truncated'].reward:g}, with one item {length} times "
            f"{seen[often].reward:g}.",
            "Match each expected item with one given item at most.",
            Cause.REPEATS,
        )
    if kept["truncated"] <= fair + 0.15 and kept["one-right"] > fair + 0.15:
        report(
            Severity.HIGH if length >= 4 and kept["one-right"] >= 0.5 else Severity.MEDIUM,
            "one-right",
            f"{name}: one right item among {length} keeps {kept['one-right']:.0%} of the credit",
            f"The list is worth {stakes['one-right']:.3g}; with all items wrong but the first it scores "
            f"{seen['one-right'].reward:g}.",
            recall,
            Cause.FEW_ITEMS,
        )
    ends = kept.get("ends", 0.0) if length > 3 and kept["truncated"] <= fair + 0.15 else 0.0
    if ends > fair_share(2, length) + 0.15:
        report(
            Severity.MEDIUM,
            "ends",
            f"{name}: the first and the last of {length} items keep {ends:.0%} of the credit",
            f"The list is worth {stake:.3g}; its ends alone score {seen['ends'].reward:g}.",
            "Check what lies between the ends: each step of a route must be one that exists.",
            Cause.FEW_ITEMS,
        )
    if seen["doubled"].reward > wrongs.base + EPS:
        report(
            Severity.HIGH,
            "doubled",
            f"{name}: giving every item twice raises the reward",
            f"{wrongs.base:g} became {seen['doubled'].reward:g}.",
            "Match each expected item with one given item at most.",
            Cause.REPEATS,
        )
    free = kept["padded"] >= 0.95 and kept["truncated"] < 0.95
    if free and junk_is_refused(wrongs, path, stake, result):
        free = False  # listing more of what could be right costs something
    elif free:
        task = wrongs.bench.task  # where every name is given, there is nothing to be found by listing more
        given = has_every_name(items, [InputText("", task.instruction), *input_texts(task)])
        wins = "there is no name to be found, though" if given else "listing everything wins"
        report(
            Severity.LOW if given else Severity.MEDIUM,
            "padded",
            f"{name}: junk among the items costs nothing",
            f"With two thirds junk the answer still scores {seen['padded'].reward:g}: {wins}.",
            recall,
            Cause.PADDING,
        )
    elif "flooded" in kept and kept["flooded"] >= max(0.5, fair_flooded + 0.25):
        report(
            Severity.MEDIUM,
            "flooded",
            f"{name}: a hundred junk items cost little",
            f"With a hundred junk items among {length} right ones the answer still scores "
            f"{seen['flooded'].reward:g}: the penalty is capped.",
            recall,
            Cause.PADDING,
        )
    if kept["doubled"] >= 0.95 and kept["padded"] < 0.95:
        report(
            Severity.LOW,
            "doubled",
            f"{name}: giving every item twice costs nothing",
            f"The answer still scores {seen['doubled'].reward:g}.",
            "Count what was given, with its repetitions.",
            Cause.REPEATS,
        )
    check_order(wrongs, path, stake, (probes["permuted"], seen["permuted"]), result)
    hedged = next((kind for kind in kept if kind.startswith("hedged") and kept[kind] >= 0.8), None)
    last = hedged == "hedged-before"  # of two records of a key the last one counts
    if hedged and not junk_is_refused(wrongs, path, stake, result, keep_texts=True, before=last):
        where = {"hedged-before": "before it", "hedged-behind": "behind it"}.get(hedged, "on both sides")
        report(
            Severity.MEDIUM,
            hedged,
            f"{name}: wrong records beside each right one cost nothing",
            f"With a wrong version of every record {where} the answer still scores {seen[hedged].reward:g}.",
            "Let every given record count, and match each expected one with the first that has its key.",
            Cause.HEDGED,
        )


def check_only_one(wrongs: WrongAnswers, result: SectionResult) -> None:
    """A verifier that averages over the fields it finds gives full marks for one."""
    value = wrongs.document.value
    stakes: dict[str, float] = {}
    for trial in wrongs.fields:
        if trial.scored and trial.leaf.path and isinstance(trial.leaf.path[0], str):
            key = trial.leaf.path[0]
            stakes[key] = max(stakes.get(key, 0.0), trial.stake)
    if not isinstance(value, dict) or len(stakes) < 3:
        return
    key = min(stakes, key=lambda name: (stakes[name], name))
    probe = wrongs.probe(f"only/{slug((key,))}", f"nothing but {key}", only_key(value, key))
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    fair = wrongs.base - sum(stake for name, stake in stakes.items() if name != key)
    wrongs.lost.append(1 - min(1.0, max(0.0, (seen.reward - max(fair, 0.0)) / wrongs.base)))
    if seen.reward >= 0.9 * wrongs.base:
        result.findings.append(
            wrongs.bench.finding(
                Severity.HIGH,
                _HERE,
                "one field of many earns full marks",
                cause=Cause.PARTIAL,
                seen=f"An answer with nothing but {key} scores {seen.reward:g}, although "
                f"{len(stakes)} fields count.",
                advice="Divide by the number of expected fields, not of the fields that were found.",
                probe=probe,
                before=wrongs.base,
            )
        )
