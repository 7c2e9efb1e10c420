"""Which modules a warm server imports before it forks: parts of the standard library, and our own kit.

Only modules that a verifier's own files name are imported, only those on a list of modules that keep nothing
of the moment or the place at which they were imported, and only if no file of the tests bears such a name. A
module of the tests is never imported in the server; the one exception is a copy of the authoring kit that is
the very one installed here.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from adjudge.sandbox.files.bytecode import KIT, own_kit

_KEEP_NOTHING = """
__future__ abc argparse ast base64 binascii bisect calendar cmath codecs collections collections.abc
configparser contextlib copy csv dataclasses datetime decimal difflib enum errno fnmatch fractions functools
glob gzip hashlib heapq hmac html html.parser importlib importlib.util inspect io itertools json keyword math
numbers operator os os.path pathlib posixpath pprint queue random re reprlib secrets select selectors shlex
shutil signal stat statistics string struct subprocess sys tempfile textwrap threading time token tokenize
tomllib traceback types typing unicodedata urllib.parse warnings weakref xml.etree xml.etree.ElementTree
zipfile zlib
"""
KEEP_NOTHING = frozenset(_KEEP_NOTHING.split())
_MOST_FILES, _MOST_BYTES = 50, 1 << 20
_SEE_THE_END = (
    *(b"audithook", b"settrace", b"setprofile", b"sys.monitoring", b"PYTHONINSPECT", b"__cached__"),
    *(b"_ncallbacks", b"_run_exitfuncs", b"atexit._clear"),
)
"""With these a verifier could see how `ending.py` looks around, or have its exit code mistaken."""


def shadowing_names(tests: Path) -> list[str]:
    """Files of the tests that bear the name of a module of Python's own."""
    return sorted(
        path.name for path in tests.rglob("*") if path.name.partition(".")[0] in sys.stdlib_module_names
    )


def uses_the_kit(tests: Path) -> bool:
    """Is the tests' copy of the kit the very one that is installed here?"""
    copy = tests / KIT
    try:
        return not copy.is_symlink() and bool(own_kit()[1]) and copy.read_bytes() == own_kit()[0]
    except OSError:
        return False


def looks_at_its_end(tests: Path) -> bool:
    """Does a file of the tests name what would show it a shortened end of Python, or are they too many?"""
    files = [path for path in tests.rglob("*.py") if path.is_file()]
    if len(files) > _MOST_FILES or any(path.stat().st_size > _MOST_BYTES for path in files):
        return True
    return any(word in path.read_bytes() for path in files for word in _SEE_THE_END)


def modules_named(tests: Path, script: str) -> tuple[str, ...]:
    """The modules that the script and its neighbours name, in the order in which they are named."""
    found: dict[str, None] = {}
    waiting, seen = [script], {script}
    while waiting and len(seen) <= _MOST_FILES:
        for name in _imported(tests / waiting.pop(0)):
            found.setdefault(name)
            neighbour = f"{name.partition('.')[0]}.py"
            if neighbour not in seen and (tests / neighbour).is_file():
                seen.add(neighbour)
                waiting.append(neighbour)
    return tuple(found)


def _imported(path: Path) -> list[str]:
    """Absolute names in import statements, wherever they stand; none of a file that cannot be read."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return []
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names
