"""The memory of a server does not grow with the threads that answer its requests."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys

import pytest

THREADS = 12
CHOOSES = ("MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD")
"""Variables by which somebody may have chosen how memory is handed out."""
PROGRAM = f"""
import ctypes, sys, threading
from adjudge.web.memory import share_one_heap
if sys.argv[1] == "one":
    share_one_heap()
all_there = threading.Barrier({THREADS} + 1)
def work():
    held = [bytearray(3000) for _ in range(100)]
    all_there.wait()
    all_there.wait()
threads = [threading.Thread(target=work) for _ in range({THREADS})]
for thread in threads: thread.start()
all_there.wait()
c = ctypes.CDLL(None)
c.malloc_info(0, ctypes.c_void_p.in_dll(c, "stdout"))
c.fflush(None)
all_there.wait()
"""


def heaps(how: str) -> int:
    usual = {name: v for name, v in os.environ.items() if not name.startswith(CHOOSES)}
    command = [sys.executable, "-c", PROGRAM, how]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=usual)
    return len(re.findall("<heap nr=", done.stdout))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps of threads are glibc's")
def test_all_threads_share_one_heap() -> None:
    assert heaps("many") > 1
    assert heaps("one") == 1
