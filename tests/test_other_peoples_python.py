"""Other people's Python is parsed in silence, and whatever it is made of, nothing but NO_PYTHON is raised."""

from __future__ import annotations

import subprocess
import sys

import pytest

from adjudge._python import NO_PYTHON, parse_python
from adjudge.tasks.sources import python_problem

ENDLESS = {
    "minus": "-" * 60_000 + "1",
    "brackets": "(" * 300 + ")" * 300,
    "chain": "x" + ".a" * 60_000,
    "lambdas": "lambda: " * 3_000 + "1",
    "zero": "\x00",
    "broken": "def f(:",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_nested_without_end_is_no_python(name: str) -> None:
    with pytest.raises(NO_PYTHON):
        parse_python(ENDLESS[name])
    assert python_problem(ENDLESS[name].encode()) is not None


def test_the_compilers_remarks_are_not_printed() -> None:
    """Of a verifier's `1or 2` or `"\\d"` no user of adjudge wants to hear."""
    code = "from adjudge._python import parse_python\nparse_python('x = 1or 2\\ny = \"\\\\d\"\\nz = 1 is 1')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
