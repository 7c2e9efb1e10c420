"""What the docs show is what happens: every console and Python block runs, page by page, in order.

A page's blocks share one scratch folder with a copy of `examples/`. A page that shows the demo run itself
(`DEMO_RUN`) has no ledger until then, and one that says `<!-- begins with no ledger -->` has none; any other
starts with a ledger in which that run is recorded. The demo run is made once for all pages, for it takes
seconds. Shown output must be what the command prints on stdout, stderr or both, where

- `…` stands for anything within a line, and alone on a line for any number of lines;
- blanks, durations, rates, trial ids, digests and times may differ;
- `$ echo $?` asks for the exit code before it; any other command must succeed.

A block under `<!-- not run: needs X -->` is not run; its commands and options must exist all the same
(`test_references.py`). A Python block that imports `adjudge_kit` is a verifier and is only compiled here:
`tests/kit/test_docs.py` runs those. A TOML block whose first line is `# name.toml` becomes that file.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.demo_run import DEMO_RUN, PRINTED, copy_ledger, environment
from support.doc_pages import PAGES, ROOT, Block, Step, blocks, steps
from support.patience import HANG_SEC

BLOCKS = {page: list(blocks(page)) for page in PAGES}
NO_LEDGER = "<!-- begins with no ledger -->"
REASONS = ("needs ", "installs ", "takes ", "for ")
VARIES = [
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d| UTC)?", "TIME"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r"\b[ta][0-9a-f]{12,24}\b", "ID"),
    (r"\b\d[\d,.]* ?(ms|µs|s|MB/s|trials/s|/s)(?!\w)", "TIMED"),
]


def normalised(text: str) -> str:
    for pattern, name in VARIES:
        text = re.sub(pattern, name, text)
    return "".join(f"{' '.join(line.split())}\n" for line in text.splitlines())


def matches(shown: str, printed: str) -> bool:
    """Is this what was printed, apart from what varies and what `…` stands for?"""
    lines = normalised(shown).splitlines()
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*?") + r"\n" for line in lines
    )
    return re.fullmatch(pattern, normalised(printed)) is not None


def starts_empty(page: Path) -> bool:
    if NO_LEDGER in page.read_text(encoding="utf-8"):
        return True
    return any(DEMO_RUN in block.text for block in BLOCKS[page] if block.language == "console")


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if any(b.language in ("console", "python") for b in BLOCKS[p])],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_page_tells_the_truth(
    page: Path, scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(scored / "examples", tmp_path / "examples")
    if not starts_empty(page):
        copy_ledger(scored, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    names: dict[str, Any] = {}
    for block in BLOCKS[page]:
        if block.not_run:
            continue
        if block.language == "console":
            run_console(block, tmp_path, scored)
        elif block.language == "python":
            run_python(block, names)
        elif named := re.match(r"# (\w[\w.-]*\.\w+)\n", block.text):
            (tmp_path / named[1]).write_text(block.text, encoding="utf-8")


def run_console(block: Block, folder: Path, scored: Path) -> None:
    exit_code = 0
    sequence = steps(block)
    for step, following in zip(sequence, [*sequence[1:], None], strict=True):
        if step.command == "echo $?":
            assert step.shown == f"{exit_code}\n", f"{block.place}: {step.command} gives {exit_code}"
            continue
        if step.command.startswith("make "):
            check_target(step, block)
            continue
        if step.command == DEMO_RUN and not (folder / "adjudge.db").exists():
            copy_ledger(scored, folder)
            printed = (scored / PRINTED).read_text(encoding="utf-8")
            assert step.shown is None or matches(step.shown, printed), f"{block.place} prints {printed}"
            continue
        exit_code = run_step(
            step, block, folder, must_succeed=following is None or following.command != "echo $?"
        )


def run_step(step: Step, block: Block, folder: Path, *, must_succeed: bool) -> int:
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_SEC,
    )
    told = f"{block.page.relative_to(ROOT)}:{step.line}: $ {step.command}\n{done.stdout}{done.stderr}"
    if must_succeed:
        assert done.returncode == 0, f"exit code {done.returncode} from {told}"
    if step.shown is not None:
        printed = (done.stdout, done.stderr, done.stdout + done.stderr)
        assert any(matches(step.shown, text) for text in printed), f"not what is shown: {told}"
    return done.returncode


def check_target(step: Step, block: Block) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"[a-z]+", step.command.partition("#")[0].removeprefix("make ")):
        assert f"\n{target}:" in makefile, f"{block.place}: there is no `make {target}`"


def run_python(block: Block, names: dict[str, Any]) -> None:
    if block.text.startswith(">>> "):
        session = doctest.DocTestParser().get_doctest(
            block.text, names, block.place, str(block.page), block.line
        )
        told: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=told.append, clear_globs=False)
        names |= session.globs
        assert not told, "".join(told)
        return
    code = compile("\n" * (block.line - 1) + block.text, str(block.page), "exec")
    if "adjudge_kit" in block.text:
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)  # noqa: S102 - the docs' own code
    expected = re.findall(r"^\s*print\(.*\)  # (.+)$", block.text, re.MULTILINE)
    if expected:
        shown = "".join(f"{line}\n" for line in expected)
        assert matches(shown, printed.getvalue()), f"{block.place} prints {printed.getvalue()}"


DATA = [b for found in BLOCKS.values() for b in found if b.language in ("json", "jsonl", "toml", "yaml")]


@pytest.mark.parametrize("block", DATA, ids=lambda block: block.place)
def test_data_in_the_docs_is_well_formed(block: Block) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "yaml":
        yaml.safe_load(block.text)
    else:
        for text in block.text.splitlines() if block.language == "jsonl" else [block.text]:
            json.loads(text)


NOT_RUN = [b for found in BLOCKS.values() for b in found if b.not_run]


@pytest.mark.parametrize("block", NOT_RUN, ids=lambda block: f"{block.place}: {block.not_run}")
def test_a_block_that_is_not_run_says_why(block: Block) -> None:
    assert str(block.not_run).startswith(REASONS)
    if block.language == "console":
        assert steps(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_to_type_stand_in_console_blocks(page: Path) -> None:
    """So that they are run; a reference's usage lines are `text`."""
    escaped = [
        block.place
        for block in BLOCKS[page]
        if block.language not in ("console", "text", "yaml") and re.match(r"(\$ |adjudge |make )", block.text)
    ]
    assert escaped == []
    runnable = [b for b in BLOCKS[page] if b.language == "text" and re.match(r"\$ ", b.text)]
    assert [b.place for b in runnable if not b.not_run] == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("reward 0.67\n", "reward 0.67\n", True),
        ("reward 0.67\n", "reward 0.68\n", False),
        ("a   36 ms\n", "a 107 ms\n", True),
        ("144 scored\n", "144 scored\nand more\n", False),
        ("144 scored\n…\n", "144 scored\nand more\nand more\n", True),
        ("144 scored\n…\n", "143 scored\nand more\n", False),
        ("…  0.5\n", "tde433ced026f  0.5\n", True),
        ("tde433ced026f  0.5\n", "t65792b700438  0.5\n", True),
        ("…\nlast\n", "first\nlast\n", True),
        ("…\nlast\n", "first\nlast\nafter\n", False),
    ],
)
def test_what_counts_as_the_same_output(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same
