"""The exhibits of `gallery/told_apart.py`: each flaw is found, and its sound neighbour is left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.sandbox import Sandbox
from audit.gallery.exhibit import Exhibit
from audit.gallery.judged import assert_found, assert_in_peace
from audit.gallery.told_apart import TOLD_APART_FLAWED, TOLD_APART_SOUND


@pytest.mark.parametrize("exhibit", TOLD_APART_FLAWED, ids=str)
def test_the_flaw_is_found(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_found(exhibit, sandbox, tmp_path)


@pytest.mark.parametrize("exhibit", TOLD_APART_SOUND, ids=str)
def test_its_neighbour_is_left_in_peace(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_in_peace(exhibit, sandbox, tmp_path)
