"""See which programs a verifier's shell did not find, also if its words go to `/dev/null`.

bash calls a function `command_not_found_handle`, if there is one, for every command it does not find. One is
put into the verifier's environment: it says what bash would have said, with the same exit code, and notes the
name in a hidden file beside the artifacts. That file is taken out again before the artifacts are read as
such. Whatever runs in the sandbox can write to it: what stands there is a sign, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from adjudge._lazy import late_pattern
from adjudge.errors import show
from adjudge.evidence.scene import Scene
from adjudge.evidence.sign import Lack, Sign, SignKind
from adjudge.sandbox import Artifact

NOTES = ".adjudge-not-found"
_MOST = 200
_LINE = late_pattern(r"(?P<line>\d+)\t(?P<script>[^\t]*)\t(?P<name>[^\t]+)")


def observing(collect: str) -> dict[str, str]:
    """The variable that makes bash note what it does not find, in the folder that is read back."""
    function = (
        "() { printf '%s: line %s: %s: command not found\\n' \"${BASH_SOURCE[1]:-$0}\" "
        '"${BASH_LINENO[0]}" "$1" >&2; '
        'printf \'%s\\t%s\\t%s\\n\' "${BASH_LINENO[0]}" "${BASH_SOURCE[1]:-$0}" "${1//[$\'\\t\\n\']/ }" '
        f"2>/dev/null >> {collect}/{NOTES}; return 127; }}"
    )
    return {"BASH_FUNC_command_not_found_handle%%": function}


class Observed(Struct, frozen=True):
    """The artifacts without the notes, and the signs in the notes."""

    artifacts: Mapping[str, Artifact]
    signs: tuple[Sign, ...]


def take_notes(artifacts: Mapping[str, Artifact], scene: Scene) -> Observed:
    """Tell the notes from the artifacts. A program that the agent was to write, or used, is no sign."""
    if NOTES not in artifacts:
        return Observed(artifacts, ())
    rest = {name: artifact for name, artifact in artifacts.items() if name != NOTES}
    signs: dict[str, Sign] = {}
    text = (artifacts[NOTES].data or b"").decode("utf-8", "replace")
    for row in text.split("\n")[:_MOST]:
        match = _LINE.fullmatch(row)
        if match is None or scene.wrote_program(match["name"]):
            continue
        if scene.is_agents_file(match["script"]) and not scene.is_promised(match["name"]):
            continue
        place = f"{match['script'].removeprefix('/')} line {match['line']}"
        signs.setdefault(match["name"], Sign(SignKind.DID, Lack.COMMAND, match["name"], show(place)[1:-1]))
    return Observed(rest, tuple(signs.values()))
