"""What a table can be written as, and what a row of it stands for; light, for the command line's sake."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Level = Literal["trial", "field"]


class TableFormat(StrEnum):
    """What a table is written as."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"
