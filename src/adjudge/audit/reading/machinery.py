"""What a verifier does around the answer: runs it, believes it, forgives its own failures, asks the clock."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.flow import called
from adjudge.audit.reading.module import Module, is_payment
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

_PROGRAMS = (".py", ".sh", ".js", ".mjs", ".pl", ".rb", ".awk", ".sql", ".c", ".cpp", ".go", ".rs")
_LOADERS = ("pickle", "cPickle", "dill", "marshal", "joblib", "shelve", "jsonpickle", "torch", "cloudpickle")
_CLAIMS = re.compile(
    r"^(?:self_?)?(?:score|reward|passed|pass|correct|verified|is_correct|success|grade|verdict|ok|valid)$",
    re.I,
)
_TERMS = re.compile(
    r"^(?:tol(?:erance)?|eps(?:ilon)?|margin|rtol|atol|weights?|expected|reference|threshold)$", re.I
)
_ABSOLUTE = re.compile(
    r"/(?!tests/|logs/|usr/|etc/|proc/|dev/|bin/|lib|opt/)[\w.-]+/[\w./-]*\w\.(?:json|jsonl|csv|tsv|txt|db|npz|dat|bin|xml)"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=[-*|] )")
_GIVEN = re.compile(
    r"\b(?:given|listed|holds?|contains?|provided|reads?|inputs?|found|(?:is|are|stands?) in|from|located at"
    r"|stored (?:at|in))\b",
    re.I,
)
_TO_BE_WRITTEN = re.compile(
    r"\b(?:(?:writ|sav|creat|generat|edit|modif|updat|fix|implement|complet|fill|chang|append|add)"
    r"(?:e|es|ing|ten|ed|s|t)?|(?:put|output)(?:s|ting)?|produc(?:e|es|ed|ing)|stor(?:e|es|ing))\b",
    re.I,
)
_DRAWN = (
    "random",
    "randint",
    "choice",
    "choices",
    "sample",
    "shuffle",
    "uniform",
    "randrange",
    "getrandbits",
)
_NOW = ("now", "utcnow", "today", "localtime", "gmtime")


def read_machinery(module: Module) -> Iterator[Remark]:
    """Every rule about what is run, believed, forgiven or left to chance."""
    for rule in (_executed, _claims, _own_terms, _inputs, _forgiven, _drawn, _hash_order, _clock):
        yield from rule(module)


def _executed(module: Module) -> Iterator[Remark]:
    """What the agent wrote is run as code."""
    for node in module.nodes:
        if not isinstance(node, ast.Call) or not any(
            module.of_answer(part) for part in (*node.args, *(k.value for k in node.keywords))
        ):
            continue
        name, owner = called(node), ast.unparse(node.func)
        plain = owner in ("eval", "exec", "builtins.eval", "builtins.exec")
        loads = name in ("load", "loads", "decode", "open", "Unpickler") and owner.split(".")[0] in _LOADERS
        yaml = name in ("unsafe_load", "full_load") or (
            owner in ("yaml.load", "yaml.load_all")
            and "Safe" not in ast.unparse(node)
            and "BaseLoader" not in ast.unparse(node)
        )
        shell = _is_shell(module, node, name, owner)
        imports = module.suffix not in ("", *_PROGRAMS) and (
            owner in ("importlib.import_module", "__import__", "runpy.run_path", "imp.load_source")
            or name == "spec_from_file_location"
        )
        if plain and module.suffix in _PROGRAMS:
            continue
        if plain or loads or yaml or shell or imports:
            yield module.remark(
                node,
                Cause.CODE,
                "what the agent wrote is run as code inside the verifier",
                "Parse it as data (json.loads, yaml.safe_load), and start programs without a shell.",
            )


def _is_shell(module: Module, node: ast.Call, name: str, owner: str) -> bool:
    if owner in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"):
        return _has_contents(module, node)
    through = any(
        k.arg == "shell" and isinstance(k.value, ast.Constant) and k.value.value for k in node.keywords
    )
    return (
        name in ("run", "call", "check_call", "check_output", "Popen")
        and through
        and _has_contents(module, node)
    )


def _has_contents(module: Module, node: ast.Call) -> bool:
    """Something of the output's contents, not only its path."""
    command = node.args[0] if node.args else None
    if command is None:
        return False
    for part in ast.walk(command):
        if isinstance(part, ast.Name) and module.of_answer(part):
            values = list(module.flow.values(part))
            if not values or any(
                not isinstance(value, ast.Constant) and not _is_path(value) for value in values
            ):
                return True
        if isinstance(part, ast.Subscript) and module.of_answer(part):
            return True
    return False


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("Path", "join", "PurePath", "getenv", "get")


def _fields(module: Module) -> Iterator[tuple[ast.expr, str]]:
    """Every field of the answer that is read by a name."""
    for node in module.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            key, owner = node.slice.value, node.value
        elif (
            isinstance(node, ast.Call)
            and called(node) == "get"
            and isinstance(node.func, ast.Attribute)
            and node.args
        ):
            first = node.args[0]
            key, owner = (first.value if isinstance(first, ast.Constant) else None), node.func.value
        else:
            continue
        if isinstance(key, str) and module.of_answer(owner):
            yield node, key


def _claims(module: Module) -> Iterator[Remark]:
    """A score that the answer gives itself."""
    own = set(_own_keys(module))
    for node, key in _fields(module):
        if not _CLAIMS.match(key) or key in own or not module.suffix:
            continue
        into = _goes_into_score(module, node)
        if into or not module.told(rf"\b{re.escape(key)}\b"):
            yield module.remark(
                node,
                Cause.CLAIMED,
                f"the answer's own `{key}` is read, so that an agent may say how good it is",
                "Work the verdict out from the answer's values, and ignore what it says about itself.",
                Severity.MEDIUM if into or not module.told(re.escape(key)) else Severity.LOW,
            )
            return


def _own_keys(module: Module) -> Iterator[object]:
    """The keys that the verifier itself writes; but every verifier writes a `reward`."""
    for node in module.nodes:
        keys: Sequence[ast.expr | None] = node.keys if isinstance(node, ast.Dict) else ()
        yield from (key.value for key in keys if isinstance(key, ast.Constant) and key.value != "reward")
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield getattr(node.slice, "value", None)


def _goes_into_score(module: Module, node: ast.expr) -> bool:
    """Is it assigned, or added, to a score without being compared with anything?"""
    for around in module.around(node):
        if isinstance(around, ast.Compare):
            return False
        if isinstance(around, ast.Assign):
            return any(re.search("reward|score", ast.unparse(t), re.I) for t in around.targets)
        if isinstance(around, ast.AugAssign):
            return re.search("reward|score", ast.unparse(around.target), re.I) is not None
    return False


def _own_terms(module: Module) -> Iterator[Remark]:
    """A tolerance, a weight or a reference that the answer brings along."""
    for node, key in _fields(module):
        if _TERMS.match(key) and not module.told(rf"\b{re.escape(key)}\b"):
            yield module.remark(
                node,
                Cause.CLAIMED,
                f"the answer's own `{key}` is used, so that an agent chooses how it is measured",
                "Keep tolerances, weights and references in tests/.",
            )
            return


def _inputs(module: Module) -> Iterator[Remark]:
    """A file of the agent's machine that the task gives, read as if nobody could have changed it."""
    if not module.suffix:
        return  # of an answer that is a folder, it may be a part
    for node in module.nodes:
        path = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if not _ABSOLUTE.fullmatch(path) or module.of_answer(node) or module.flow.scope(node) is node:
            continue
        said = [part for part in _SENTENCE.split(module.instruction) if path in part]
        if any(map(_GIVEN.search, said)) and not any(_TO_BE_WRITTEN.search(part) for part in said):
            yield module.remark(
                node,
                Cause.SIDE_FILE,
                f"{path} is read, which the agent may have changed",
                "Keep a copy of the inputs in tests/, and read that one.",
            )
            return


def _forgiven(module: Module) -> Iterator[Remark]:
    """`except ...: score = 1.0`: what cannot be checked passes."""
    for node in module.nodes:
        if not isinstance(node, ast.ExceptHandler):
            continue
        unfinished = node.type is not None and "TimeoutExpired" in ast.unparse(node.type)
        if unfinished and all(isinstance(part, ast.Pass | ast.Continue) for part in node.body):
            yield module.remark(
                node,
                Cause.PASSES_BROKEN,
                "a program of the agent's that does not end is passed over",
                "Count it as failed.",
            )
        for statement in node.body:
            if is_payment(statement) and not _is_exit_code(module, statement):
                yield module.remark(
                    statement,
                    Cause.PASSES_BROKEN,
                    "what raises an error is taken for right",
                    "Give what cannot be checked nothing, or let the error end the verifier.",
                )


def _is_exit_code(module: Module, node: ast.stmt) -> bool:
    """`return 1` of a function whose result the program ends with."""
    function = getattr(module.flow.scope(node), "name", "")
    whole = (
        isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is not True
    )
    return whole and (function == "main" or module.speaks(rf"exit\(.*\b{re.escape(function)}\("))


def _drawn(module: Module) -> Iterator[Remark]:
    """Rows drawn by lot, without a seed."""
    if module.speaks(r"\bseed\(|Random\(\s*[^)\s]|default_rng\(\s*[^)\s]"):
        return
    for node in module.calls(*_DRAWN):
        owner = ast.unparse(node.func)
        if owner.startswith(("random.", "np.random.", "numpy.random.", "secrets.")) or (
            isinstance(node.func, ast.Name) and module.speaks(r"from random import")
        ):
            yield module.remark(
                node,
                Cause.RANDOM,
                "what is looked at is drawn by lot, so that the same answer may earn another reward",
                "Look at all of it, or draw with a fixed seed.",
            )
            return


def _hash_order(module: Module) -> Iterator[Remark]:
    """The order of a set of texts changes with the hash seed."""
    for node in module.nodes:
        found = False
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "hash" and node.args:
            found = True
        if isinstance(node, ast.keyword) and node.arg == "key" and ast.unparse(node.value) == "hash":
            found = True
        if isinstance(node, ast.Call) and called(node) == "next" and node.args:
            inner = node.args[0]
            found = isinstance(inner, ast.Call) and called(inner) == "iter" and _is_set(inner.args)
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Call)
            and called(node.value) == "list"
        ):
            found = _is_set(node.value.args)
        if found:
            yield module.remark(
                node,
                Cause.RANDOM,
                "the order of a set, or a hash, changes from process to process",
                "Sort before you choose, or use hashlib.",
            )
            return


def _is_set(args: list[ast.expr]) -> bool:
    return bool(args) and (
        isinstance(args[0], ast.Set | ast.SetComp)
        or (isinstance(args[0], ast.Call) and called(args[0]) == "set")
    )


def _clock(module: Module) -> Iterator[Remark]:
    """What is right depends on when it is asked."""
    for node in module.calls(*_NOW, "time", "getmtime"):
        owner = ast.unparse(node.func)
        known = called(node) in _NOW and re.search(r"datetime|date\b|time\.", owner)
        if not known and owner not in ("time.time", "os.path.getmtime"):
            continue
        reached = _reaches_a_test(module, node)
        if reached is not None and (known or called(node) == "getmtime"):
            yield module.remark(
                reached,
                Cause.CLOCK,
                "the date or the time of the run decides",
                "Put the moment that counts into the task, and compare with it.",
            )
            return


def _reaches_a_test(module: Module, node: ast.Call) -> ast.AST | None:
    """The comparison, index or remainder that a moment goes into, itself or through one name."""
    for around in module.around(node):
        if isinstance(around, ast.Subscript) or _is_test(around):
            return around
        targets = around.targets if isinstance(around, ast.Assign) else []
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        for other in filter(_is_test, ast.walk(module.flow.scope(node))):
            if any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(other)):
                return other
    return None


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))
