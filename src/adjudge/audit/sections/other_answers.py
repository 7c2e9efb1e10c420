"""Answers of several files: what stands in the others must count as well.

The main file is changed value by value; of the others each is made wrong as a whole. If the main file vouches
for another by a digest, that is made wrong with its digest: whoever believes it has read nothing.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import KINDS, leaves, nonsense, open_document, replaced
from adjudge.audit.probes import CODE, Files, Probe, answer_of, with_answer, wrong_everywhere
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity
from adjudge.gates import OutputFile
from adjudge.scoring import files_of_image

_HERE = Section.DISCRIMINATION
_MOST_FILES = 3
_DIGESTS = ("sha256", "md5", "sha1", "sha512")


def check_other_files(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try each of the other files that the task names with wrong contents."""
    task = wrongs.bench.task
    others = [
        (path, file)
        for path, file in wrongs.right.files
        if path != task.verifier.expected_output_path
        and PurePosixPath(path).suffix.lower() in KINDS
        and PurePosixPath(path).suffix.lower() not in CODE
        and file.link is None
        and PurePosixPath(path).name in task.instruction
        and not _is_input(wrongs, PurePosixPath(path).name)
    ][:_MOST_FILES]
    if not others:
        return
    wrong = {path: OutputFile(_wrong(path, file.data)) for path, file in others}
    probes = [
        Probe(
            f"discrimination/file-{number + 1}",
            f"{PurePosixPath(path).name} wrong",
            _with(wrongs, {path: new}),
        )
        for number, (path, new) in enumerate(wrong.items())
    ]
    vouched = _vouched(wrongs, others, wrong)
    if vouched is not None:
        what = "other files wrong, and their digests with them"
        probes.append(Probe("discrimination/files-vouched", what, vouched))
    result.probes += probes
    seen = wrongs.bench.run(probes)
    for (path, _), probe, after in zip(others, probes, seen, strict=False):
        if not after.broke and wrongs.base - after.reward <= EPS:
            name = PurePosixPath(path).name
            title = f"{name}: the task asks for it, and nothing in it costs anything"
            _report(wrongs, title, Cause.UNSCORED, probe, result)
    if vouched is not None and not seen[-1].broke and seen[-1].reward >= 0.75 * wrongs.base:
        title = "files with wrong contents pass if the answer's own digests fit them"
        _report(wrongs, title, Cause.CLAIMED, probes[-1], result)


def _is_input(wrongs: WrongAnswers, name: str) -> bool:
    """Does the task bring a file of this name along? Then it is not for the agent to write."""
    folder = wrongs.bench.task.folder
    if any(PurePosixPath(path).name == name for path in files_of_image(wrongs.bench.task)):
        return True
    places = ("environment", "workspace", "data", "inputs", "assets")
    return any(found.name == name for place in places for found in (folder / place).rglob("*"))


def _wrong(path: str, data: bytes) -> bytes:
    kind = KINDS[PurePosixPath(path).suffix.lower()]
    document = open_document(data, kind)
    if document is None or not leaves(document.value):
        return nonsense(kind)
    return document.render(wrong_everywhere(document.value))


def _with(wrongs: WrongAnswers, changes: dict[str, OutputFile]) -> Files:
    return tuple((path, changes.get(path, file)) for path, file in wrongs.right.files)


def _vouched(
    wrongs: WrongAnswers, others: list[tuple[str, OutputFile]], wrong: dict[str, OutputFile]
) -> Files | None:
    """The workspace with wrong files whose digests are right in the main file; None if it holds no digest."""
    document = wrongs.document
    changes = []
    for path, file in others:
        for way in _DIGESTS:
            old, new = (
                hashlib.new(way, data, usedforsecurity=False).hexdigest()
                for data in (file.data, wrong[path].data)
            )
            found = [leaf.path for leaf in leaves(document.value) if str(leaf.value).lower() == old]
            changes += [(place, new) for place in found]
    if not changes or answer_of(wrongs.bench.task, wrongs.right.files) is None:
        return None
    answer = document.render(replaced(document.value, changes))
    return with_answer(wrongs.bench.task, _with(wrongs, wrong), answer)


def _report(wrongs: WrongAnswers, title: str, cause: Cause, probe: Probe, result: SectionResult) -> None:
    reward = wrongs.bench.log[probe.name][1].reward
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            _HERE,
            title,
            cause=cause,
            seen=f"The right answer earns {wrongs.base:g}, this one {reward:g}.",
            advice="Compare the contents of every file that the task asks for with a reference of your own.",
            probe=probe,
            before=wrongs.base,
        )
    )
