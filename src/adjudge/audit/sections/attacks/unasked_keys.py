"""Keys that nobody asked for: a tolerance, references and weights that a verifier reads from the answer.

Names are those that stand in the verifier's source, and the usual ones; those of the right answer are tried
elsewhere (`own_terms`). Each attempt is weighed against the same answer without them. Junk under keys that
are read and not asked for must not make up for wrong values, either.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, get, leaves, replaced
from adjudge.audit.probes import Bench, Probe, all_wrong, quoted_names
from adjudge.audit.sections.attacks.side_files import Exploit

_WIDE = 1e12
_TOLERANCE = re.compile(
    r"(?:^|_)(?:[ra]?tol|(?:rel_|abs_)?tolerances?|uncertainty|uncertainties|margin|eps|epsilon|max_error|"
    r"(?:max_|allowed_)?deviation|error_bar|plus_minus|sigma|std)(?:_|$)",
    re.I,
)
_REFERENCE = re.compile(
    r"(?:^|_)(?:expected|reference|ref|truth|target|true_value|ground_truth)(?:_|$)", re.I
)
_WEIGHT = re.compile(r"(?:^|_)weights?(?:_|$)", re.I)
_USUAL_TOLERANCES = ("tolerance", "tol", "rel_tol", "abs_tol", "rtol", "atol", "tolerance_pct", "uncertainty")
_USUAL_REFERENCES = ("expected", "reference", "ground_truth")
_SAID = "Checked twice; the details are in the working."
_MOST_KEYS = 8
_MOST_UNASKED = 40
_ABOUT_FILES = re.compile(r"^(?:r|w|rb|wb|a|utf-?8.*|__\w+|reward|score|max_score|evidence|breakdown)$", re.I)


def unasked_keys(bench: Bench, document: Document, plain: Probe) -> list[Exploit]:
    """Attempts of an answer that is an object; `plain` is the answer with every value wrong."""
    value: dict[str, Any] = document.value
    wrong = all_wrong(value)
    named = [name for name in quoted_names(bench.task) if name not in value]

    def probe(name: str, what: str, changed: Any) -> Probe:
        return bench.answer(f"exploits/{name}", what, document.render(changed))

    terms = {**_tolerances(wrong, named), **_references(wrong, named)}
    what = "a wrong answer that brings a tolerance and references of its own"
    found = [Exploit(probe("unasked-terms", what, {**terms, **wrong}), Cause.CLAIMED, plain)]
    if len(leaves(value)) < 2:
        return found
    first = leaves(value)[0]
    weights = {name: 1.0 if name == str(first.path[0]) else 0.0 for name in value}
    if heavy := dict.fromkeys((name for name in named if _WEIGHT.search(name)), weights):
        one_right = replaced(wrong, [(first.path, first.value)])
        without = probe("one-right", f"an answer with every value wrong but {first.name}", one_right)
        what = f"an answer right in {first.name} only, that brings all the weight for it"
        found.append(Exploit(probe("unasked-weights", what, {**heavy, **one_right}), Cause.CLAIMED, without))
    half = replaced(value, [(leaf.path, get(wrong, leaf.path)) for leaf in leaves(value)[1::2]])
    without = probe("half-wrong", "an answer with every other value wrong", half)
    others = [name for name in named if not _ABOUT_FILES.match(name)][:_MOST_UNASKED]
    for name, word, given in (("texts", "texts", _SAID), ("truths", "true", True)) if others else ():
        what = f"a half wrong answer with {word} under keys that nobody asked for"
        more = {**dict.fromkeys(others, given), **half}
        found.append(Exploit(probe(f"unasked-{name}", what, more), Cause.CLAMPED, without))
    return found


def _tolerances(wrong: dict[str, Any], named: list[str]) -> dict[str, float]:
    """Every tolerance that a verifier may look for, without bounds."""
    keys = [key for key in list(wrong)[:_MOST_KEYS] if not _TOLERANCE.search(key)]
    names = [*_USUAL_TOLERANCES, *(name for name in named if _TOLERANCE.search(name))]
    names += [f"{key}_{what}" for key in keys for what in ("tolerance", "tol", "uncertainty")]
    return dict.fromkeys(names, _WIDE)


def _references(wrong: dict[str, Any], named: list[str]) -> dict[str, Any]:
    """The wrong values as what is expected, as a whole and one by one."""
    whole = [*_USUAL_REFERENCES, *(name for name in named if _REFERENCE.search(name))]
    made: dict[str, Any] = dict.fromkeys(whole, wrong)
    for key in list(wrong)[:_MOST_KEYS]:
        names = (f"expected_{key}", f"{key}_expected", f"reference_{key}", f"{key}_reference", f"{key}_ref")
        made.update(dict.fromkeys(names, wrong[key]))
    return made
