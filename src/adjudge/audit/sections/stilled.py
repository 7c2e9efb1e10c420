"""A right answer whose own scripts write it again while it is verified: what is changed in it never counts.

A task may ask for a script and for the file that it writes. A verifier that starts the script and then reads
the file reads what the script wrote a moment ago, and no wrong answer is ever seen. So such scripts are
stilled, if the right answer earns as much without them: a comment stands in place of each. Where they are
needed, the answer is theirs: it is marked as overwritten, and its values are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from adjudge.audit.answers import RightAnswer
from adjudge.audit.documents import nonsense
from adjudge.audit.probes import Bench, Files, Probe, with_answer
from adjudge.audit.sections.invented.exemplars import SCRIPTS, comment_mark, exemplars
from adjudge.audit.sections.measure import EPS
from adjudge.gates import OutputFile
from adjudge.tasks import provided_files


def stilled(bench: Bench, right: RightAnswer) -> RightAnswer:
    """The same right answer with scripts that no longer write it; the very same if none ever does."""
    scripts = dict(_scripts(bench, right))
    if not scripts:
        return right
    task = bench.task
    junk = nonsense(task.output.format)
    loud = Probe("answer/overwritten", "nonsense beside the scripts", with_answer(task, right.files, junk))
    [seen] = bench.run([loud])
    if seen.reward < right.reward - EPS:
        return right
    files: Files = tuple({**dict(right.files), **scripts}.items())
    quiet = Probe("answer/stilled", f"{right.source}, its scripts replaced by comments", files)
    wrong = Probe("answer/stilled-wrong", "nonsense beside comments", with_answer(task, files, junk))
    kept, lost = bench.run([quiet, wrong])
    if kept.reward < right.reward - EPS:
        return replace(right, document=None, overwritten=True)
    if lost.reward >= right.reward - EPS:  # nothing is looked at, script or no script
        return right
    return replace(right, files=files, probe=quiet, seen=kept)


def _scripts(bench: Bench, right: RightAnswer) -> Iterator[tuple[str, OutputFile]]:
    """A comment in place of each script beside the answer that the agent wrote."""
    task = bench.task
    given = provided_files(task)
    words = exemplars(task.folder / "tests")
    for path, file in right.files:
        own = path != task.verifier.expected_output_path and path not in given and file.link is None
        if own and PurePosixPath(path).suffix in SCRIPTS:
            lines = "".join(f"{comment_mark(path)}{word}\n" for word in ["nothing", *words])
            yield path, OutputFile(lines.encode(), file.mode)
