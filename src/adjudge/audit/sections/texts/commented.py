"""Settings that are only in comments: what is not in force must not count.

A verifier that looks for a line anywhere in a file finds it behind a comment mark, too. Of a file that the
agent was to change, only what a right answer added to it is made a comment: what was there must stay.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.probes import answer_of
from adjudge.audit.sections.invented import comment_mark
from adjudge.audit.sections.measure import WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report_gain
from adjudge.scoring import files_of_image

_SETTINGS = frozenset(
    {".conf", ".cfg", ".cnf", ".ini", ".env", ".properties", ".toml", ".yaml", ".yml", ".rules", ".service"}
)
_NAMES = ("config", "crontab", "hosts", "fstab", "sudoers", "profile", "rc", "Dockerfile", "Makefile")
_LEAST_GAIN = 0.1


def check_commented(wrongs: WrongAnswers, result: SectionResult) -> None:
    """All that a right answer sets, as comments, beside the same left out. Only of files of settings."""
    task = wrongs.bench.task
    path = task.verifier.expected_output_path
    if not _is_settings(PurePosixPath(path)):
        return
    text = (answer_of(task, wrongs.right.files) or b"").decode("utf-8-sig", "replace")
    given = files_of_image(task).get(path)
    before = set(given.data.decode("utf-8", "replace").splitlines()) if given else set()
    mark = comment_mark(path)
    new = [_is_set(line, mark) and line not in before for line in text.splitlines()]
    if not any(new):
        return

    def written(in_place: str | None) -> bytes:
        lines = zip(text.splitlines(True), new, strict=True)
        kept = (
            line if not is_new else f"{in_place}{line.lstrip()}" if in_place else "" for line, is_new in lines
        )
        return "".join(kept).encode()

    made = {
        "commented": ("every new line made a comment", mark),
        "uncommented": ("every new line left out", None),
    }
    probes = [
        wrongs.bench.answer(f"discrimination/{name}", what, written(mark), files=wrongs.right.files)
        for name, (what, mark) in made.items()
    ]
    commented, without = wrongs.bench.run(probes)
    result.probes += probes
    if commented.broke or without.broke or without.reward >= wrongs.base:
        return
    gain = (commented.reward - without.reward) / wrongs.base
    wrongs.lost.append(1 - max(0.0, min(1.0, gain)))
    if gain < _LEAST_GAIN:
        return
    report_gain(
        wrongs,
        gain,
        Cause.ANYWHERE,
        probes[0],
        commented,
        result,
        title=f"settings in comments earn {commented.reward:g}",
        told=f"The right answer earns {wrongs.base:g}, and without these lines {without.reward:g}.",
        advice="Leave out comments before you look for a line, and look for it from its beginning.",
    )


def _is_settings(path: PurePosixPath) -> bool:
    return path.suffix.lower() in _SETTINGS or (not path.suffix and path.name.endswith(_NAMES))


def _is_set(line: str, mark: str) -> bool:
    """Does a line set something? Headings of sections do not, but what is below them needs them."""
    text = line.strip()
    return bool(text) and not text.startswith((mark.strip(), "[")) and not text.endswith(":")
