"""For tests of `adjudge.runs.read_ahead`: a reader that tells who read, and helpers that come in time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from adjudge.runs import read_ahead
from adjudge.runs.helper import Helper, start_helper


@dataclass(frozen=True)
class TellingReader:
    """Makes (number, who read it) of each number; at most `at_once` of them at a time."""

    at_once: int = 1000
    sleep_sec: float = 0.0
    dies_at: int | None = None
    """The helper that gets this number ends, as if something had killed it."""
    parent: int = 0

    def read(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        if self.dies_at in numbers and os.getpid() != self.parent:
            os._exit(9)
        time.sleep(self.sleep_sec)
        return [(number, os.getpid()) for number in numbers[: self.at_once]]


def wait_for_helpers(
    monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Helper], None] = lambda _: None
) -> list[Helper]:
    """From now on every helper has started before there is something to do, so that it does some of it."""
    helpers: list[Helper] = []

    def start_and_wait(reader: object, most_asked: int) -> Helper:
        helper = start_helper(reader, most_asked)
        helpers.append(helper)
        while not helper.is_ready():
            meanwhile(helper)
            time.sleep(0.001)
        return helper

    monkeypatch.setattr(read_ahead, "start_helper", start_and_wait)
    return helpers
