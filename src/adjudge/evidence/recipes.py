"""What is started from files that are neither shell nor Python: recipes of make, scripts of npm, JavaScript.

Read for their plain forms only, and bounded; nothing is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from adjudge._lazy import late_pattern

_MOST = 200_000
_TARGET = late_pattern(r"^(?P<names>[^\s#:=][^:=\n]*):(?!=)(?P<needs>[^\n=;]*)$")
_GIVEN = late_pattern(r"^(?:export\s+)?(?P<name>\w+)\s*(?::{0,2}|\?)=\s*(?P<value>.*)$")
_OF_MAKE = late_pattern(r"(?<!\$)\$(?:\(([^()]*)\)|\{([^{}]*)\})")
_REQUIRE = late_pattern(
    r"\brequire\(\s*['\"](?P<a>[^'\"]+)['\"]\s*\)|\bfrom\s+['\"](?P<b>[^'\"]+)['\"]|\bimport\s+['\"](?P<c>[^'\"]+)['\"]"
)
_TRY = late_pattern(r"\btry\s*\{")
_ALONE = late_pattern(
    r"(?:\s*(?:(?:const|let|var)\s+)?(?:[\w$.]+|\{[\w$,: ]*\})\s*=\s*require\([^()]*\)[\w$.()]*\s*;?"
    r"|\s*require\([^()]*\)\s*;?)+\s*"
)
"""A block of requests and nothing else."""
_PERL_USE = late_pattern(
    r"^[^\S\n]*(?:use|require)\s+(?P<name>[A-Z]\w*(?:::\w+)*)|(?<=[;{])\s*require\s+(?P<inner>[A-Z]\w*(?:::\w+)*)",
    re.MULTILINE,
)
_PERL_COMMENT = late_pattern(r"^\s*#.*$", re.MULTILINE)
_ALONE_IN_PERL = late_pattern(
    r"\s*(?:(?:use|require)\s+[\w:]+[^;]*;\s*|[\w:]+->import[^;]*;\s*)+(?:1|return 1)?\s*;?\s*"
)
_FOLDER_OPTIONS = frozenset({"--prefix", "--cwd", "--dir", "-C"})
_EMPTY_CATCH = late_pattern(r"catch\s*(?:\([^)]*\))?\s*\{\s*(?://[^\n]*\s*)*\}")
_BUILT_IN = """
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib
"""
_NODES_OWN = frozenset(_BUILT_IN.split())


def make_recipes(makefile: str, targets: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """The command lines that `make TARGETS` runs, each with its line number; those of the first target if
    none is named. Lines that make is told to ignore (`-`) are left out."""
    rules: dict[str, tuple[list[str], list[tuple[int, str]]]] = {}
    values: dict[str, str] = {}
    current: list[tuple[int, str]] | None = None
    for number, line in enumerate(makefile[:_MOST].splitlines(), 1):
        if line.startswith("\t") and current is not None:
            current.append((number, line.strip().lstrip("@+")))
        elif (given := _GIVEN.match(line)) is not None:
            values.setdefault(given["name"], _expanded(given["value"].partition("#")[0].strip(), values))
        elif (match := _TARGET.match(line)) is not None:
            current = []
            for name in match["names"].split():
                if not name.startswith("."):
                    rules.setdefault(name, (match["needs"].split(), current))
    pending = list(targets) or list(rules)[:1]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen or name not in rules:
            continue
        seen.add(name)
        needs, recipe = rules[name]
        pending += needs
        yield from ((number, _expanded(line, values)) for number, line in recipe if line[:1] != "-")


def _expanded(line: str, values: dict[str, str]) -> str:
    """A line of a recipe as the shell gets it; what only make knows stands as a variable that nobody set."""
    told = _OF_MAKE.sub(lambda found: values.get(found[1] or found[2], "$unknown"), line)
    return told.replace("$$", "$")


def npm_folder(words: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The folder of `npm --prefix FOLDER test` or `pnpm -C FOLDER test`, and the words without it."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in _FOLDER_OPTIONS and equals:
            return value.rstrip("/"), words[:place] + words[place + 1 :]
        if name in _FOLDER_OPTIONS and place + 1 < len(words):
            return words[place + 1].rstrip("/"), words[:place] + words[place + 2 :]
    return None, words


def npm_script(package: str, words: tuple[str, ...]) -> str | None:
    """The command line behind `npm test`, `npm run NAME`, `yarn NAME`; None if there is none."""
    rest = [word for word in words[1:] if not word.startswith("-")]
    name = rest[1] if rest[:1] == ["run"] and len(rest) > 1 else (rest[0] if rest else "")
    try:
        scripts = json.loads(package[:_MOST]).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return None
    found = scripts.get({"t": "test"}.get(name, name)) if isinstance(scripts, dict) else None
    return found if isinstance(found, str) else None


def node_modules(source: str) -> Iterator[tuple[int, str, bool]]:
    """The packages that a JavaScript file asks for: line, name, and whether it cannot do without.

    One that stands alone in a `try` has a fallback, unless what is caught is passed over.
    """
    text = source[:_MOST]
    swallows = _EMPTY_CATCH.search(text) is not None
    for match in _REQUIRE.finditer(text):
        whole = match["a"] or match["b"] or match["c"]
        if whole.startswith((".", "/", "node:", "#", "file:")):
            continue
        parts = whole.split("/")
        name = "/".join(parts[:2]) if whole.startswith("@") else parts[0]
        if name in _NODES_OWN:
            continue
        yield text.count("\n", 0, match.start()) + 1, name, swallows or not _is_optional(text, match.start())


def perl_modules(source: str) -> Iterator[tuple[int, str, bool]]:
    """The modules that a Perl program asks for: line, name, and whether it cannot do without.

    One that stands alone in an `eval` is optional.
    """
    text = _PERL_COMMENT.sub("", source[:_MOST])
    for match in _PERL_USE.finditer(text):
        block = text.rfind("eval {", 0, match.start())
        alone = (
            block >= 0
            and _closing(text, block + 5) > match.start()
            and _ALONE_IN_PERL.fullmatch(text[block + 6 : _closing(text, block + 5)])
        )
        yield text.count("\n", 0, match.start()) + 1, match["name"] or match["inner"], not alone


def _is_optional(text: str, at: int) -> bool:
    """Does a request stand in a `try` that holds nothing else, so that the program goes on without?"""
    for match in reversed(list(_TRY.finditer(text, 0, at))):
        end = _closing(text, match.end() - 1)
        if end > at:
            return _ALONE.fullmatch(text[match.end() : end]) is not None
    return False


def _closing(text: str, opened: int) -> int:
    """The place of the brace that closes the one at `opened`; the end of the text if none does."""
    depth = 0
    for place in range(opened, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
    return len(text)
