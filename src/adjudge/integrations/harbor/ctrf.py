"""A test report in CTRF (`ctrf.json`) as a breakdown: one field per test, passed is 1, failed is 0.

Tests that were skipped, or whose status is none of these, have no score: they say nothing about the output.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

MAX_TESTS = 2000
_SCORES = {"passed": 1.0, "failed": 0.0}


def ctrf_breakdown(data: bytes | None) -> dict[str, Any] | None:
    """The breakdown; None if this is no CTRF report, or one without tests."""
    try:
        report = from_json(data or b"null", allow_inf_nan=False)
        tests = report["results"]["tests"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(tests, list):
        return None
    breakdown: dict[str, Any] = {}
    for test in tests[:MAX_TESTS]:
        if not isinstance(test, dict) or not isinstance(test.get("name"), str):
            continue
        status = test.get("status")
        message = test.get("message")
        evidence = f"{status}: {message}"[:500] if isinstance(message, str) else str(status)[:50]
        score = _SCORES.get(status) if isinstance(status, str) else None
        breakdown[_unused(test["name"], breakdown)] = {"score": score, "max_score": 1.0, "evidence": evidence}
    return breakdown or None


def _unused(name: str, taken: dict[str, Any]) -> str:
    """Two tests of one name stay two rows."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name} ({number})"
    return candidate
