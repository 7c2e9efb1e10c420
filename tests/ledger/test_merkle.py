"""The Merkle tree of RFC 6962: roots by its definition, and proofs that hold for their two trees only."""

from __future__ import annotations

import hashlib

import pytest

from adjudge.ledger.upkeep.merkle import EMPTY_ROOT, Leaves, is_consistent

ROWS = [hashlib.sha256(str(n).encode()).digest() for n in range(40)]


def tree(rows: list[bytes]) -> Leaves:
    leaves = Leaves()
    for row in rows:
        leaves.append(row)
    return leaves


def by_definition(rows: list[bytes]) -> bytes:
    """MTH, word for word."""
    if not rows:
        return hashlib.sha256(b"").digest()
    if len(rows) == 1:
        return hashlib.sha256(b"\0" + rows[0]).digest()
    split = 1
    while split * 2 < len(rows):
        split *= 2
    return hashlib.sha256(b"\1" + by_definition(rows[:split]) + by_definition(rows[split:])).digest()


@pytest.mark.parametrize("size", range(len(ROWS) + 1))
def test_a_root_is_the_one_that_the_definition_gives(size: int) -> None:
    assert tree(ROWS).root(size) == by_definition(ROWS[:size])
    assert tree(ROWS[:size]).root() == by_definition(ROWS[:size])


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert tree([]).root() == EMPTY_ROOT


@pytest.mark.parametrize("after", range(len(ROWS) + 1))
def test_a_proof_holds_for_its_two_trees_and_for_no_other(after: int) -> None:
    leaves = tree(ROWS)
    root_after = leaves.root(after)
    for before in range(after + 1):
        root_before, proof = leaves.root(before), leaves.consistency(before, after)
        assert is_consistent(before, root_before, after, root_after, proof)
        if before in (0, after):
            continue
        forged = tree([b"x" * 32, *ROWS[1:]])
        assert not is_consistent(before, forged.root(before), after, root_after, proof)
        assert not is_consistent(before, root_before, after, forged.root(after), proof)
        assert not is_consistent(before, root_before, after, root_after, proof[:-1])
        assert not is_consistent(before, root_before, after, root_after, [*proof, b"y" * 32])
        assert not is_consistent(after, root_after, before, root_before, proof)
