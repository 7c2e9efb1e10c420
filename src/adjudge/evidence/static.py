"""A look at a verifier's files: what it needs and the sandbox does not have.

Only what the verifier needs whatever the answer is becomes a sign. What the agent was to write is no need of
the verifier's.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.contracts import Task
from adjudge.evidence.need import Need, Needs
from adjudge.evidence.needs import find_needs
from adjudge.evidence.scene import Scene
from adjudge.evidence.sign import Lack, Sign, SignKind

if TYPE_CHECKING:
    from adjudge.evidence.surroundings import Surroundings

_OF_THE_SHELL = """
. : [ [[ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo
enable eval exec exit export false fg getopts hash help history jobs kill let local logout mapfile popd printf
pushd pwd read readarray readonly return set shift shopt source suspend test time times trap true type typeset
ulimit umask unalias unset wait
"""
_OF_ANY_SYSTEM = """
awk basename bash cat chmod cp cut date diff dirname env expr find grep head id ls mkdir mktemp mv paste rm
rmdir sed seq sh sleep sort stat tail tee timeout touch tr uname uniq wc xargs yes
"""
_BUILTINS = frozenset(_OF_THE_SHELL.split())
_EVERYWHERE = _BUILTINS | frozenset(_OF_ANY_SYSTEM.split())
"""Programs that every sandbox has; for these alone it need not be asked."""


class StaticLook(Struct, frozen=True):
    """What a look at the files showed."""

    needs: Needs
    lacking: tuple[Need, ...]
    """Certain needs that are not met here."""
    known: bool
    """Could the sandbox be asked what it has?"""

    @property
    def signs(self) -> tuple[Sign, ...]:
        found: dict[tuple[Lack, str], Sign] = {}
        for need in self.lacking:
            found.setdefault((need.lack, need.name), Sign(SignKind.STATIC, need.lack, need.name, need.place))
        return tuple(found.values())


@lru_cache(maxsize=1024)
def _needs_of(folder: Path, script: str, digest: str) -> Needs:
    return find_needs(folder / "tests", script)


def needs_of(task: Task) -> Needs:
    """The needs of a task's verifier; looked at once for each content of the task."""
    return _needs_of(task.folder, task.verifier.script, task.digest)


def asks_for_more(needs: Needs) -> bool:
    """Does the verifier need anything that not every sandbox has?"""
    return any(not _always_there(need) for need in needs.needs)


def look_at(task: Task, scene: Scene, surroundings: Surroundings | None) -> StaticLook:
    """Compare the needs with what is there. Without surroundings only files can be missed."""
    needs = needs_of(task)
    lacking = tuple(
        need
        for need in needs.needs
        if need.certain and _is_missing(need, surroundings) and not _agents(need, scene)
    )
    return StaticLook(needs, lacking, surroundings is not None)


def _always_there(need: Need) -> bool:
    if need.lack is Lack.COMMAND:
        return need.name in _EVERYWHERE or need.name == "python3"
    return need.lack is Lack.MODULE and need.name in sys.stdlib_module_names


def _is_missing(need: Need, surroundings: Surroundings | None) -> bool:
    if need.lack in (Lack.FILE, Lack.PERMISSION, Lack.NETWORK):  # no verifier has a network
        return True
    if surroundings is None:
        return False
    there: dict[Lack, Collection[str] | None] = {
        Lack.COMMAND: surroundings.commands | _BUILTINS,
        Lack.MODULE: surroundings.modules,
        Lack.LIBRARY: surroundings.libraries if "node" in surroundings.commands else None,
    }
    known = there.get(need.lack)
    return known is not None and need.name not in known


def _agents(need: Need, scene: Scene) -> bool:
    if need.lack is Lack.MODULE:
        return scene.wrote_module(need.name)
    return need.lack is Lack.COMMAND and scene.wrote_program(need.name)
