"""A small verifier of the authoring kit, and what it left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adjudge_kit import Verifier

VOLTAGE = {"voltage_drop_v": 3.05, "voltage_drop_pct": 1.32, "compliance": "Compliant"}


def read(logs: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in sorted(logs.iterdir())}


def verify(v: Verifier) -> None:
    v.number("voltage_drop_v", 3.04, rel=0.02, unit="V")
    v.number("voltage_drop_pct", 0.0132, rel=0.02, weight=2)
    v.choice("compliance", "compliant", among=["compliant", "non-compliant"])
