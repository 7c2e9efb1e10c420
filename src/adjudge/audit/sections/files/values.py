"""The values in the other files of an answer: what is tried in the main file, in few of theirs.

The bench is the same, but for the file that its probes change. What is found names the file; it is rated high
only if the file is worth half of the reward, since nothing in it can pay more.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from adjudge.audit.answers import RightAnswer
from adjudge.audit.certificate import Finding
from adjudge.audit.documents import leaves, open_document
from adjudge.audit.probes import Bench, Probe
from adjudge.audit.sections.fields import check_fields, check_granted
from adjudge.audit.sections.files.others import AnswerFile, other_files
from adjudge.audit.sections.left_out import check_left_out
from adjudge.audit.sections.lists import check_lists, check_swaps
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult, in_turn
from adjudge.contracts import OutputInfo, Severity
from adjudge.gates import AgentOutput, check_output

_MOST_FILES = 2
_HALF = 0.5


def check_other_values(
    wrongs: WrongAnswers, try_values: Callable[[WrongAnswers, SectionResult], None], result: SectionResult
) -> None:
    """Try the values of each of the next files, if wrong contents there cost anything."""
    for other, bench in _benches(wrongs.bench, wrongs.right):
        document = open_document(other.data, other.kind)
        if document is None or not leaves(document.value):
            continue
        probes = [
            bench.answer(f"discrimination/{name}", f"{other.name} {what}", data, files=wrongs.right.files)
            for name, what, data in (
                ("wrong", "wrong", other.ways_wrong()[0]),
                ("unchanged", "written again", document.render(document.value)),
            )
        ]
        lost, same = bench.run(probes)
        worth = wrongs.base - lost.reward
        if lost.broke or worth <= EPS or wrongs.base - same.reward > EPS:
            continue
        inner = WrongAnswers(bench, replace(wrongs.right, document=document), document, wrongs.base)
        inner.among_files = True
        part = SectionResult()
        try:
            try_values(inner, part)
            _check_values(inner, part)
        finally:
            result.probes += [*probes, *part.probes]
            result.findings += [
                _of_file(finding, other, high=worth >= _HALF * wrongs.base) for finding in part.findings
            ]
            wrongs.lost += inner.lost


def _check_values(wrongs: WrongAnswers, result: SectionResult) -> None:
    bench, document = wrongs.bench, wrongs.document
    in_turn(
        lambda: check_fields(bench, wrongs.fields, wrongs.base, wrongs.probe, document, result),
        lambda: check_granted(wrongs, result),
        lambda: check_lists(wrongs, result),
        lambda: check_left_out(wrongs, result),
        lambda: check_swaps(wrongs, result) if document.structured else None,
    )


def check_other_layouts(
    bench: Bench,
    right: RightAnswer,
    check: Callable[[Bench, RightAnswer, SectionResult], None],
    result: SectionResult,
) -> None:
    """Write each of the next files in other harmless ways, and tell what those before did not show.

    What adjudge could not parse is left out.
    """
    for other, beside in _benches(bench, right):
        part, told = SectionResult(), " ".join(finding.title for finding in result.findings)
        try:
            check(beside, replace(right, document=open_document(other.data, other.kind)), part)
        finally:
            result.probes += part.probes
            result.findings += [
                _of_file(finding, other, high=False)
                for finding in part.findings
                if finding.title.partition(": ")[2] not in told
                and finding.probe is not None
                and _parses(beside, beside.log[finding.probe][0])
            ]


def _benches(bench: Bench, right: RightAnswer) -> list[tuple[AnswerFile, Bench]]:
    found = [one for one in other_files(bench.task, right.files) if one.is_data][:_MOST_FILES]
    return [(one, bench.beside(one.path, one.kind)) for one in found]


def _of_file(finding: Finding, other: AnswerFile, *, high: bool) -> Finding:
    """The same finding with the file's name in front of what it says."""
    head, colon, tail = finding.title.partition(": ")
    lost = head.startswith("a right answer loses")
    title = f"{head}: {other.name}, {tail}" if colon and lost else f"{other.name}, {finding.title}"
    lower = finding.severity is Severity.HIGH and not high
    severity = Severity.MEDIUM if lower else finding.severity
    return finding.model_copy(update={"title": title, "severity": severity})


def _parses(bench: Bench, probe: Probe) -> bool:
    task, files = bench.task, dict(probe.files)
    file = files.get(task.verifier.expected_output_path)
    info = OutputInfo(path="probe", sha256=None, size_bytes=None, media_type=None)
    output = AgentOutput(info, files, None if file is None else file.data, None)
    return check_output(task, output).output_parseable
