"""The items of an array in a shell script are no commands; what is run to find them is."""

from __future__ import annotations

import pytest

from adjudge.evidence import read_script


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        (
            'NAMES=(\n  "test_a"\n  test_b  # 2nd\n)\nfor n in "${NAMES[@]}"; do echo $n; done',
            ["echo"],
        ),
        ("files=(a.csv 'b c.csv') && head -1 a.csv", ["head"]),
        ("found+=($(find /app -name '*.py'))\nsort x", ["find", "sort"]),
        ("declare -a KINDS=(one two)\ncat x", ["declare", "cat"]),
        ("A=(one\ntwo", []),
        ("(cd /app; make)", ["cd", "make"]),
        ("run() { make; }\nrun", ["make", "run"]),
    ],
)
def test_commands_of_a_script_with_arrays(script: str, commands: list[str]) -> None:
    assert [command.name for command in read_script(script)] == commands
