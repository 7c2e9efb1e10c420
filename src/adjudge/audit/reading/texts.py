"""How texts are compared: parts for wholes, the answer as a pattern, words anywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.keys import compared_keys, keys_of
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_ALIKE = 0.9
_WORD = re.compile(r"\w{3,}")
_NEGATED = r"negat|\bnot\b.{0,40}before|denie|\bno\b\|"
_PARTING = ("partition", "rpartition", "removeprefix", "removesuffix")
_PATTERNS = ("search", "match", "fullmatch", "findall", "finditer", "compile", "sub")


def read_texts(module: Module) -> Iterator[Remark]:
    """Every rule about texts, in turn."""
    for rule in (_inside_reference, _inside_answer, _beginnings, _open_ended, _patterns):
        yield from rule(module)
    for rule in (_queries, _likeness, _never_equal):
        yield from rule(module)


def _inside_reference(module: Module) -> Iterator[Remark]:
    """`given in "compliant"`: an empty text is part of every text."""
    for node, left, op, right in module.comparisons():
        if not isinstance(op, ast.In) or not module.of_answer(left) or module.of_answer(right):
            continue
        if module.is_text(right) and not _is_letters(right):
            yield module.remark(
                node,
                Cause.WORD_INSIDE,
                "a text of the answer passes if it is any part of the reference, and an empty one always is",
                "Compare with ==, or look the text up in a list of those that are right.",
            )


def _is_letters(node: ast.expr) -> bool:
    """`c in "0123456789.-"`: characters are looked up, not words."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    alphabet = node.value.isupper() or re.search("012|abc", node.value, re.I)
    return not _WORD.search(node.value) or (bool(alphabet) and len(set(node.value)) == len(node.value))


def _inside_answer(module: Module) -> Iterator[Remark]:
    """`"compliant" in given`: it also stands in `non-compliant`, and in a list of all that could be meant."""
    for node, left, op, right in module.comparisons():
        if not isinstance(op, ast.In) or module.of_answer(left) or not module.of_answer(right):
            continue
        if not module.is_text(right) or not _is_word(module, left):
            continue
        whole = _is_whole_output(module, right)
        if (whole and module.speaks(_NEGATED)) or _is_compared_besides(module, left, right):
            continue
        yield module.remark(
            node,
            Cause.WORD_INSIDE,
            "a word is looked for anywhere in the text of the answer, also in its opposite or among others",
            "Compare the whole field, or the whole line, with what is right.",
            Severity.LOW if whole else Severity.MEDIUM,
        )


def _is_compared_besides(module: Module, word: ast.expr, field: ast.expr) -> bool:
    """Is a word that the task says a field contains looked for, in a field that is compared whole as well?"""
    keys = keys_of(module, field)
    if keys and keys <= compared_keys(module):
        return True
    known = word.value if isinstance(word, ast.Constant) and isinstance(word.value, str) else ""
    one = r"[`'\"*]+[^`'\"*\n]{1,40}[`'\"*]+(?:,? *(?:or|and)? *)"
    return bool(known) and module.told(
        rf"\bcontain(?:s|ing)? +(?:{one}){{0,4}}[`'\"*]+{re.escape(known)}[`'\"*]"
    )


def _is_word(module: Module, node: ast.expr) -> bool:
    """A word, a number or a reference, no mark that a text is taken apart by."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and re.search(rf"{_WORD.pattern}|^\d+$", node.value) is not None
    if isinstance(node, ast.Name):
        values = list(module.flow.values(node))
        if values and all(isinstance(value, ast.Constant) for value in values):
            return all(_is_word(module, value) for value in values)
    return isinstance(node, ast.Name | ast.Subscript | ast.Attribute | ast.Call)


def _is_whole_output(module: Module, node: ast.expr, deep: int = 0) -> bool:
    """Is it the text of the whole output, not of one field?"""
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice):
            number = isinstance(part.slice, ast.Constant) and isinstance(part.slice.value, int)
            if not number:
                return False
        if isinstance(part, ast.Call) and called(part) == "get":
            return False
        values = module.flow.values(part) if isinstance(part, ast.Name) and deep < 2 else ()
        if not all(_is_whole_output(module, value, deep + 1) for value in values):
            return False
    return True


def _beginnings(module: Module) -> Iterator[Remark]:
    """`want.startswith(given)`, and the other way round."""
    for node in module.calls("startswith", "endswith"):
        if not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            continue
        owner, part = node.func.value, node.args[0]
        if isinstance(part, ast.BinOp) or (isinstance(owner, ast.Attribute) and owner.attr == "name"):
            continue  # a prefix is put before the name, or it is the name of a file
        if module.of_answer(part) and not module.of_answer(owner):
            title = (
                "a text of the answer passes if the reference begins or ends with it, and an empty one does"
            )
        elif module.of_answer(owner) and not module.of_answer(part) and _is_reference(module, part):
            if _is_taken_apart(module, owner, part):
                continue
            title = "a text of the answer passes whatever follows or precedes the right one"
        else:
            continue
        yield module.remark(node, Cause.WORD_INSIDE, title, "Compare the whole text with ==.")


def _is_reference(module: Module, node: ast.expr) -> bool:
    """No literal and no constant that a text is taken apart by, nor a loop through labels."""
    if isinstance(node, ast.Constant | ast.Tuple | ast.JoinedStr | ast.BinOp):
        return False
    over = module.flow.items(node) if isinstance(node, ast.Name) else None
    shown = [over, *module.flow.values(over)] if over is not None else []
    if any(_are_labels(each) for each in shown):
        return False
    return not any(isinstance(value, ast.Constant | ast.Tuple) for value in module.flow.values(node))


def _are_labels(node: ast.expr) -> bool:
    """Literals that each end in a mark or a blank, as in `["mean:", "spread="]`."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return False
    parts = node.keys if isinstance(node, ast.Dict) else node.elts
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return len(texts) == len(parts) > 0 and all(re.search(r"[^\w.)\]]$", text) for text in texts)


def _is_taken_apart(module: Module, owner: ast.expr, part: ast.expr) -> bool:
    """Is what follows the beginning looked at: `line[len(part):]`, `line.partition(part)`?"""
    written, length = ast.unparse(owner), f"len({ast.unparse(part)})"
    for node in ast.walk(module.flow.scope(owner)):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            if ast.unparse(node.value) == written and length in ast.unparse(node.slice):
                return True
        elif isinstance(node, ast.Attribute) and node.attr in _PARTING and ast.unparse(node.value) == written:
            return True
    return False


def _open_ended(module: Module) -> Iterator[Remark]:
    """`re.match(re.escape(want), given)`: whatever follows the right text passes."""
    for node in module.calls("match", "search"):
        if (
            not isinstance(node.func, ast.Attribute)
            or len(node.args) < 2
            or not module.of_answer(node.args[1])
        ):
            continue
        pattern = node.args[0]
        if isinstance(pattern, ast.Constant) or module.of_answer(pattern):
            continue
        written = ast.unparse(pattern)
        known = any(isinstance(value, ast.Constant) for value in module.flow.values(pattern))
        ends = re.search(r"\$['\"]|\\\\Z|\\\\b", written) is not None
        if not known and not ends and ("escape" in written or isinstance(pattern, ast.JoinedStr)):
            yield module.remark(
                node,
                Cause.WORD_INSIDE,
                f"{called(node)}() finds the reference at the beginning or inside of a longer text",
                "Use fullmatch(), or compare with ==.",
            )


def _queries(module: Module) -> Iterator[Remark]:
    """A value of the answer inside of an SQL query, or beside its LIKE."""
    if module.suffix == ".sql":
        return
    for node in module.calls("execute", "executescript", "executemany"):
        query = node.args[0] if node.args else None
        if query is None:
            continue
        built = isinstance(query, ast.JoinedStr | ast.BinOp) or (
            isinstance(query, ast.Call) and called(query) == "format"
        )
        if built and any(module.of_answer(part) for part in ast.iter_child_nodes(query)):
            yield module.remark(
                node,
                Cause.CODE,
                "a value of the answer is put into an SQL query as text",
                "Give values as parameters: execute(query, (value,)).",
            )
        liked = isinstance(query, ast.Constant) and re.search(
            r"\b(?:LIKE|GLOB)\s+[?:]", str(query.value), re.I
        )
        if liked and any(map(module.of_answer, node.args[1:])):
            yield module.remark(
                node,
                Cause.PATTERN,
                "a text of the answer is taken for a pattern by LIKE, and % matches anything",
                "Compare with =.",
            )


def _patterns(module: Module) -> Iterator[Remark]:
    """The answer in the place of a pattern matches whatever it likes."""
    if re.search(r"regex|regular expression|\bpattern|\bglob\b", module.instruction, re.I):
        return
    for node in module.calls(*_PATTERNS, "fnmatch", "fnmatchcase"):
        owner = ast.unparse(node.func)
        name = called(node)
        if name.startswith("fnmatch"):
            place = node.args[1] if len(node.args) > 1 else None
        elif owner.startswith("re."):
            place = node.args[0] if node.args else None
        else:
            continue
        if place is None or not _holds_plainly(module, place):
            continue
        yield module.remark(
            node,
            Cause.PATTERN,
            "a text of the answer is taken for a pattern, and .* matches anything",
            "Compare with ==, or put re.escape() around what the agent wrote.",
        )


def _holds_plainly(module: Module, node: ast.expr) -> bool:
    """Something of the answer that has not been escaped."""
    escaped = any(isinstance(part, ast.Call) and called(part) == "escape" for part in ast.walk(node))
    return not escaped and module.of_answer(node)


def _likeness(module: Module) -> Iterator[Remark]:
    """A likeness of 0.6 is reached by the opposite, too."""
    if module.told(r"similar|likeness|fuzzy|edit distance|close(?:ly)? to the wording"):
        return
    for node, left, op, right in module.comparisons():
        one, bound = (right, left) if isinstance(op, ast.Lt | ast.LtE) else (left, right)
        values = [v.value for v in (bound, *module.flow.values(bound)) if isinstance(v, ast.Constant)]
        least = next((value for value in values if isinstance(value, float)), None)
        if least is None or least >= _ALIKE:
            continue
        ratio = [one, *module.flow.values(one)]
        if module.of_answer(bound):
            continue
        if any(
            isinstance(part, ast.Call) and called(part) in ("ratio", "quick_ratio", "jaro_winkler")
            for whole in ratio
            for part in ast.walk(whole)
        ):
            yield module.remark(
                node,
                Cause.WORD_INSIDE,
                f"texts that are alike by {least:g} pass, an opposite that differs by a word too",
                "Compare with the spellings that are right, or ask for a likeness of 0.95 and more.",
            )


def _never_equal(module: Module) -> Iterator[Remark]:
    """`given.lower() == "Yes"` is never true."""
    for node, left, op, right in module.comparisons():
        for one, other in ((left, right), (right, left)):
            if not (isinstance(op, ast.Eq) and isinstance(one, ast.Call) and isinstance(other, ast.Constant)):
                continue
            name, value = called(one), other.value
            if not isinstance(value, str) or not module.of_answer(one):
                continue
            if (name in ("lower", "casefold") and value != value.lower()) or (
                name == "upper" and value != value.upper()
            ):
                yield module.remark(
                    node,
                    Cause.SPELLING,
                    f"what {name}() gives never equals {value!r}",
                    "Write the reference in the same case.",
                )
