"""A user without a home keeps nothing between commands, and that is all."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge._files import cache_folder
from adjudge._kept import keep, key_of, recall


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(OSError, match="home directory"):
        cache_folder()
    keep("things", key_of(1), {"a": 1})
    assert recall("things", key_of(1)) is None


def test_what_is_kept_comes_back_under_its_own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    keep("things", key_of(1, "a"), {"a": 1})
    assert recall("things", key_of(1, "a")) == {"a": 1}
    assert recall("things", key_of(1, "b")) is None
    assert recall("others", key_of(1, "a")) is None
