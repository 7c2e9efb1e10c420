"""Files for which the main one vouches by a digest: whoever believes it has read nothing."""

from __future__ import annotations

import hashlib

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import leaves, replaced
from adjudge.audit.probes import Files, Probe, answer_of, with_answer
from adjudge.audit.sections.files.others import AnswerFile, changed_files
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_DIGESTS = ("sha256", "md5", "sha1", "sha512")
_KEPT = 0.75


def check_digests(wrongs: WrongAnswers, others: list[AnswerFile], result: SectionResult) -> None:
    """Make other files wrong, and their digests in the main file with them."""
    vouched = _vouched(wrongs, others)
    if vouched is None:
        return
    what = "other files wrong, and their digests with them"
    probe = Probe("discrimination/files-vouched", what, vouched)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if seen.broke or seen.reward < _KEPT * wrongs.base:
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            "files with wrong contents pass if the answer's own digests fit them",
            cause=Cause.CLAIMED,
            seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.",
            advice="Compare the contents of every file that the task asks for with a reference of your own.",
            probe=probe,
            before=wrongs.base,
        )
    )


def _vouched(wrongs: WrongAnswers, others: list[AnswerFile]) -> Files | None:
    """The workspace with wrong files whose digests are right in the main file; None if it holds no digest."""
    document, changes = wrongs.document, []
    wrong: dict[str, bytes | None] = {}
    for other in others:
        data = wrong[other.path] = other.ways_wrong()[0]
        for way in _DIGESTS:
            old, new = (hashlib.new(way, d, usedforsecurity=False).hexdigest() for d in (other.data, data))
            found = [leaf.path for leaf in leaves(document.value) if str(leaf.value).lower() == old]
            changes += [(place, new) for place in found]
    if not changes or answer_of(wrongs.bench.task, wrongs.right.files) is None:
        return None
    answer = document.render(replaced(document.value, changes))
    return with_answer(wrongs.bench.task, changed_files(wrongs.right.files, wrong), answer)
