"""Small whole numbers as a text writes them, in digits or in words."""

from __future__ import annotations

NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def whole_number(word: str) -> int:
    """3 of `3` and of `three`, 0 of `no`. ValueError for any other word."""
    word = word.lower()
    return int(word) if word.isdigit() else 0 if word == "no" else NUMERALS.index(word)
