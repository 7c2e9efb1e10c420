"""An answer that sets its own terms: how much each of its values weighs, or how far each may be off.

A field such as `confidence` or `uncertainty` may be scored; it must not decide what the other fields are
worth. So wrong values are given a tolerance of their own that covers anything, or no weight beside one that
is right.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, Leaf, Path, leaves, name_paths, replaced
from adjudge.audit.probes import Bench, all_wrong, wrong_everywhere
from adjudge.audit.sections.attacks.side_files import Exploit

_MARGIN = re.compile(
    r"(?:^|_)(?:uncertaint\w*|tolerances?|tol|sigma|std(?:dev|ev|_?err\w*)?|sd|margin|plus_minus|deviation"
    r"|half_width|error_bars?|accuracy|precision)(?:_|$)",
    re.I,
)
_FINENESS = re.compile(
    r"(?:^|_)(?:decimals?|decimal_places|places|digits|figures|sig_?figs?|precision|rounding|rounded_to)(?:_|$)",
    re.I,
)
_COARSE = -9
"""Decimals: rounded so, any two numbers that people write are the same."""
_WEIGHT = re.compile(
    r"(?:^|_)(?:confidence|certainty|prob(?:ability)?|likelihood|weight|importance)(?:_|$)", re.I
)
_LEAST_RECORDS = 3
_COVERS = 1e6
"""Times the largest number of the answer: wider than any wrong value is off."""


def own_terms(bench: Bench, document: Document) -> list[Exploit]:
    """The exploits to try, if the right answer has such fields."""
    return [*_margins(bench, document), *_fineness(bench, document), *_weights(bench, document)]


def _numbers_named(value: Any, name: re.Pattern[str]) -> list[Leaf]:
    return [
        leaf
        for leaf in leaves(value)
        if leaf.kind == "number"
        and leaf.path
        and isinstance(leaf.path[-1], str)
        and name.search(leaf.path[-1])
    ]


def _margins(bench: Bench, document: Document) -> list[Exploit]:
    own = _numbers_named(document.value, _MARGIN)
    numbers = [abs(leaf.number) for leaf in leaves(document.value) if leaf.kind == "number"]
    if not own or len(own) == len(leaves(document.value)):
        return []
    wide = float(f"{_COVERS * max(1.0, *numbers):.0e}")
    wrong = all_wrong(document.value)
    plain, probe = (
        bench.answer(f"exploits/{name}", what, document.render(replaced(wrong, changes)))
        for name, what, changes in (
            (
                "own-margin-right",
                "wrong values, and a right margin",
                [(leaf.path, leaf.value) for leaf in own],
            ),
            (
                "own-margin",
                f"wrong values whose own {own[0].path[-1]} is huge",
                [(leaf.path, leaf.with_number(wide)) for leaf in own],
            ),
        )
    )
    return [Exploit(probe, Cause.CLAIMED, plain)]


def _fineness(bench: Bench, document: Document) -> list[Exploit]:
    """Wrong values beside the number of decimals to which they claim to be rounded."""
    own = _numbers_named(document.value, _FINENESS)
    if not own or len(own) == len(leaves(document.value)):
        return []
    wrong = all_wrong(document.value)
    right = [(leaf.path, leaf.value) for leaf in own]
    coarse = [(leaf.path, leaf.with_number(_COARSE)) for leaf in own]
    plain, probe = (
        bench.answer(f"exploits/{name}", what, document.render(replaced(wrong, changes)))
        for name, what, changes in (
            ("own-decimals-right", f"wrong values, and a right {own[0].path[-1]}", right),
            ("own-decimals", f"wrong values whose own {own[0].path[-1]} is {_COARSE}", coarse),
        )
    )
    return [Exploit(probe, Cause.CLAIMED, plain)]


def _weights(bench: Bench, document: Document) -> list[Exploit]:
    """One record right, and all others wrong with a weight of zero; beside the same with right weights."""
    value = document.value
    own = {leaf.path[:-1]: leaf for leaf in _numbers_named(value, _WEIGHT)}
    records = list(own)
    if len(records) < _LEAST_RECORDS or len({len(path) for path in records}) > 1 or not records[0]:
        return []
    wrong = _other_values(value, records, {leaf.path for leaf in own.values()})
    unweighted = [(own[path].path, own[path].with_number(0)) for path in records[1:]]
    key = own[records[0]].path[-1]
    plain, probe = (
        bench.answer(f"exploits/{name}", what, document.render(replaced(value, changes)))
        for name, what, changes in (
            ("own-weight-right", "one record right, all others wrong", wrong),
            ("own-weight", f"one record right, all others wrong with a {key} of 0", [*wrong, *unweighted]),
        )
    )
    return [Exploit(probe, Cause.CLAIMED, plain)]


def _other_values(value: Any, records: list[Path], own: set[Path]) -> list[tuple[Path, Any]]:
    """A wrong value for each field of all records but the first: a text is one of another record.

    Names stay: a record that nobody looks up has no weight to lose.
    """
    names = name_paths(value)
    bad = {leaf.path: leaf.value for leaf in leaves(wrong_everywhere(value))}
    columns: dict[Path, list[Any]] = {}
    found = [
        (record, leaf) for leaf in leaves(value) for record in records if leaf.path[: len(record)] == record
    ]
    for record, leaf in found:
        columns.setdefault(leaf.path[len(record) :], []).append(leaf.value)
    changes = []
    for record, leaf in found:
        if record == records[0] or leaf.path in own or leaf.path in names:
            continue
        column = columns[leaf.path[len(record) :]]
        others = [text for text in column if text != leaf.value] if leaf.kind == "text" else []
        changes.append((leaf.path, others[0] if others else bad.get(leaf.path)))
    return changes
