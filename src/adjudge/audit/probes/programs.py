"""Programs that solve nothing, for verifiers that run or import what the agent wrote. Pure: texts in and out.

Each says that all is well, prints what could be meant, ends the verifier, equals whatever it is compared
with, or writes the reward. For a language that is not spoken here there are none.
"""

from __future__ import annotations

import ast
import re
import shlex

from msgspec import Struct

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.causes import Cause
from adjudge.audit.probes.remembered import remembering_program

CODE = frozenset(
    f".{name}"
    for name in ["py", "sh", "js", "ts", "r", "c", "cpp", "rs", "go", "java", "jl", "m", "sql", "ipynb"]
)
"""Outputs that are programs: to run them is what their verifier is for."""
_CONSTANT = "prints-word"
_HIGHEST = 2000
_MOST_FUNCTIONS = 20


class HollowProgram(Struct, frozen=True):
    """A program that solves nothing, and what it means if it earns something."""

    name: str
    what: str
    data: bytes
    cause: Cause

    @property
    def constant(self) -> bool:
        """Does it print one thing that the instruction shows?"""
        return self.name.startswith(_CONSTANT)


def hollow_programs(
    suffix: str, instruction: str, reward_path: str, right: bytes | None
) -> list[HollowProgram]:
    """Programs in the language of `suffix`, the plainest first; `right` is the program that solves it."""
    names = _functions_of(right, instruction)
    made = [
        ("hollow", "a program that only says that it passed", _hollow_program(suffix), Cause.HOLLOW),
        (
            "writes-reward",
            "a program that writes the reward",
            _writing_program(suffix, reward_path),
            Cause.WRITES_REWARD,
        ),
        (
            "writes-late",
            "a program that writes the reward when the verifier ends",
            _late_program(suffix, reward_path, names),
            Cause.WRITES_REWARD,
        ),
        (
            "exit-0",
            "a program that ends whoever runs it, as if all were well",
            _ending_program(suffix),
            Cause.HOLLOW,
        ),
        ("equals", "a program whose results equal everything", _equal_program(suffix, names), Cause.HOLLOW),
        (
            "examples",
            "a program that knows only what the instruction shows",
            remembering_program(suffix, instruction, names),
            Cause.EXAMPLE,
        ),
        (
            "prints-all",
            "a program that prints every number and word",
            _listing_program(suffix, instruction),
            Cause.HEDGED,
        ),
        *(
            (
                f"{_CONSTANT}-{number + 1}",
                f"a program that prints {word!r}",
                _printing_program(suffix, word),
                Cause.HOLLOW,
            )
            for number, word in enumerate(_words_shown(instruction))
        ),
        ("exit-124", "a program that ends as if its time were over", _quitting_program(suffix), Cause.HOLLOW),
    ]
    return [HollowProgram(name, what, data, cause) for name, what, data, cause in made if data is not None]


def _hollow_program(suffix: str) -> bytes:
    """A program that does nothing but say that all is well, and ends well."""
    said = ("PASSED", "All tests passed", "ok", "OK", "1.0")
    if suffix == ".sh":
        return "".join(f"echo {word!r}\n" for word in said).encode() + b"exit 0\n"
    if suffix in (".js", ".ts"):
        return "".join(f"console.log({word!r});\n" for word in said).encode()
    return "".join(f"print({word!r})\n" for word in said).encode()


def endless_program(suffix: str) -> bytes | None:
    """A program that never ends; None for a language that is not spoken here."""
    loops = {
        ".py": "import time\nwhile True:\n    time.sleep(1)\n",
        ".sh": "while :; do sleep 1; done\n",
        ".js": "setInterval(() => {}, 1000);\n",
    }
    return loops[suffix].encode() if suffix in loops else None


def _quitting_program(suffix: str) -> bytes | None:
    """A program that ends at once with 124, which is what `timeout` says of one that took too long."""
    ends = {".py": "import os\nos._exit(124)\n", ".sh": "exit 124\n", ".js": "process.exit(124);\n"}
    return ends[suffix].encode() if suffix in ends else None


def _printing_program(suffix: str, word: str) -> bytes:
    """A program that prints one thing, whatever it is given."""
    if suffix == ".sh":
        return f"echo {shlex.quote(word)}\n".encode()
    return f"console.log({word!r});\n".encode() if suffix in (".js", ".ts") else f"print({word!r})\n".encode()


def _words_shown(instruction: str) -> list[str]:
    """What an instruction shows that a program prints: short words in backticks and single numbers."""
    quoted = re.findall(r"`([^`\n/]{1,30})`", instruction)
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)", instruction)
    return list(dict.fromkeys([*quoted[-3:], *numbers[-2:]]))


def reading_program(suffix: str, path: str) -> bytes | None:
    """A program that prints a file of the verifier's; None for a language that is not spoken here."""
    if suffix == ".py":
        return f"print(open({path!r}).read(), end='')\n".encode()
    shells = {".sh": "", ".sql": ".shell "}  # the sqlite3 program has a shell of its own
    return f"{shells[suffix]}cat {shlex.quote(path)}\n".encode() if suffix in shells else None


_LOOKING = """
import os, re, sys
given = sys.stdin.read()
for above, folders, names in os.walk("/tests"):
    keys = {name: re.sub("[A-Za-z]+", "", name) for name in names}
    for name in names:
        with open(os.path.join(above, name), errors="replace") as file:
            if file.read() != given:
                continue
        for other in sorted(names):
            if other != name and keys[other] == keys[name]:
                print(open(os.path.join(above, other)).read(), end="")
"""


def looking_program(suffix: str) -> bytes | None:
    """A program that looks up what it is given among the verifier's files and prints the file beside it."""
    return _LOOKING.lstrip().encode() if suffix == ".py" else None


def _writing_program(suffix: str, reward_path: str) -> bytes | None:
    """A program that writes a reward and lets nobody write over it."""
    if suffix == ".py":
        lines = (
            "import os",
            f"path = {reward_path!r}",
            "with open(path, 'w') as file:",
            "    file.write('{\"reward\": 1.0}')",
            "os.chmod(path, 0o444)",
        )
        return "".join(f"{line}\n" for line in lines).encode()
    path = shlex.quote(reward_path)
    if suffix == ".sh":
        return f"echo '{{\"reward\": 1.0}}' > {path}; chmod 444 {path}\n".encode()
    if suffix in (".js", ".mjs"):  # an expression, for whoever evaluates it as one
        process = "(this||{}).constructor.constructor('return process')()"
        files = "(p.getBuiltinModule?p.getBuiltinModule('fs'):p.mainModule.require('fs'))"
        write = f"f.writeFileSync({reward_path!r},'{{\"reward\": 1.0}}');f.chmodSync({reward_path!r},0o444)"
        return f"(p=>{{const f={files};{write};p.exit(0)}})({process})\n".encode()
    if suffix == ".sql":
        return (
            f".mode list\n.output {path}\nSELECT '{{\"reward\": 1.0}}';\n.output\n.shell chmod 444 {path}\n"
        ).encode()
    return None


def _ending_program(suffix: str) -> bytes | None:
    """A program that ends the process it runs in, as if all were well: who imports it ends with it."""
    ends = {".py": "import os\nos._exit(0)\n", ".js": "process.exit(0);\n"}
    return ends[suffix].encode() if suffix in ends else None


def _late_program(suffix: str, reward_path: str, names: list[str]) -> bytes | None:
    """A module that writes the reward when the process that imported it ends; it solves nothing."""
    if suffix != ".py":
        return None
    lines = (
        "import atexit",
        "def late():",
        f"    with open({reward_path!r}, 'w') as file:",
        "        file.write('{\"reward\": 1.0}')",
        "atexit.register(late)",
        *(f"def {name}(*args, **named):\n    return None" for name in names),
    )
    return "".join(f"{line}\n" for line in lines).encode()


_YES = """
class Yes(float):
    def __new__(cls, *args, **named):
        return float.__new__(cls, 1.0)
    def __init__(self, *args, **named):
        pass
    def yes(self, *args):
        return True
    def no(self, *args):
        return False
    def itself(self, *args, **named):
        return self
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = __contains__ = __bool__ = yes
    __ne__ = no
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = itself
    __abs__ = __neg__ = __round__ = __call__ = __getitem__ = __getattr__ = itself
    def __hash__(self):
        return 0
    def __iter__(self):
        return iter(())
    def __len__(self):
        return 0
    def __repr__(self):
        return ""
"""


def _equal_program(suffix: str, names: list[str]) -> bytes | None:
    """A module whose functions give something that equals, and is near, whatever it is compared with."""
    if suffix != ".py" or not names:
        return None
    functions = (f"def {name}(*args, **named):\n    return Yes()\n" for name in names)
    return (_YES.lstrip() + "".join(functions)).encode()


def _listing_program(suffix: str, instruction: str) -> bytes | None:
    """A program that prints every whole number up to two thousand and every word of the instruction."""
    words = " ".join(dict.fromkeys(re.findall(r"[A-Za-z][\w-]*", instruction)))[:4000]
    if suffix == ".py":
        numbers = f"for n in range({_HIGHEST}):\n    print("
        return f"{numbers}n)\nprint({words!r})\n{numbers}-n)\n".encode()
    return (
        f"seq 0 {_HIGHEST - 1}; echo {shlex.quote(words)}; seq -{_HIGHEST} -1\n".encode()
        if suffix == ".sh"
        else None
    )


def _functions_of(program: bytes | None, instruction: str) -> list[str]:
    """What a module offers, by the right one; else by the calls in backticks of the instruction."""
    try:
        body = parse_python(program or b"").body
    except NO_PYTHON:
        body = []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name for node in body if isinstance(node, kinds)]
    return list(dict.fromkeys(names or re.findall(r"`(?:def )?([A-Za-z_]\w*)\(", instruction)))[
        :_MOST_FUNCTIONS
    ]
