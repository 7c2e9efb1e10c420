"""A warm trial may skip Python's own end, and only where nobody could see that."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, warm_start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.warm import server as warm_server
from adjudge.sandbox.warm.preload import looks_at_its_end
from adjudge.sandbox.warm.server import WarmServer, start_server
from support.sandbox_jobs import SMALL

ENDING = Path(warm_server.__file__).with_name("ending.py")
ADDRESS = re.compile(rb"0x[0-9a-f]+")
FILE = "open('/logs/verifier/written', 'w')"
PLAIN = [
    "pass",
    "print('words')",
    "sys.stdout.write('no line end'); sys.stderr.write('words')",
    "sys.stdout.buffer.write(b'bytes')",
    f"with {FILE} as file: file.write('x')",
    f"file = {FILE}; file.write('x'); file.close()",
    "atexit.register(print, 'first'); atexit.register(print, 'second')",
    "import weakref\nclass A: pass\na = A(); d = weakref.WeakValueDictionary(); d[1] = a",
    "class Loop: pass\na = Loop(); a.itself = a; del a",
    "import csv, decimal, fractions, xml.etree.ElementTree",
    "text = io.StringIO(); text.write('x')",
    "sys.stdout.reconfigure(line_buffering=True); print('x')",
]
"""Ends of which nothing can be seen but the code 0 and what the streams still hold."""
OTHER = [
    "import threading; threading.Thread(target=lambda: (time.sleep(0.1), print('waited for'))).start()",
    "sys.exit()",
    "sys.exit(0)",
    "sys.exit(3)",
    "sys.exit(120)",
    "sys.exit('words')",
    "raise SystemExit([1, 2])",
    "exit(4)",
    "1 / 0",
    "raise KeyError('x')",
    "import threading\ndef late(): raise SystemExit(5)\natexit.register(late)\nsys.exit(6)",
    f"file = {FILE}; file.write('not closed')",
    f"file = {FILE}; file.write('in a loop'); loop = [file]; loop.append(loop); del file, loop",
    f"sys.kept = {FILE}; sys.kept.write('kept elsewhere')",
    "file = os.fdopen(os.open('/logs/verifier/raw', 65), 'wb', 100); file.write(b'buffered')",
    "class A:\n    def __del__(self): print('gone')\na = A()",
    "class A:\n    __slots__ = ()\n    def __del__(self): print('gone')\na = A()",
    "class A:\n    def __del__(self): print('gone')\nclass B(A): pass\nb = B(); b.itself = b; del b",
    "class A:\n    def __del__(self): 1 / 0\na = A()",
    "class A:\n    def __del__(self): 1 / 0\na = A(); sys.unraisablehook = lambda told: print(told.exc_type)",
    "json.kept = type('A', (), {'__del__': lambda self: print('gone')})()",
    "def f():\n    try: yield 1\n    finally: print('closed')\ng = f(); next(g)",
    "from contextlib import *\n@contextmanager\ndef f(): yield 1; print('no')\nc = f(); c.__enter__()",
    "import weakref\nclass A: pass\na = A(); r = weakref.ref(a, lambda _: print('called'))",
    "import weakref\nclass A: pass\na = A(); weakref.finalize(a, print, 'finalized')",
    "import weakref\nclass A: pass\na = A(); weakref.finalize(a, print, 'no').atexit = False",
    "import threading; threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); print('x')",
    "sys.stdout = io.TextIOWrapper(io.FileIO(1, 'w', closefd=False)); print('elsewhere')",
    "kept = sys.stdout; sys.stdout = sys.stderr; print('to stderr'); kept.write('to stdout')",
    "class Stream:\n    def flush(self): os.write(1, b'flushed')\nsys.stdout = Stream()",
    "os.close(1); print('x')",
    "print('x'); os.close(1); os.close(2)",
    "sys.stdout.close()",
    "sys.stdout.detach()",
    "reading, writing = os.pipe(); os.close(reading); os.dup2(writing, 1); print('nobody reads')",
    "os._exit(7)",
    "import warnings; warnings.simplefilter('always'); s = os.scandir('/'); next(s)",
    "import tempfile; t = tempfile.NamedTemporaryFile(dir='/logs/verifier'); t.write(b'x')",
    "import tempfile; t = tempfile.TemporaryDirectory(dir='/logs/verifier')",
    "import subprocess; p = subprocess.Popen(['sleep', '60'])",
    "import ctypes; ctypes.pythonapi.Py_Exit(9)",
    "if os.fork() == 0:\n    print('child'); sys.exit(1)\nos.wait(); print('parent')",
    "os.environ['X'] = '1'\nif os.fork() == 0: print('child')\nelse: os.wait(); print('parent')",
    "atexit.register(lambda: 1 / 0); print('x')",
    "def late(): global a; a = A()\nclass A:\n    def __del__(self): print('gone')\natexit.register(late)",
    "import sqlite3; c = sqlite3.connect('/logs/verifier/db'); c.execute('create table t (a)')",
    "__main__ = sys.modules.pop('__main__'); print('x')",
    "import asyncio; asyncio.run(asyncio.sleep(0)); print('x')",
    "import signal; signal.signal(signal.SIGALRM, print); signal.alarm(60)",
]
"""Ends that have something of their own."""
BEFORE = """
import atexit, io, json, os, runpy, sys, time
class Old:
    def __del__(self, write=os.write): write(2, b"Python's own end")
old = Old()
begin = runpy.run_path(sys.argv[1])["arrange"]()
import gc
gc.collect()
gc.freeze()
del sys.modules["gc"], gc
begin()
"""


def ended(code: str) -> subprocess.CompletedProcess[bytes]:
    """Run by this Python itself; an object from before says whether that took itself apart in the end."""
    command = [sys.executable, "-I", "-S", "/dev/stdin", str(ENDING)]
    return subprocess.run(command, input=(BEFORE + code).encode(), capture_output=True, check=False)


@pytest.mark.parametrize("code", PLAIN)
def test_an_end_of_which_nothing_can_be_seen_is_skipped(code: str) -> None:
    run = ended(code.replace("/logs/verifier/written", "/dev/null"))
    assert (run.returncode, b"own end" in run.stderr) == (0, False), run.stderr


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(0)",
        "1 / 0",
        "file = open('/dev/null', 'w')",
        "class A:\n    def __del__(self): pass",
        "g = (n for n in [1, 2]); next(g)",
        "import weakref\nclass A: pass\na = A(); r = weakref.ref(a, print)",
        "import threading; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "sys.stdout = io.StringIO()",
        "print('x'); os.close(1)",
        "import ctypes",
        "import gc",
        "import warnings; warnings.simplefilter('always')",
    ],
)
def test_python_ends_by_itself_if_there_is_a_doubt(code: str) -> None:
    assert b"own end" in ended(code).stderr


def test_exit_functions_that_are_called_early_end_nothing() -> None:
    run = ended("atexit._run_exitfuncs(); print('goes on')")
    assert (run.returncode, run.stdout) == (0, b"goes on\n")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> SandboxJob:
    folder = tmp_path_factory.mktemp("ending")
    for path in (folder, *folder.parents[:3]):
        path.chmod(0o755)
    (folder / "test.sh").write_text("exec python3 -B /tests/v.py\n")
    (folder / "v.py").write_text(
        "import atexit, io, json, os, sys, time\n"
        "exec(compile(open('/workspace/what').read(), 'what', 'exec'))\n"
    )
    return SandboxJob(("bash", "/tests/test.sh"), folder, {}, "/workspace", SMALL)


@pytest.fixture(scope="module")
def server(job: SandboxJob, sandbox: Sandbox) -> Iterator[WarmServer]:
    assert isinstance(sandbox, BubblewrapSandbox)
    start = warm_start(sandbox, job)
    assert not isinstance(start, str), start
    server = start_server(sandbox, job, start)
    yield server
    server.close()


@pytest.mark.parametrize("code", [*PLAIN, *OTHER])
def test_a_warm_trial_ends_as_a_cold_one(
    server: WarmServer, job: SandboxJob, sandbox: Sandbox, code: str
) -> None:
    asked = replace(job, files={"/workspace/what": OutputFile(code.encode())})
    cold, (warm, told) = sandbox.run(asked), server.attempt(asked)
    assert told is not None
    assert (warm.exit_code, warm.stdout) == (cold.exit_code, cold.stdout)
    assert ADDRESS.sub(b"", warm.stderr) == ADDRESS.sub(b"", cold.stderr)
    assert warm.artifacts == cold.artifacts


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("import sys", False),
        ("import sys; sys.addaudithook(print)", True),
        ("sys.settrace(print)", True),
        ("del __file__, __cached__; sys.exit(3)", True),
        ("#" + "x" * (1 << 20), True),
    ],
)
def test_what_could_see_it_is_found_in_the_tests(tmp_path: Path, text: str, looks: bool) -> None:
    (tmp_path / "v.py").write_text(text)
    assert looks_at_its_end(tmp_path) is looks
