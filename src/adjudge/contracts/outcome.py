"""What became of a trial, in one word: the one place that tells a wrong answer from a broken machine.

Scoring marks what it saw with mechanical tags whose categories are the constants here; a verifier's own
categories belong to the task and mean nothing to adjudge. `outcome_of` reads a result, and every report,
count and exit code goes by it:

    nothing usable      the output is missing, unusable or does not parse; the agent's doing, reward 0.0
    machinery failed    no usable reward came back for an output that was there, or the verifier cannot pass
                        its own right answer here; says nothing of the agent
    suspected           a reward came back, but the verifier looks broken; counted apart, the reward stays
    wrong               the verifier finished and gave 0.0, or the agent kept it from finishing: by its own
                        program, or by an answer that is not there
    scored              the verifier finished and gave more than 0.0
"""

from __future__ import annotations

from collections.abc import Collection

from adjudge.contracts.choices import Choice
from adjudge.contracts.evaluation import ErrorSource, ErrorTag, EvaluationResult

VERIFIER_FAILURE = "verifier failure"
"""No usable reward, although there was an output to verify."""
VERIFIER_SUSPECTED = "verifier failure suspected"
"""A reward, but there are signs that the verifier could not do its work."""
VERIFIER_UNFIT = "verifier unfit here"
"""A reward, but there are such signs and the verifier does not pass its own right answer here."""
OUTPUT_STOPPED_VERIFIER = "output stopped the verifier"
"""The agent's program, which the verifier runs, did not end, used up the limits or killed the verifier; or
there was no answer, and the verifier wrote no reward."""
REWARD_DISAGREES = "reward disagrees with details"
"""No common way of combining the fields of `details.json` gives the reward of `reward.json`."""
LIMIT_HIT = "limit hit"
"""The verifier ran into a limit and still wrote a reward."""
OUTPUT_MISSING = "output missing"
"""There was no output; the verifier was not run."""
OUTPUT_UNUSABLE = "output unusable"
"""The output is a link, a pipe, too large, …; the verifier was not run."""
FILE_LEFT_OUT = "workspace file left out"
"""A file or link of the agent's would have reached the verifier's own folders; it was not shown."""
MODULE_SHADOWS = "workspace module shadows another"
"""A module of the agent's bears the name of one of the verifier's; Python took the other one."""

MECHANICAL_CATEGORIES = frozenset(
    {
        *(VERIFIER_FAILURE, VERIFIER_SUSPECTED, VERIFIER_UNFIT, REWARD_DISAGREES, LIMIT_HIT),
        *(OUTPUT_MISSING, OUTPUT_UNUSABLE, OUTPUT_STOPPED_VERIFIER, FILE_LEFT_OUT, MODULE_SHADOWS),
    }
)
_MACHINERY = frozenset({VERIFIER_FAILURE, VERIFIER_SUSPECTED, VERIFIER_UNFIT})
_NO_TAGS = frozenset[str]()


class Outcome(Choice):
    """What became of a trial."""

    SCORED = "scored"
    WRONG = "wrong"
    NOTHING_USABLE = "nothing usable"
    SUSPECTED = "suspected"
    MACHINERY_FAILED = "machinery failed"


def mechanical(category: str, description: str) -> ErrorTag:
    """A tag that adjudge itself sets."""
    return ErrorTag(category=category, description=description, source=ErrorSource.MECHANICAL)


def is_machinery_failure(tag: ErrorTag) -> bool:
    """Does this tag say that the machine failed, or seems to have failed, rather than the agent?"""
    return tag.source is ErrorSource.MECHANICAL and tag.category in _MACHINERY


def outcome_of(result: EvaluationResult) -> Outcome:
    """Classify a result. An output that does not parse comes first: it earns 0.0 whatever else happened."""
    validity = result.validity
    return outcome_from(
        result.reward,
        result.error_taxonomy or (),
        parseable=validity.output_parseable,
        completed=validity.verifier_completed,
    )


def outcome_from(reward: float, tags: Collection[ErrorTag], *, parseable: bool, completed: bool) -> Outcome:
    """The same for who has the parts of a result."""
    if not parseable:
        return Outcome.NOTHING_USABLE
    own = {tag.category for tag in tags if tag.source is ErrorSource.MECHANICAL} if tags else _NO_TAGS
    if OUTPUT_STOPPED_VERIFIER in own:
        return Outcome.WRONG
    if not completed or VERIFIER_UNFIT in own:
        return Outcome.MACHINERY_FAILED
    if not own.isdisjoint(_MACHINERY):
        return Outcome.SUSPECTED
    return Outcome.SCORED if reward > 0 else Outcome.WRONG
