"""Python's import order in a sandbox: whatever is found in an agent's folders comes after everything else.

A verifier that starts Python in the workspace (`python3 -m pytest`, `python3 -c`, a script on stdin) has the
workspace first on its path, so an agent's `json.py` would run inside the verifier. Leaving the workspace off
the path would break tests that import the agent's module on purpose, and so would removing files.

Instead the order is kept by the interpreter itself. No flag (`-E`, `-I`, `-S`) keeps Python from importing
`encodings` when it starts, so the sandbox shows it a version of that module that ends with `import_rule.py`:
entries of `sys.path` in the agent's folders are asked last; start-up modules, test runners
(`NEVER_THE_AGENTS`) and plug-ins that a distribution announces never come from there. A module of the tests
that the verifier copied there comes before a package or library of that name beside it. A module of a task
whose name is also installed here is named in `ADJUDGE_WORKSPACE_MODULES` (`[verifier.env]` in task.toml), and
then the workspace's wins.

The compiled module is shown if this Python can compile for that one, else the source, which costs about a
millisecond at each start.
"""

from __future__ import annotations

import importlib.util
import marshal
from functools import cache
from pathlib import Path

from adjudge.sandbox.files.layout import python_libraries

FOLDERS_FILE = "/etc/adjudge-agent-folders"
"""In the sandbox: the agent's folders, a null byte after each."""
BYTECODE = "/opt/adjudge/bytecode"
"""In the sandbox: the tests' modules, compiled; in a folder for each version of byte code."""
NEVER_THE_AGENTS = (
    *("sitecustomize", "usercustomize"),
    *("pytest", "_pytest", "pluggy", "iniconfig", "hypothesis", "coverage", "nose", "nose2", "tox", "pip"),
    *("adjudge", "adjudge_kit", "adjudge_untrusted"),
)
"""Not taken from an agent's folder even if they are nowhere else, like the standard library's: who runs the
tests decides the reward."""
TELL = (
    "import encodings, sys; path = encodings.__file__; "
    "sys.stdout.buffer.write(path.encode() + b'\\n' + open(path, 'rb').read())"
)
"""Prints where an image's `encodings` is, and its text."""
_NOT_COMPILED = b""
"""Python reads the source if the compiled module is none, whoever compiled it in whatever way."""
_RULE = Path(__file__).with_name("import_rule.py")


@cache
def python_covers(rootfs: Path | None = None) -> tuple[tuple[str, bytes], ...]:
    """What is shown in place of a file of each Python: its path inside the sandbox, and the content."""
    return covers_with(rootfs, None)


def covers_with(rootfs: Path | None, added: bytes | None) -> tuple[tuple[str, bytes], ...]:
    """The same with other text in place of what calls the rule: text that does so itself, and more."""
    covers = []
    for library in python_libraries(rootfs):
        source = library / "encodings" / "__init__.py"
        inside = "/" + str(library.relative_to(rootfs or "/"))
        try:
            text = source.read_bytes() + rule(added)
        except OSError:
            continue
        tag = f"cpython-{library.name.removeprefix('python').replace('.', '')}"
        compiled = library / "encodings" / "__pycache__" / f"__init__.{tag}.pyc"
        if _compiles_for(compiled):
            where = f"{inside}/encodings/__init__.py"
            covers.append((f"{inside}/encodings/__pycache__/{compiled.name}", _compile(text, where)))
        else:
            covers.append((f"{inside}/encodings/__init__.py", text))
            if compiled.exists():
                covers.append((f"{inside}/encodings/__pycache__/{compiled.name}", _NOT_COMPILED))
    return tuple(covers)


def image_covers(told: bytes) -> dict[str, bytes]:
    """The same for an image, whose `TELL` printed this; nothing if it has no Python, or says nonsense."""
    source, _, text = told.partition(b"\n")
    path = source.decode("utf-8", "replace")
    if not path.startswith("/") or not path.endswith("/encodings/__init__.py") or ".." in path.split("/"):
        return {}
    return {path: text + rule()}


KEEP_ORDER = f"_keep_import_order({FOLDERS_FILE!r}, {NEVER_THE_AGENTS!r})"
USE_BYTECODE = f"_use_bytecode({f'{BYTECODE}/'!r})"
DELETE_RULE = "del _agents_folders, _copied, _keep_import_order, _use_bytecode"


def rule(added: bytes | None = None) -> bytes:
    """The text that is added to a Python's `encodings`."""
    text = _RULE.read_bytes()
    calls = f"\n\n{KEEP_ORDER}\n{USE_BYTECODE}\n{DELETE_RULE}\n".encode() if added is None else added
    return b"\n\n" + text[text.index(b"def _agents_folders") :] + calls


def folders_file(folders: tuple[str, ...]) -> bytes:
    """The content of `FOLDERS_FILE`. Their names may be an agent's, with line ends in them."""
    return "".join(f"{folder}\0" for folder in folders).encode("utf-8", "surrogateescape")


def _compiles_for(compiled: Path) -> bool:
    """Is the compiled module there, and of the version that this Python writes?"""
    try:
        with compiled.open("rb") as file:
            return file.read(4) == importlib.util.MAGIC_NUMBER
    except OSError:
        return False


def _compile(text: bytes, where: str) -> bytes:
    """Bytecode that Python takes as it is (PEP 552, unchecked), whatever the source's time and size."""
    code = compile(text, where, "exec", dont_inherit=True, optimize=0)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)
