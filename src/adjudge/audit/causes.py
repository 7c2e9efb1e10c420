"""Why a reward cannot be believed: the causes that findings name, and the classes of known hacks.

A cause is what an author mends, and one cause is one finding, however many probes show it. The classes are
those in which benchmarks were really gamed; a certificate has a row for each of them.
"""

from __future__ import annotations

from enum import StrEnum


class HackClass(StrEnum):
    """In which ways benchmarks were gamed in the field."""

    ISOLATION = "agent and verifier are not isolated"
    SHIPPED = "answers are shipped with the test"
    EXECUTED = "code in the answer is executed"
    MODEL = "a model reads the answer as it came"
    MATCHING = "weak matching of text"
    LOGIC = "gaps in the evaluation logic"
    SPOOFED = "a verdict in the output is believed"
    PERMISSIONS = "the agent may write what the verifier reads"


class Cause(StrEnum):
    """What is wrong with a verifier, in a few words that stay the same from version to version."""

    CODE = "executes code from the answer"
    IMPORTS = "imports modules from the workspace"
    SIDE_FILE = "trusts other files of the workspace"
    OLD_REWARD = "keeps a reward that was there before"
    LINGERS = "goes on after it has ended"
    LINK = "follows a link to its own reference"
    CLAIMED = "believes a verdict in the answer"
    HOLLOW = "accepts a program that does nothing"
    READS_REFERENCE = "lets the agent's program read its reference"
    WRITES_REWARD = "lets the agent's program write the reward"
    WRITES_DATA = "lets the answer change what it is compared with"
    QUOTED = "accepts the instruction as an answer"
    EXAMPLE = "accepts the example of the instruction"
    NOTHING = "rewards an answer that says nothing"
    EMPTY = "rewards missing or empty values"
    WORD_INSIDE = "finds the right word inside other text"
    HEDGED = "accepts several answers at once"
    PATTERN = "takes the answer for a pattern"
    ANYWHERE = "finds right values anywhere in the output"
    NOT_A_NUMBER = "accepts NaN or infinity"
    TRUTHY = "accepts any value that counts as true"
    ZEROS = "accepts zeros for small numbers"
    TOLERANCE = "tolerance is too wide"
    NARROW = "tolerance is narrower than rounding"
    ANY_VALUE = "accepts any value"
    KEYS_ONLY = "rewards keys, not values"
    GUESSED = "pays for a guess among few values"
    SIGN = "ignores the sign"
    SCALE = "ignores the scale or unit"
    BOUND = "accepts any value on one side"
    BOUNDARY = "draws a bound otherwise than the task says"
    SWAPPED = "does not tell fields apart"
    CANCELS = "lets errors cancel out"
    AGREES = "checks only that values agree with each other"
    CLAMPED = "forgives wrong values"
    PARTIAL = "averages over what is there"
    UNSCORED = "asks for what it does not score"
    DROPPED = "forgives a missing field"
    FEW_ITEMS = "rewards a fraction of a list"
    PADDING = "junk in a list costs nothing"
    REPEATS = "counts one item many times"
    ORDER = "depends on the order of records or keys"
    UNORDERED = "ignores an order that is asked for"
    CRASHES = "fails on malformed answers"
    HANGS = "hangs on some answers"
    FENCE = "depends on how a fence is spelled"
    LINES = "depends on line ends or blank lines"
    LAYOUT = "depends on how the same values are laid out"
    PROSE = "depends on the text around the answer"
    NUMBER_FORMAT = "loses right answers to the spelling of numbers"
    ELSEWHERE = "opens a file where the task does not put it"
    UNSAID = "asks for a name that the task never says"
    SPELLING = "refuses a spelling that the task gives"
    BANNED = "refuses right programs for ordinary words"
    GOLDEN = "disagrees with its goldens"
    PEOPLE = "disagrees with reviewers"
    JUDGES = "disagrees with judges"
    CONTRADICTS = "contradicts its own breakdown"
    SOLUTION = "disagrees with its reference solution"
    GOLDEN_SETTINGS = "has odd settings for goldens"
    NEVER_SCORES = "never writes a reward"
    TWO_REWARDS = "writes two rewards that differ"
    OTHER_VALUES = "writes to reward.json what other runners cannot read"
    LACKING = "needs what the sandbox lacks"
    RANDOM = "changes from run to run"
    ENVIRONMENT = "depends on its surroundings"
    CLOCK = "depends on the date or the time"
    HIDES_FAILURE = "hides its own failures behind a zero"
    PASSES_BROKEN = "passes wrong answers when the machinery fails"
    CATEGORY = "writes categories that the task does not name"
    FOOLED = "was fooled by a model"
    NOT_TRIED = "could not be tried"

    @property
    def hack(self) -> HackClass | None:
        """The class of hacks that it opens the door to; None for what costs agents more than it gives."""
        return _HACKS.get(self)


_HACKS = {
    Cause.CODE: HackClass.EXECUTED,
    Cause.IMPORTS: HackClass.ISOLATION,
    Cause.LINGERS: HackClass.ISOLATION,
    Cause.SIDE_FILE: HackClass.PERMISSIONS,
    Cause.OLD_REWARD: HackClass.PERMISSIONS,
    Cause.LINK: HackClass.SHIPPED,
    Cause.READS_REFERENCE: HackClass.SHIPPED,
    Cause.WRITES_REWARD: HackClass.PERMISSIONS,
    Cause.WRITES_DATA: HackClass.PERMISSIONS,
    Cause.CLAIMED: HackClass.SPOOFED,
    Cause.HOLLOW: HackClass.SPOOFED,
    **dict.fromkeys(
        (Cause.QUOTED, Cause.WORD_INSIDE, Cause.HEDGED, Cause.PATTERN, Cause.ANYWHERE, Cause.PADDING),
        HackClass.MATCHING,
    ),
    **dict.fromkeys(
        (
            *(Cause.EXAMPLE, Cause.NOTHING, Cause.EMPTY, Cause.NOT_A_NUMBER, Cause.TRUTHY, Cause.ZEROS),
            *(Cause.TOLERANCE, Cause.ANY_VALUE, Cause.KEYS_ONLY, Cause.SIGN, Cause.SCALE, Cause.SWAPPED),
            *(Cause.CANCELS, Cause.CLAMPED, Cause.PARTIAL, Cause.DROPPED, Cause.FEW_ITEMS, Cause.REPEATS),
            *(Cause.PASSES_BROKEN, Cause.UNORDERED, Cause.FOOLED, Cause.GUESSED, Cause.AGREES),
        ),
        HackClass.LOGIC,
    ),
}
