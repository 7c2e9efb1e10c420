"""Every reader of bytes that an agent, a verifier, a task's author or a reviewer wrote, as one function each.

A parser here takes any bytes and returns nothing. It calls the real reader through its face and asserts what
the reader promises: a result or a reason in words, never another exception, and nothing out of range. The
fuzzer searches for bytes that break that; `test_corpus.py` tries every input that was ever worth keeping.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from adjudge.contracts import Origin, OutputFormat, Task
from adjudge.errors import AdjudgeError, TaskError, UsageError, printable
from adjudge.integrations.harbor.ctrf import ctrf_breakdown
from adjudge.integrations.harbor.facts import read_facts
from adjudge.integrations.harbor.recipe import read_recipe
from adjudge.ledger import AnnotationFormat, AnnotationRow, read_annotations
from adjudge.runs import read_manifest
from adjudge.sandbox.files.tarball import unpack
from adjudge.scoring import breakdown_rows, diagnose_result, load_rubric, outcome_of, read_artifacts
from adjudge.tasks import check_schema, load_task, schema_problems
from adjudge_kit import Unreadable, read_answer
from support.output_reports import judge
from support.task_folders import write_task

Parser = Callable[[bytes], None]
PARSERS: dict[str, Parser] = {}
SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "number"}}}


def parser(function: Parser) -> Parser:
    PARSERS[function.__name__] = function
    return function


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder of one's own, in memory if this machine has such a place."""
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=place) as folder:
        yield Path(folder)


def _output(kind: OutputFormat) -> Parser:
    def check(data: bytes) -> None:
        for schema in (None, SCHEMA):
            report = judge(data, kind, schema=schema, origin=Origin.INFERRED)
            assert report.output_parseable or not report.schema_valid
            assert bool(report.errors) is not report.schema_valid
            assert all(error.isprintable() for error in report.errors)

    return check


for _kind in OutputFormat:
    if _kind is not OutputFormat.BINARY:
        PARSERS[f"output_{_kind.value.replace('+', '_')}"] = _output(_kind)


def _artifact(name: str, *, beside: bytes | None = None) -> Parser:
    def check(data: bytes) -> None:
        with scratch() as folder:
            (folder / name).write_bytes(data)
            if beside is not None:
                (folder / "reward.json").write_bytes(beside)
            result = read_artifacts(folder)
        assert 0 <= result.reward <= 1
        assert result.validity.verifier_completed or result.reward == 0
        assert type(result).model_validate_json(result.model_dump_json()) == result
        outcome_of(result)
        for row in breakdown_rows(result.breakdown):
            assert row.field
        diagnose_result(result)

    return check


PARSERS["reward_json"] = _artifact("reward.json")
PARSERS["reward_txt"] = _artifact("reward.txt")
PARSERS["details_json"] = _artifact("details.json", beside=b'{"reward": 0.5}')
PARSERS["errors_json"] = _artifact("errors.json", beside=b'{"reward": 0.5}')


def _task_file(name: str) -> Parser:
    def check(data: bytes) -> None:
        with scratch() as folder:
            write_task(folder / "t", files={name: data})
            try:
                task = load_task(folder / "t")
            except TaskError:
                return
        assert Task.model_validate_json(task.model_dump_json()) == task

    return check


PARSERS["task_toml"] = _task_file("task.toml")
PARSERS["instruction"] = _task_file("instruction.md")
PARSERS["output_schema"] = _task_file("tests/output.schema.json")


@parser
def json_schema(data: bytes) -> None:
    """The first line is a schema, the rest an instance of it or not."""
    first, _, rest = data.partition(b"\n")
    try:
        schema, instance = json.loads(first), json.loads(rest or b"null")
    except (ValueError, RecursionError):
        return
    if check_schema(schema) is None and isinstance(schema, dict):
        schema_problems(schema, instance)


def _rubric(ending: str) -> Parser:
    def check(data: bytes) -> None:
        with scratch() as folder:
            (folder / f"rubric.{ending}").write_bytes(data)
            with contextlib.suppress(AdjudgeError):
                load_rubric(folder / f"rubric.{ending}")

    return check


for _ending in ("toml", "yaml", "json"):
    PARSERS[f"rubric_{_ending}"] = _rubric(_ending)


@parser
def manifest(data: bytes) -> None:
    with scratch() as folder:
        (folder / "manifest.jsonl").write_bytes(data)
        for row in read_manifest(folder / "manifest.jsonl"):
            assert row


def _annotations(kind: AnnotationFormat) -> Parser:
    def check(data: bytes) -> None:
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="surrogateescape", newline="")
        with contextlib.suppress(UsageError):  # a first line that names no columns
            for row in read_annotations(text, kind):
                if isinstance(row, AnnotationRow):
                    assert row.annotation.timestamp.tzinfo is not None
                    row.annotation.model_dump_json()

    return check


for _form in AnnotationFormat:
    PARSERS[f"annotations_{_form.value}"] = _annotations(_form)


@parser
def harbor_result(data: bytes) -> None:
    with scratch() as folder:
        (folder / "result.json").write_bytes(data)
        read_facts(str(folder))


@parser
def harbor_ctrf(data: bytes) -> None:
    found = ctrf_breakdown(data)
    assert found is None or breakdown_rows(found) is not None


@parser
def harbor_dockerfile(data: bytes) -> None:
    with scratch() as folder:
        (folder / "Dockerfile").write_bytes(data)
        read_recipe(folder)


@parser
def artifacts_tar(data: bytes) -> None:
    """What a container sends back."""
    with contextlib.suppress(AdjudgeError):
        unpack(io.BytesIO(data), max_file_bytes=1 << 16, max_total_bytes=1 << 18, max_files=100)


def _kit(form: str) -> Parser:
    def check(data: bytes) -> None:
        with contextlib.suppress(Unreadable):
            read_answer(data, form)

    return check


for _form_name in ("json", "jsonl", "csv", "text"):
    PARSERS[f"kit_{_form_name}"] = _kit(_form_name)


@parser
def printed(data: bytes) -> None:
    """Whatever text it is, a terminal gets no control character."""
    assert printable(data.decode("utf-8", "surrogateescape")).isprintable()
