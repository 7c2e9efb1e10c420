"""What the verifier said: signs in its streams and logs, told apart from what the agent said.

Phrases (`phrases`) find the lines in which shells, Python, test runners, package managers and other programs
report that something is not there. Whose it is decides the `Scene`, with the innermost file of the traceback
above the line, or the script that a shell names at its start. Words that stand in the answer itself, warnings
and quoted source are passed over.

An assertion that failed is the work of a verifier, not a sign; so are errors that data can cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudge._lazy import late_pattern
from adjudge.errors import show
from adjudge.evidence.phrases import ASSERTED, NONE_RAN, PHRASES, RAN, TRIGGER, Phrase
from adjudge.evidence.scene import Scene
from adjudge.evidence.sign import Lack, Sign, SignKind

_MOST_LINES = 4000
_LONGEST = 2000
_BEFORE = 60
_COLOUR = late_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_LOOPBACK = late_pattern(r"localhost|127\.\d|0\.0\.0\.0|\[?::1\b")
_PLACE = late_pattern(r'^(?:E\s+|[|+ ]*)File "(?P<file>[^"]+)", line \d+')
_SHORT_PLACE = late_pattern(r"^(?P<file>[\w./-]+\.py):\d+: ")
_LIBRARY = late_pattern(
    r"^<|/(?:site|dist)-packages/|/lib/python\d|/lib64/python\d|importlib/|^/opt/adjudge/|/_pytest/|/pluggy/"
)
_NODE_PLACE = late_pattern(r"^\s+at .*?\(?(?P<file>/[^\s():]+):\d+:\d+\)?")
_REQUIRED_BY = late_pattern(r"^- (?P<file>/\S+)")
EXECUTED = "<executed>"
"""The place of code that has no file of its own."""
_SHOWN_BY_PYTEST = late_pattern(r"E\s+(?P<who>[^\s:]+\.(?:sh|bash)): ")
_OWN_FILES = ("/tests/", "../tests/", "<stdin>", "<string>")
_PASSED_OVER = late_pattern(r"warning|Warning|^\s*>|^\s*#|DeprecationWarning|\[notice\]")


class Heard(Struct, frozen=True):
    """What was found in the words of a verifier."""

    signs: tuple[Sign, ...]
    ran: bool
    """Did a test runner say how many tests passed or failed?"""
    asserted: bool = False
    """Did a compiled program say that an assertion of its own failed?"""
    agents: tuple[str, ...] = ()
    """Lines that were the agent's doing, or its words."""
    missed: bool = False
    """Did the verifier say that a file is not there which the agent was to write?"""


def listen(texts: Sequence[bytes], scene: Scene) -> Heard:
    """The signs in some streams and logs, each once."""
    signs: dict[tuple[Lack, str], Sign] = {}
    agents: list[str] = []
    ran = asserted = missed = False
    for text in filter(None, texts):
        lines = [
            _COLOUR.sub("", line.rstrip()[:_LONGEST]) for line in text.decode("utf-8", "replace").split("\n")
        ]
        if len(lines) > _MOST_LINES:
            lines = lines[: _MOST_LINES // 2] + lines[-_MOST_LINES // 2 :]
        if scene.untouched:
            lines = [_as_said(line, scene) for line in lines]
        ran = ran or any(RAN.search(line) for line in lines)
        asserted = asserted or any(ASSERTED.search(line) for line in lines)
        for sign, theirs in _signs(lines, scene):
            if theirs:
                agents.append(sign.says)
                missed = missed or (sign.lack is Lack.FILE and scene.is_in_answer(sign.name))
            else:
                signs.setdefault(sign.key, sign)
    return Heard(tuple(signs.values()), ran, asserted, tuple(agents), missed)


def _as_said(line: str, scene: Scene) -> str:
    """A line without pytest's mark, if a script of the task's own says it; else the agent's program may."""
    shown = _SHOWN_BY_PYTEST.match(line)
    return line if shown is None or not scene.is_untouched(shown["who"]) else line[shown.start("who") :]


def _signs(lines: list[str], scene: Scene) -> Iterator[tuple[Sign, bool]]:
    """The signs of some lines, each with whether it is the agent's doing."""
    for number, line in enumerate(lines):
        if NONE_RAN.search(line):
            rootdir = next((row[9:].strip() for row in lines if row.startswith("rootdir: ")), "")
            theirs = any(rootdir == root or rootdir.startswith(f"{root}/") for root in scene.roots)
            yield Sign(SignKind.SAID, Lack.NO_TESTS, "", show(line)), theirs
        elif TRIGGER.search(line) and ("Retry" in line or not _PASSED_OVER.search(line)):
            remark = next((found for phrase in PHRASES if (found := _remark(phrase, lines, number))), None)
            if remark is not None:
                sign = Sign(SignKind.SAID, remark.lack, remark.name, show(line.strip()))
                echo = scene.is_echo(line) or scene.is_echo(line[remark.start :])
                yield sign, echo or _is_agents(remark, scene, line)


class _Remark(Struct, frozen=True):
    """What one line says is missing, and which file speaks."""

    lack: Lack
    name: str
    speakers: tuple[str, ...]
    start: int = 0
    """Where in the line it is said."""


def _remark(phrase: Phrase, lines: list[str], number: int) -> _Remark | None:
    """What a line says in one form; None if it does not, or says it of nobody knows what."""
    line = lines[number]
    match = phrase.pattern.search(line)
    if match is None:
        return None
    groups = match.groupdict()
    lack, name = phrase.lack, (groups.get("path") or groups.get("name") or "").strip()
    place, who = _culprit(lines, number), groups.get("who")
    if lack is Lack.FILE and "/" not in name and _starts_a_program(lines, number):
        lack = Lack.COMMAND
    elif lack is Lack.COMMAND and name.startswith("/"):
        lack = Lack.FILE
    elif lack is Lack.NETWORK and place is not None:  # the verifier's own program asks: no preparation
        lack = Lack.SERVICE
    elif lack is Lack.MODULE and ".so" not in name:
        name = name.split(".")[0]
    if _made_up(lines, number):  # code that the verifier compiled itself, most likely the agent's
        place = EXECUTED
    unclear = (
        (lack is Lack.COMMAND and " " in name)
        or (lack is Lack.VARIABLE and "KeyError" in line and not _reads_environment(lines, number))
        or (lack is Lack.OWN_ERROR and place is None and who is None)
    )
    speakers = tuple(part for part in (place, who) if part)
    return None if unclear else _Remark(lack, name, speakers, match.start())


def _is_agents(remark: _Remark, scene: Scene, line: str) -> bool:
    """Is what is missing the agent's to write, or does the agent's own program miss it?"""
    lack, name = remark.lack, remark.name
    spoke = any(file == EXECUTED or scene.is_agents_file(file) for file in remark.speakers)
    if lack in (Lack.FILE, Lack.PERMISSION):
        return spoke or scene.owns_path(name)
    if lack is Lack.MODULE:
        return scene.wrote_module(name) or (spoke and not scene.is_promised(name))
    if lack is Lack.COMMAND:
        return name.startswith(".") or scene.wrote_program(name) or (spoke and not scene.is_promised(name))
    others = {
        Lack.HEADER: lambda: scene.wrote_header(name),
        Lack.MACHINE: lambda: scene.runs_output,
        Lack.NETWORK: lambda: bool(_LOOPBACK.search(line)),
        Lack.SERVICE: lambda: bool(_LOOPBACK.search(line)),
    }
    if lack in others:
        return spoke or others[lack]()
    if lack is Lack.OWN_ERROR:
        return spoke or not any(
            file.startswith(_OWN_FILES) or file.endswith("test.sh") for file in remark.speakers
        )
    return spoke


def _culprit(lines: list[str], number: int) -> str | None:
    """The innermost file of the traceback that ends at a line, libraries passed over; None without one."""
    own = _SHORT_PLACE.match(lines[number])
    if own is not None and not _LIBRARY.search(own["file"]):
        return own["file"]
    for row in reversed(lines[max(0, number - _BEFORE) : number]):
        found = _PLACE.match(row) or _SHORT_PLACE.match(row) or _NODE_PLACE.match(row)
        if found is not None and not _LIBRARY.search(found["file"]):
            return found["file"]
        if row.startswith(("Traceback (most recent call last)", "====", "____")):
            break
    for row in lines[number + 1 : number + 12]:
        found = _NODE_PLACE.match(row) or _REQUIRED_BY.match(row) or _SHORT_PLACE.match(row)
        if found is not None and not _LIBRARY.search(found["file"]):
            return found["file"]
        if row.startswith(("Traceback", "====", "____")):
            break
    return None


def _made_up(lines: list[str], number: int) -> bool:
    """Is the innermost place of the traceback no file, although a file of the verifier's is above it?"""
    places: list[str] = []
    for row in reversed(lines[max(0, number - _BEFORE) : number]):
        found = _PLACE.match(row) or _SHORT_PLACE.match(row)
        if found is not None and not found["file"].startswith("<frozen"):
            places.append(found["file"])
        if row.startswith(("Traceback (most recent call last)", "====", "____")):
            break
    return bool(places) and places[0].startswith("<") and any(not p.startswith("<") for p in places)


def _starts_a_program(lines: list[str], number: int) -> bool:
    """Does the traceback come from starting a program rather than from opening a file?"""
    return any(
        "subprocess" in row or "_execute_child" in row or "Popen" in row
        for row in lines[max(0, number - 40) : number]
    )


def _reads_environment(lines: list[str], number: int) -> bool:
    return any("environ" in row or "<frozen os>" in row for row in lines[max(0, number - 8) : number])
