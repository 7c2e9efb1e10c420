"""An answer that is a folder is audited by its main file: everything is tried in it, less in the others.

The main file is the one in which values can be changed with the most sense: data before prose before
programs, the shorter path first. What a right folder holds is shown by a golden, by the reference solution or
by a folder of the verifier's that is called so; else the instruction may name its files, or the verifier's
source opens them. Where nothing shows them, there is nothing to change, and the task cannot be audited. Files
that the task brings and the right answer leaves as they are, are inputs and no answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from adjudge.audit.answers.expected_files import expected_folder
from adjudge.audit.answers.right import golden_files
from adjudge.audit.documents import KINDS
from adjudge.audit.probes import verifier_sources
from adjudge.contracts import OutputFormat, Task
from adjudge.errors import TaskError
from adjudge.packages import sandbox_for
from adjudge.sandbox import Sandbox
from adjudge.scoring import files_of_image, run_solution, solution_of
from adjudge.tasks import golden_paths

_NAMED = re.compile(
    r"""(?:\bopen|\b[Pp]ath|\bexists|\bisfile|\bread_\w+)\(\s*["'](/?[\w-][\w./-]*\.[A-Za-z]\w{0,7})["']"""
)
_LONGEST_SEC = 30.0
"""For a solution that only shows which files a right answer has."""
_PLACEHOLDER = re.compile(r"(?:^|[^A-Za-z])(?:NAME|NNN?|XXX?|YYYY|ID|N|X)(?=$|[^A-Za-z])")


def by_main_file(task: Task, sandbox: Sandbox) -> Task:
    """The same task with one file of its folder as the answer. TaskError if no file of it is known."""
    found = _known_files(task, sandbox)
    inside = [path for path in found if path.startswith(f"{task.verifier.expected_output_path}/")]
    inside = inside or _opened(task)
    if not inside:
        raise TaskError(
            "the answer is a folder, and nothing shows which files a right one holds",
            file=task.folder,
            found=f"{task.verifier.expected_output_path}/, no golden, no solution that writes into it, "
            "and no file there that the verifier opens",
            remedy="Add goldens/pass/NAME/ with the files of a right answer, or solution/solve.sh.",
        )
    given = files_of_image(task)
    written = [path for path in inside if path not in given or found.get(path) != given[path].data]
    main = min(written or inside, key=_order)
    others = [path for path in sorted(written) if path != main]
    kind = KINDS.get(PurePosixPath(main).suffix.lower(), OutputFormat.BINARY)
    return task.model_copy(
        update={
            "verifier": task.verifier.model_copy(update={"expected_output_path": main}),
            "output": task.output.model_copy(
                update={"format": kind, "is_folder": False, "paths": [main, *others], "json_schema": None}
            ),
        }
    )


def _known_files(task: Task, sandbox: Sandbox) -> Mapping[str, bytes]:
    """The files of a right answer, with what they hold."""
    for golden in golden_paths(task, "pass"):
        files = golden_files(task, golden)
        if not isinstance(files, str):
            return {path: file.data for path, file in files}
    script = solution_of(task)
    if script is None:
        return expected_folder(task) or _named_files(task)
    wall = min(task.limits.wall_time_sec, _LONGEST_SEC)
    limits = task.limits.model_copy(update={"wall_time_sec": wall})
    made = run_solution(task, script, sandbox_for(task, sandbox), limits).files
    found = {path: file.data for path, file in made.items()}
    below = f"{task.verifier.expected_output_path}/"
    written = any(path.startswith(below) for path in found)
    return found if written else expected_folder(task) or _named_files(task)


def _named_files(task: Task) -> dict[str, bytes]:
    """The files of the folder that the instruction names by whole paths; what they hold is not known."""
    folder = re.escape(task.verifier.expected_output_path)
    names = re.findall(rf"(?<![\w/]){folder}/([\w/.-]*\w\.\w{{1,5}})(?![\w/<{{*])", task.instruction)
    known = [name for name in names if not _PLACEHOLDER.search(name)]
    return {f"{task.verifier.expected_output_path}/{name}": b"" for name in known}


def _opened(task: Task) -> list[str]:
    """The files of the folder that the verifier's source names, whole or from its working folder, and that
    nobody brings: `open("out/a.json")`, `Path("/app/a.json")`."""
    folder, given = task.verifier.expected_output_path, files_of_image(task)
    named = [match[1] for text in verifier_sources(task) for match in _NAMED.finditer(text)]
    paths = [name if name.startswith("/") else f"{task.workdir or folder}/{name}" for name in named]
    own = {path.rpartition("/")[2] for path in map(str, (task.folder / "tests").rglob("*"))}
    return [
        path
        for path in dict.fromkeys(paths)
        if path.startswith(f"{folder}/") and path not in given and path.rpartition("/")[2] not in own
    ]


def _order(path: str) -> tuple[int, int, str]:
    suffix = PurePosixPath(path).suffix.lower()
    rank = list(KINDS).index(suffix) if suffix in KINDS else len(KINDS)
    return rank, len(PurePosixPath(path).parts), path
