"""Shared by every test. With ADJUDGE_ALLOW_SKIPS=0 (as in CI) a skipped test is a failed one."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("ADJUDGE_ALLOW_SKIPS") == "0":
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and this run allows no skips: {report.longrepr}"
    return report
