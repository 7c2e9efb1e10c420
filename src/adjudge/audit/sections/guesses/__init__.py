"""What an answer earns that nobody worked out: numbers that the task gives, and choices among few values."""

from adjudge.audit.sections.guesses.choices import check_choices, every_choice
from adjudge.audit.sections.guesses.given import check_given
from adjudge.audit.sections.guesses.labels import one_label
from adjudge.audit.sections.guesses.puzzles import check_puzzle
from adjudge.audit.sections.guesses.shown_cases import check_shown_cases

__all__ = ["check_choices", "check_given", "check_puzzle", "check_shown_cases", "every_choice", "one_label"]
