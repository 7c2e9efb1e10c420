"""Every row of the ingestion table in the architecture, by name."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.contracts import ErrorSource, EvaluationResult, Limit
from adjudge.errors import ArtifactError
from adjudge.sandbox import Artifact, ArtifactKind
from adjudge.scoring import VERIFIER_FAILURE, Outcome, outcome_of
from support.artifacts_by_hand import ingested


def categories(result: EvaluationResult) -> list[str]:
    return [tag.category for tag in result.error_taxonomy or ()]


@pytest.mark.parametrize(
    ("written", "reward"), [("0.93", 0.93), ("0", 0.0), ("1", 1.0), ("1.0", 1.0), ("-0.0", 0.0)]
)
def test_a_finite_number_in_range_is_the_reward(written: str, reward: float) -> None:
    """`{"reward": x}`, x a finite number in [0, 1]: x, completed, nothing to say."""
    result = ingested(reward=f'{{"reward": {written}}}')
    assert result.reward == reward
    assert str(result.reward) == str(abs(reward))
    assert result.validity.verifier_completed
    assert result.validity.errors == []
    assert result.error_taxonomy is None
    assert result.breakdown is None


def test_no_reward_file() -> None:
    """No reward file: 0.0, not completed, and the path that was expected."""
    result = ingested()
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert "reward.json" in result.validity.errors[0]
    assert categories(result) == [VERIFIER_FAILURE]
    assert outcome_of(result) is Outcome.MACHINERY_FAILED


@pytest.mark.parametrize("name", ["rewards.json", "Reward.json", "reward.json\r"])
def test_a_misnamed_reward_file_is_pointed_out(name: str) -> None:
    """Scaffolds say `rewards.json`, scripts with Windows line ends `reward.json\\r`: the message shows it."""
    result = ingested(files={name: {"reward": 1.0}})
    assert result.reward == 0.0
    assert f"found {name!r}" in result.validity.errors[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("nonsense", "not JSON"),
        ('{"reward": 0.5', "truncated: the JSON ends early"),
        ('{"reward": 0.5} {}', "not JSON: more text after the first value"),
        (b'{"reward": 0.5, "x": "\xff"}', "not UTF-8"),
        ('{"reward": 0.5}'.encode("utf-16"), "not UTF-8"),
        ("0.5", "a number, not an object"),
        ("[0.5]", "a list, not an object"),
        ("null", "null, not an object"),
        ('"0.5"', "a string, not an object"),
        ("{}", "keys found: none"),
        ('{"score": 1, "gates": 0}', "keys found: 'score', 'gates'"),
        ('{"Reward": 1}', "keys found: 'Reward'"),
        (
            '{"reward": 0, "reward": 1}',
            "'reward' stands twice in one object",
        ),
        ('{"reward": 1, "x": {"a": 1, "a": 2}}', "'a' stands twice"),
        ('{"reward": true}', "a bool, not a number; found True"),
        ('{"reward": "0.5"}', "a string, not a number; found '0.5'"),
        ('{"reward": null}', "null, not a number"),
        ('{"reward": [1]}', "a list, not a number"),
        ('{"reward": {"value": 1}}', "an object, not a number"),
        ('{"reward": NaN}', "'NaN'"),
        ('{"reward": Infinity}', "'Infinity'"),
        ('{"reward": -Infinity}', "'-Infinity'"),
        ('{"reward": 1e309}', "larger than any float"),
        ('{"reward": 1.0000000001}', "out of range; found 1.0000000001"),
        ('{"reward": 17.5}', "out of range; found 17.5"),
        ('{"reward": -0.1}', "out of range; found -0.1"),
        ('{"reward": ' + "9" * 401 + "}", "out of range"),
        ('{"reward": ' + "9" * 5000 + "}", "4300 digits"),
        ('{"reward": 1, "x": "\\ud800"}', "surrogate"),
    ],
)
def test_a_reward_file_that_does_not_say_a_reward(content: str | bytes, says: str) -> None:
    """Not JSON, no object, no `reward`, duplicate keys, bool, string, null, NaN, out of range: not completed.

    The message names the file, what was found and what is allowed.
    """
    result = ingested(reward=content)
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    [message] = result.validity.errors
    assert message.startswith("reward.json: ")
    assert says in message
    assert "allowed: " in message
    assert categories(result) == [VERIFIER_FAILURE]
    with pytest.raises(ArtifactError):
        ingested(reward=content, strict=True)


@pytest.mark.parametrize(
    "kind",
    [
        k
        for k in ArtifactKind
        if k not in (ArtifactKind.FILE, ArtifactKind.OVERSIZED, ArtifactKind.UNREADABLE)
    ],
)
def test_something_that_is_no_file(kind: ArtifactKind) -> None:
    """A link, a directory, a pipe, a socket, a device: 0.0, not completed, and what it was."""
    result = ingested(reward=Artifact(kind, 0))
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert f"found '{kind}'" in result.validity.errors[0]


def test_a_file_that_may_not_be_read() -> None:
    """It may well be a plain file; nobody could look: 0.0, not completed."""
    result = ingested(reward=Artifact(ArtifactKind.UNREADABLE, 0))
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert result.validity.errors == ["reward.json: cannot be opened; allowed: a file that may be read"]


@pytest.mark.parametrize(
    "artifact",
    [
        Artifact(ArtifactKind.OVERSIZED, 1 << 40),
        Artifact(ArtifactKind.FILE, (1 << 20) + 1, b'{"reward": 1}' + b" " * ((1 << 20) - 12)),
    ],
)
def test_a_file_past_the_size_limit(artifact: Artifact) -> None:
    """Past the size limit: 0.0, not completed, both sizes."""
    result = ingested(reward=artifact)
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert f"found '{artifact.size} bytes'; allowed: at most 1048576 bytes" in result.validity.errors[0]


@pytest.mark.parametrize("depth", [65, 1000, 100_000])
@pytest.mark.parametrize("opener", ["[", '{"a":'])
def test_nesting_past_the_depth_limit(depth: int, opener: str) -> None:
    """Nested deeper than 64 levels, however deep: 0.0, not completed, no crash."""
    closer = "]" if opener == "[" else "}"
    result = ingested(reward='{"reward": 1, "x": ' + opener * depth + "1" + closer * depth + "}")
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert "nested deeper than 64 levels" in result.validity.errors[0]


def test_nesting_within_the_depth_limit() -> None:
    """63 lists below the object's own level are 64 levels: still read."""
    assert ingested(reward='{"reward": 1, "x": ' + "[" * 63 + "]" * 63 + "}").reward == 1.0


def test_a_reward_for_an_output_that_does_not_parse() -> None:
    """A valid reward > 0, but the output does not parse: 0.0, completed, and what the verifier claimed."""
    result = ingested(
        reward={"reward": 0.75}, output_parseable=False, schema_valid=False, gate_errors=["no JSON"]
    )
    assert (result.reward, result.validity.verifier_completed) == (0.0, True)
    assert result.validity.errors[0] == "no JSON"
    assert "found 0.75" in result.validity.errors[1]
    assert outcome_of(result) is Outcome.NOTHING_USABLE


def test_a_zero_for_an_output_that_does_not_parse_is_no_contradiction() -> None:
    result = ingested(reward={"reward": 0}, output_parseable=False)
    assert (result.reward, result.validity.errors, result.error_taxonomy) == (0.0, [], None)


def test_a_shape_that_does_not_fit_forces_nothing() -> None:
    """`schema_valid` is diagnostic."""
    assert ingested(reward={"reward": 0.5}, schema_valid=False).reward == 0.5


@pytest.mark.parametrize(
    "details",
    [
        "",
        "not json",
        "[1]",
        '"x"',
        "null",
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        b"\xff",
        '{"a": 1e309}',
        '{"a": "\\ud800"}',
    ]
    + [Artifact(kind, 0) for kind in ArtifactKind if kind is not ArtifactKind.FILE],
)
def test_bad_details_beside_a_good_reward(details: Any) -> None:
    """Bad `details.json` beside a good reward: kept, completed, and why `breakdown` is null."""
    result = ingested(reward={"reward": 0.5}, details=details)
    assert (result.reward, result.validity.verifier_completed, result.breakdown) == (0.5, True, None)
    [message] = result.validity.errors
    assert message.startswith("breakdown is null: details.json: ")
    with pytest.raises(ArtifactError, match="breakdown is null"):
        ingested(reward={"reward": 0.5}, details=details, strict=True)


@pytest.mark.parametrize(
    ("limit", "words"), [(Limit.WALL_TIME, "ran out of time"), (Limit.MEMORY, "ran out of memory")]
)
def test_the_verifier_ran_out_of_time_or_memory(limit: Limit, words: str) -> None:
    """0.0, not completed, the limit; what was written is evidence, also a reward that no longer counts."""
    details = {"a": {"score": 1.0, "max_score": 1.0}}
    result = ingested(reward={"reward": 0.9}, details=details, limits_hit=(limit,), exit_code=None)
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    [message] = result.validity.errors
    assert words in message
    assert str(limit) in message
    assert "0.9" in message
    assert result.breakdown == details
    assert categories(result) == [VERIFIER_FAILURE]
    assert outcome_of(result) is Outcome.MACHINERY_FAILED


@pytest.mark.parametrize("limit", [Limit.PROCESSES, Limit.FILE_SIZE, Limit.DISK, Limit.ARTIFACT_SIZE])
def test_another_limit_with_a_reward_is_only_tagged(limit: Limit) -> None:
    result = ingested(reward={"reward": 0.9}, limits_hit=(limit,), exit_code=0)
    assert (result.reward, result.validity.verifier_completed) == (0.9, True)
    [tag] = result.error_taxonomy or []
    assert (tag.category, tag.source) == ("limit hit", ErrorSource.MECHANICAL)
    assert str(limit) in (tag.description or "")


def test_much_printing_is_no_fault() -> None:
    assert ingested(reward={"reward": 1}, limits_hit=(Limit.CAPTURED_OUTPUT,)).error_taxonomy is None


def test_other_keys_beside_the_reward_are_no_error() -> None:
    result = ingested(reward={"reward": 0.5, "speed": 3, "notes": ["x"], "correctness": True})
    assert (result.reward, result.validity.errors, result.breakdown) == (0.5, [], None)


def test_a_byte_order_mark_is_skipped() -> None:
    assert ingested(reward='\ufeff{"reward": 0.5}').reward == 0.5


def test_details_become_the_breakdown_untouched() -> None:
    details = {"z": {"score": 0.5, "odd": [None, {"deep": "ü"}]}, "a": 1, "big": 10**30}
    result = ingested(reward={"reward": 0.5}, details=details)
    assert result.breakdown == details
    assert list(result.breakdown or {}) == ["z", "a", "big"]


def test_reward_details_are_read_where_details_are_absent() -> None:
    """rewardkit writes `reward-details.json`; `details.json` comes first, good or bad."""
    other = {"reward": {"score": 1.0, "criteria": []}}
    assert ingested(reward={"reward": 1}, files={"reward-details.json": other}).breakdown == other
    assert ingested(
        reward={"reward": 1}, details={"a": 1}, files={"reward-details.json": other}
    ).breakdown == {"a": 1}
    assert (
        ingested(reward={"reward": 1}, details="bad", files={"reward-details.json": other}).breakdown is None
    )


@pytest.mark.parametrize(
    ("text", "reward"), [("1", 1.0), ("0.25\n", 0.25), (" .5\r\n", 0.5), ("1e-3", 0.001), ("+0.", 0.0)]
)
def test_a_bare_number_is_read_where_reward_json_is_absent(text: str, reward: float) -> None:
    result = ingested(text=text)
    assert (result.reward, result.validity.verifier_completed) == (reward, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nan",
        "inf",
        "1_0",
        "0x1",
        "１",
        "50%",
        "true",
        "0.5 0.5",
        "17",
        "-1",
        "1e309",
        b"\xff",
        "0,5",
        '{"reward": 1}',
    ],
)
def test_text_that_is_no_reward(text: str) -> None:
    result = ingested(text=text)
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert result.validity.errors[0].startswith("reward.txt: ")


def test_a_bad_reward_json_is_not_rescued_by_reward_txt() -> None:
    """As Harbor; and the message says that the text file was left aside."""
    result = ingested(reward='{"reward": true}', text="1.0")
    assert result.reward == 0.0
    assert "reward.txt is only read if reward.json is absent" in result.validity.errors[0]


def test_reward_json_comes_before_reward_txt() -> None:
    assert ingested(reward={"reward": 0.25}, text="1.0").reward == 0.25
