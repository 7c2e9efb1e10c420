"""Every input that the fuzzer kept is read as promised, and every parser has some to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.parsers import PARSERS

CORPUS = Path(__file__).parent / "corpus"
INPUTS = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_every_input_kept_is_read_as_promised(name: str) -> None:
    inputs = [path for path in INPUTS if path.parent.name == name]
    assert inputs, f"no corpus for {name}: add an example to {CORPUS.name}/{name}/"
    for path in inputs:
        try:
            PARSERS[name](path.read_bytes())
        except Exception as error:
            error.add_note(f"on {path.relative_to(CORPUS)}")
            raise


def test_every_folder_of_the_corpus_has_a_parser() -> None:
    assert {path.parent.name for path in INPUTS} - PARSERS.keys() == set()


def test_the_corpus_stays_small() -> None:
    assert sum(path.stat().st_size for path in INPUTS) < 2 << 20
    assert max(path.stat().st_size for path in INPUTS) <= 4096
