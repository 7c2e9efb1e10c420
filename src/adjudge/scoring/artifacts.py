"""Read the single artifacts a verifier may write: the reward, the details, its own tags.

Each reader takes what was found under a name and gives back a value or the words for what is wrong with
it, never an exception: a bad artifact is a finding about the verifier, and every finding must reach the
record. `ArtifactNames` says under which names to look.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from pydantic import ValidationError

from adjudge._lazy import late_pattern
from adjudge.contracts import BadJson, ErrorSource, ErrorTag, load_json, problem_of
from adjudge.errors import describe, show
from adjudge.sandbox import Artifact, ArtifactKind

REWARD_BYTES = 1 << 20
DETAILS_BYTES = 8 << 20
TAGS_BYTES = 1 << 20
MAX_TAGS = 1000
"""Files past these sizes are kept as evidence but not parsed."""

_REWARD_ALLOWED = "a finite number from 0.0 to 1.0"
_DECIMAL = late_pattern(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISNAMED = ("rewards.json", "reward.jsonl", "score.json", "reward")
"""What a verifier may have meant for its reward."""
_SOURCES = {"mechanical": ErrorSource.MECHANICAL, "judge": ErrorSource.JUDGE}


class ArtifactNames(Struct, frozen=True, dict=True):
    """Where a verifier writes, relative to the folder that is read back. The defaults are the convention."""

    reward: str = "reward.json"
    details: tuple[str, ...] = ("details.json", "reward-details.json")
    """The first that exists is read; rewardkit writes the second."""
    key: str = "reward"
    """The key of the reward in its file; some verifiers write several keys, or one of another name."""
    folder: str = ""
    """Where the verifier was to write, for messages; empty if the artifacts were brought from elsewhere."""

    @property
    def expected(self) -> str:
        """The whole path of the reward, as the verifier sees it."""
        return f"{self.folder}/{self.reward}" if self.folder else self.reward

    @property
    def reward_text(self) -> str:
        """The bare number that is read if the reward file is absent, as Harbor does."""
        return _beside(self.reward, "reward.txt")

    @property
    def tags(self) -> str:
        """Where the verifier's own tags are."""
        return _beside(self.reward, "errors.json")

    @cached_property
    def all(self) -> frozenset[str]:
        """Every name that is looked at, also those that are only pointed out."""
        misnamed = {_beside(self.reward, name) for name in _MISNAMED}
        return frozenset({self.reward, self.reward_text, self.tags, *self.details} | misnamed)


class BadArtifact(Struct, frozen=True):
    """An artifact that cannot be used, and why, in words."""

    message: str


def _beside(name: str, other: str) -> str:
    folder, slash, _ = name.rpartition("/")
    return f"{folder}{slash}{other}"


def read_reward(artifacts: Mapping[str, Artifact], names: ArtifactNames) -> float | BadArtifact:
    """The reward, or why there is none. A bad `reward.json` is not rescued by a good `reward.txt`."""
    text = names.reward_text
    if names.reward in artifacts:
        reward = _reward_from_json(names.reward, artifacts[names.reward], names.key)
        if isinstance(reward, BadArtifact) and text in artifacts:
            return BadArtifact(f"{reward.message} ({text} is only read if {names.reward} is absent)")
        return reward
    if text in artifacts:
        return _reward_from_text(text, artifacts[text])
    # A script with Windows line ends writes 'reward.json\r'.
    meant = {*_MISNAMED, names.reward.rpartition("/")[2]}
    near = next((name for name in artifacts if name.rpartition("/")[2].strip().lower() in meant), None)
    others = [name for name in sorted(artifacts) if not name.startswith(".")]
    beside = f"no such file, but {', '.join(others[:5])}" if others else "no such file"
    return BadArtifact(
        describe(
            "the verifier wrote no reward",
            file=names.expected,
            found=near if near is not None else beside,
            allowed='{"reward": 0.0 to 1.0}',
        )
    )


def beside_the_reward(data: bytes | None) -> dict[str, Any]:
    """The other keys of a reward file, which are evidence and nothing more; empty if it cannot be read."""
    try:
        value = load_json(data or b"", max_bytes=REWARD_BYTES)
    except BadJson:
        return {}
    return {key: item for key, item in value.items() if key != "reward"} if isinstance(value, dict) else {}


def _reward_from_json(name: str, artifact: Artifact, key: str) -> float | BadArtifact:
    value = _json(name, artifact, max_bytes=REWARD_BYTES, allowed='{"reward": 0.0 to 1.0}')
    if isinstance(value, BadArtifact):
        return value
    if not isinstance(value, dict):
        return _problem(
            f"holds {_kind(value)}, not an object", name, found=value, allowed='{"reward": 0.0 to 1.0}'
        )
    if key not in value:
        keys = ", ".join(show(found) for found in list(value)[:12]) or "none"
        more = f" and {len(value) - 12} more" if len(value) > 12 else ""
        return _problem(
            f"the key is missing; keys found: {keys}{more}",
            name,
            field=key,
            allowed=_REWARD_ALLOWED,
            remedy="If another key is the reward, name it: [verifier] reward_key.",
        )
    reward = value[key]
    if isinstance(reward, bool) or not isinstance(reward, (int, float)):
        return _problem(
            f"is {_kind(reward)}, not a number", name, field=key, found=reward, allowed=_REWARD_ALLOWED
        )
    if not 0 <= reward <= 1:
        return _problem("is out of range", name, field=key, found=reward, allowed=_REWARD_ALLOWED)
    return float(reward)


def _reward_from_text(name: str, artifact: Artifact) -> float | BadArtifact:
    data = _bytes(name, artifact, max_bytes=4096)
    if isinstance(data, BadArtifact):
        return data
    text = data.decode("utf-8", "replace").strip(" \t\r\n")
    allowed = f"{_REWARD_ALLOWED}, alone, in plain digits"
    if not _DECIMAL.fullmatch(text):
        return _problem("is not a bare number", name, found=text, allowed=allowed)
    reward = float(text)
    if not 0 <= reward <= 1:
        return _problem("is out of range", name, found=text, allowed=allowed)
    return reward


def read_details(
    artifacts: Mapping[str, Artifact], names: ArtifactNames
) -> dict[str, Any] | BadArtifact | None:
    """The breakdown as written; None if there is none; a `BadArtifact` for a file that is no JSON object."""
    for name in names.details:
        if name in artifacts:
            break
    else:
        return None
    value = _json(
        name, artifacts[name], max_bytes=DETAILS_BYTES, allowed="a JSON object, one entry per field"
    )
    if isinstance(value, BadArtifact):
        return BadArtifact(f"breakdown is null: {value.message}")
    if not isinstance(value, dict):
        message = describe(f"holds {_kind(value)}, not an object", file=name, allowed="one entry per field")
        return BadArtifact(f"breakdown is null: {message}")
    return value


def read_tags(artifacts: Mapping[str, Artifact], names: ArtifactNames) -> list[ErrorTag] | BadArtifact:
    """The verifier's own tags; a file with one bad tag gives none, since half a classification misleads."""
    name = names.tags
    if name not in artifacts:
        return []
    tags = _tags(name, artifacts[name])
    return BadArtifact(f"tags are left out: {tags.message}") if isinstance(tags, BadArtifact) else tags


def _tags(name: str, artifact: Artifact) -> list[ErrorTag] | BadArtifact:
    allowed = f"a list of at most {MAX_TAGS} error tags"
    value = _json(name, artifact, max_bytes=TAGS_BYTES, allowed=allowed)
    if isinstance(value, BadArtifact):
        return value
    if not isinstance(value, list):
        return _problem(f"holds {_kind(value)}, not a list", name, found=value, allowed=allowed)
    if len(value) > MAX_TAGS:
        return _problem("too many tags", name, found=len(value), allowed=allowed)
    tags = []
    for place, item in enumerate(value):
        tag = _tag(name, f"[{place}]", item)
        if isinstance(tag, BadArtifact):
            return tag
        tags.append(tag)
    return tags


def _tag(name: str, place: str, item: object) -> ErrorTag | BadArtifact:
    allowed = '{"category": text, "description": text or null, "source": "mechanical" or "judge"}'
    if not isinstance(item, dict):
        return _problem(f"is {_kind(item)}, not an object", name, field=place, found=item, allowed=allowed)
    source = item.get("source", "mechanical")
    if not isinstance(source, str) or source not in _SOURCES:
        why = "a verifier cannot speak for a person" if source == "human" else "no such source"
        return _problem(why, name, field=f"{place}.source", found=source, allowed="mechanical, judge")
    try:
        return ErrorTag.model_validate({**item, "source": _SOURCES[source]})
    except ValidationError as error:
        return BadArtifact(str(problem_of(error, file=name, field=place, model=ErrorTag)))


def _json(name: str, artifact: Artifact, *, max_bytes: int, allowed: str) -> Any | BadArtifact:
    """The value in a file, or what is wrong with it."""
    data = _bytes(name, artifact, max_bytes=max_bytes)
    if isinstance(data, BadArtifact):
        return data
    try:
        return load_json(data, max_bytes=max_bytes)
    except BadJson as error:
        return BadArtifact(error.worded(file=name, allowed=allowed))


def _bytes(name: str, artifact: Artifact, *, max_bytes: int) -> bytes | BadArtifact:
    """The bytes of a plain file of acceptable size."""
    if artifact.kind is ArtifactKind.OVERSIZED or artifact.size > max_bytes:
        return _problem(
            "too large", name, found=f"{artifact.size} bytes", allowed=f"at most {max_bytes} bytes"
        )
    if artifact.kind is ArtifactKind.UNREADABLE:
        return _problem("cannot be opened", name, allowed="a file that may be read")
    if artifact.data is None:
        return _problem(
            "not a plain file, so it was not opened", name, found=str(artifact.kind), allowed="a file"
        )
    return artifact.data


def _problem(what: str, name: str, **parts: Any) -> BadArtifact:
    return BadArtifact(describe(what, file=name, **parts))


def _kind(value: object) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    words = {bool: "a bool", str: "a string", list: "a list", dict: "an object"}
    return words.get(type(value), "a number")
