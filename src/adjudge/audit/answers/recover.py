"""Put a right answer together from what the verifier itself knows, for tasks that come without one.

Reference values stand in the verifier's modules (`imported` asks them, inside the sandbox), in its source
beside the names of their fields, in its data files, and in the details it writes. Whole references are tried
first; then comes a bounded climb: one field at a time, a change is kept if the reward rises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from adjudge.audit.answers.climb import EPS, OWN, Climb
from adjudge.audit.answers.compared import Compared, compared
from adjudge.audit.answers.constants import constants_beside
from adjudge.audit.answers.embedded import words_looked_for, wordy_rows
from adjudge.audit.answers.forms import fits, forms
from adjudge.audit.answers.grepped import lines_looked_for
from adjudge.audit.answers.guessed import (
    filled,
    guessed_objects,
    guessed_rows,
    header_shown,
    names_told,
    numbered,
)
from adjudge.audit.answers.imported import by_name, fitting, fitting_rows, references
from adjudge.audit.answers.in_place import edited
from adjudge.audit.answers.literals import labelled_lines, literals, plain_texts, tables
from adjudge.audit.answers.nested import fitting_parts, keyed, paired, ranked, with_units
from adjudge.audit.answers.rows import Columns, Reference, columns_shown, columns_told, rows_of
from adjudge.audit.answers.settled import settle
from adjudge.audit.answers.traced import traced
from adjudge.audit.answers.written import in_sections, laid_out, report, written_lines
from adjudge.audit.documents import leaves, named_columns, options_shown, replaced, shape
from adjudge.audit.probes import Bench, Probe, Seen
from adjudge.contracts import OutputFormat, Task
from adjudge.scoring import comparisons, files_of_image

_FORMATS = frozenset(
    {
        OutputFormat.JSON,
        OutputFormat.MARKDOWN,
        OutputFormat.MARKDOWN_JSON,
        OutputFormat.YAML,
        OutputFormat.TEXT,
        OutputFormat.TOML,
        OutputFormat.XML,
        OutputFormat.CSV,
        OutputFormat.JSONL,
    }
)
_TEXTS = frozenset({OutputFormat.TEXT, OutputFormat.XML, OutputFormat.BINARY})
_LINES = frozenset(
    {"", ".tsv", ".tab", ".conf", ".cfg", ".ini", ".env", ".properties", ".lst", ".list", ".dat"}
)
_MAX_EACH = 8
_FEW = 3
_NUMBER = re.compile(
    r"(?:expected|reference|ref|should be|correct|target)[^\d\n+-]{0,20}"
    r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)",
    re.IGNORECASE,
)


def recover(bench: Bench, at_least: float) -> tuple[bytes, Seen, Probe, str] | None:
    """An answer that earns more than `at_least`, at best full marks, and where it came from; or None."""
    task = bench.task
    start = shape(task.output.json_schema)
    if task.output.format not in _FORMATS and not _is_lines(task):
        return None
    tests = task.folder / "tests"
    found = [*references(bench), *literals(tests), *traced(bench)]
    found += [*keyed(found), *paired(found), *ranked(found), *with_units(found)]
    climb = Climb(bench, start)
    _climb_in_place(climb, found)
    if isinstance(start, list) or task.output.format in (OutputFormat.CSV, OutputFormat.JSONL):
        row = start[0] if isinstance(start, list) and start and isinstance(start[0], dict) else start
        keys = set(row) if isinstance(row, dict) else set()
        for source, rows in [*fitting_rows(found, keys), *tables(found, tests)[:6]]:
            climb.try_value(rows, source=source)
        _climb_rows(climb, start, found)
        for source, text in written_lines(found, task.instruction, task.output.format):
            if climb.best < 1.0 - EPS and task.output.format is OutputFormat.CSV:
                climb.try_value(text, source=source)
        _climb_words(climb, row if isinstance(row, dict) else {}, found)
        _climb_compared(climb, row, found)
        _climb_forms(climb, found)
        _climb_lines(climb)
        if task.output.format is OutputFormat.CSV:
            _climb_columns(climb)
        return climb.best_answer(at_least)
    if not isinstance(start, dict) or not start:
        _climb_whole(climb, found)
        if task.output.format not in _TEXTS:
            _climb_compared(climb, None, found)
        if task.output.format is not OutputFormat.JSON:
            _climb_forms(climb, found)
        if task.output.format is OutputFormat.MARKDOWN:
            _climb_tables(climb, found)
        _climb_lines(climb)
        return climb.best_answer(at_least)
    _climb_fields(climb, start, found)
    return climb.best_answer(at_least)


def _climb_in_place(climb: Climb, found: list[Reference]) -> None:
    """The file that the task gives at the answer's place, with the settings that a verifier holds."""
    task = climb.bench.task
    given = files_of_image(task).get(task.verifier.expected_output_path)
    text = (given.data or b"").decode("utf-8", "replace") if given is not None else ""
    if text and (task.output.format in _TEXTS or _is_lines(task)):
        for source, data in edited(text, found):
            if climb.best < 1.0 - EPS:
                climb.try_value(data, source=source)


def _climb_rows(climb: Climb, start: Any, found: list[Reference]) -> None:
    """References in the columns that the instruction shows, as a table, as a list, or below a name."""
    task = climb.bench.task
    if task.output.format is OutputFormat.CSV:
        for columns in columns_shown(task.instruction, task.verifier.expected_output_path):
            for source, rows in rows_of(found, columns):
                if climb.best < 1.0 - EPS:
                    climb.try_value(columns.text(rows), source=source)
        return
    for key, kinds in _record_shapes(start):
        for source, rows in rows_of(found, Columns(kinds)):
            if climb.best < 1.0 - EPS:
                whole = {**climb.value, key: rows} if key and isinstance(climb.value, dict) else rows
                climb.try_value(whole, source=source)


def _record_shapes(start: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, record) of each list of records in a shape; the name is empty for the shape itself, which may be
    the one record that an instruction shows of a list."""
    if isinstance(start, list):
        yield from (("", row) for row in start[:1] if isinstance(row, dict))
    elif isinstance(start, dict):
        inside = [(key, row[0]) for key, row in start.items() if isinstance(row, list) and row]
        yield from ((key, row) for key, row in inside if isinstance(row, dict))
        if start and not any(isinstance(cell, dict | list) for cell in start.values()):
            yield "", start


def _is_lines(task: Task) -> bool:
    """Is the output of a format that adjudge does not know, and a text by its name?"""
    ending = PurePosixPath(task.verifier.expected_output_path).suffix.lower()
    return task.output.format is OutputFormat.BINARY and ending in _LINES


def _climb_compared(climb: Climb, start: Any, found: list[tuple[str, str, Any]]) -> None:
    """What the verifier was seen to compare an answer with, in each shape that the answer may have."""
    task = climb.bench.task
    columns = header_shown(task.instruction) or (list(start) if isinstance(start, dict) else [])
    shapes: list[tuple[str, Any]] = []
    if task.output.format not in (OutputFormat.CSV, OutputFormat.JSONL):
        shapes += guessed_objects(task.instruction, start, found)
    if not start and task.output.format in (OutputFormat.JSON, OutputFormat.YAML, OutputFormat.TOML):
        shapes.append(("what tests/ looks up in an answer", {}))
    if start:  # last of these: where only what is there counts, a part of the answer would do
        shapes.append(("what tests/ compares an answer with", start))
    if columns and task.output.format in (OutputFormat.CSV, OutputFormat.JSONL, OutputFormat.JSON):
        shapes += guessed_rows(task.instruction, columns, found)
    keep_sec = climb.keep_sec
    for number, (source, value) in enumerate(shapes[:_MAX_EACH]):
        if climb.best < 1.0 - EPS and climb.bench.budget.until_the_end() >= keep_sec:
            made = compared(climb.bench, value, f"compared-{number}", keep_sec)
            if made is None:
                climb.try_value(filled(value), source=source)
            else:
                _try_filled(climb, made, source)
                _try_beside(climb, made, source)


def _try_beside(climb: Climb, made: Compared, source: str) -> None:
    """What was compared in the fields beside a list or an object that is known better."""
    if climb.best < 1.0 - EPS and isinstance(made.value, dict) and isinstance(climb.value, dict):
        plain = {
            k: v for k, v in made.value.items() if not isinstance(v, dict | list) and (k,) not in made.unknown
        }
        if plain and any(climb.value.get(key) != value for key, value in plain.items()):
            climb.try_value({**climb.value, **plain}, source=source)


def _try_filled(climb: Climb, made: Compared, source: str, write: Callable[[Any], str] | None = None) -> None:
    """What was compared, with something plain in each place that was not: there any text or number may do."""
    fillers: list[Any] = [None, 1.0, 1] if made.unknown else [None]
    fillers += [True, False] if 0 < len(made.unknown) <= _FEW else []
    for filler in fillers:
        if climb.best < 1.0 - EPS:
            value = filled(
                replaced(made.value, [(path, filler) for path in made.unknown if filler is not None])
            )
            climb.try_value(value if write is None else write(value).encode(), source=source)
    settle(climb, made, source, write)


def _climb_columns(climb: Climb) -> None:
    """What is compared with rows of the columns that are shown, as many as are asked for."""
    task = climb.bench.task
    for number, columns in enumerate(columns_shown(task.instruction, task.verifier.expected_output_path)):
        if climb.best < 1.0 - EPS and climb.bench.budget.until_the_end() >= climb.keep_sec:
            plain = Columns(columns.kinds, columns.mark)
            start = [dict.fromkeys(columns.kinds)]
            made = compared(climb.bench, start, f"columns-{number}", climb.keep_sec, plain.written)
            if made is not None:
                _try_filled(climb, made, "the columns that the task shows", plain.written)


def _climb_tables(climb: Climb, found: list[tuple[str, str, Any]]) -> None:
    """References in a table of Markdown whose columns are told, then what is compared with its rows."""
    bench = climb.bench
    told = bench.task.instruction
    for number, columns in enumerate(columns_told(told) if re.search(r"\btable\b", told, re.I) else []):
        plain = Columns(columns.kinds)
        for source, rows in rows_of(found, columns):
            if climb.best < 1.0 - EPS:
                climb.try_value(columns.table(rows).encode(), source=source)
        first = next(iter(columns.kinds))
        for source, names in list(names_told(told, found))[:_FEW]:
            if climb.best >= 1.0 - EPS or bench.budget.until_the_end() < climb.keep_sec:
                return
            start = [{**dict.fromkeys(columns.kinds), first: name} for name in names]
            made = compared(bench, start, f"table-{number}", climb.keep_sec, plain.table)
            if made is not None:
                _try_filled(climb, made, source, plain.table)


def _climb_forms(climb: Climb, found: list[tuple[str, str, Any]]) -> None:
    """References in the layouts that the instruction shows, then what is compared with an answer in them."""
    bench = climb.bench
    shown = bench.task.instruction
    for source, text in [*laid_out(found, shown), *in_sections(found, shown)]:
        if climb.best < 1.0 - EPS:
            climb.try_value(text.encode(), source=source)
    keep_sec = climb.keep_sec
    for number, form in enumerate(forms(bench.task.instruction, found)):
        for source, value in fitting(found, form.shape):
            if climb.best < 1.0 - EPS and fits(value, form.shape):
                climb.try_value(form.write(value).encode(), source=source)
        if climb.best < 1.0 - EPS and bench.budget.until_the_end() >= keep_sec:
            made = compared(bench, form.shape, f"form-{number}", keep_sec, form.write)
            if made is not None:
                _try_filled(climb, made, form.source, form.write)


def _climb_lines(climb: Climb) -> None:
    """The lines that a shell script was seen to look for, if the answer is made of lines."""
    lined = (OutputFormat.CSV, OutputFormat.TEXT, OutputFormat.MARKDOWN)
    if climb.best < 1.0 - EPS and climb.bench.task.output.format in lined:
        lines = lines_looked_for(climb.bench)
        if lines:
            climb.try_value("\n".join(lines), source="the lines that tests/ looks for")


def _climb_words(climb: Climb, row: dict[str, Any], found: list[tuple[str, str, Any]]) -> None:
    """Rows that say all that a verifier looks for, if rows of its references did not do."""
    columns = row or named_columns(climb.bench.task.instruction)
    if climb.best >= 1.0 - EPS or not columns:
        return
    for source, records in fitting_rows(found, set()):
        if climb.best < 1.0 - EPS:
            climb.try_value(wordy_rows(records, columns), source=source)
    words = words_looked_for(climb.bench.task.folder / "tests")
    if words and climb.best < 1.0 - EPS:
        climb.try_value(wordy_rows([{"": words}], columns), source="the words that tests/ looks for")


def _climb_whole(climb: Climb, found: list[tuple[str, str, Any]]) -> None:
    """Where no shape is known: each reference as it stands, until one earns full marks."""
    task = climb.bench.task
    if task.output.format in (OutputFormat.TEXT, OutputFormat.MARKDOWN, OutputFormat.BINARY):
        wanted: list[tuple[str, Any]] = [(w, text.encode()) for w, text in laid_out(found, task.instruction)]
        wanted += [*labelled_lines(found, task.instruction), *plain_texts(found, task.folder / "tests")]
        wanted += written_lines(found, task.instruction, task.output.format)
    else:
        wanted = [(f"{n} of tests/{w}", v) for w, n, v in found if isinstance(v, dict | list) and v][:12]
    for source, value in wanted:
        if climb.best < 1.0 - EPS:
            climb.try_value(value, source=source)


def _climb_fields(climb: Climb, start: dict[str, Any], found: list[tuple[str, str, Any]]) -> None:
    """Whole references first, then one field at a time."""
    task = climb.bench.task
    names = {*_names(start), *start}
    known = by_name(found, names)
    for field, values in constants_beside(task.folder / "tests", names).items():
        known.setdefault(field, []).extend(values)
    for field, options in options_shown(task.instruction).items():
        known.setdefault(field, []).extend(option.strip() for option in re.split(r"\||/| or ", options))
    unnumbered, start = start, numbered(start)
    climb.try_value(start)
    for source, value in fitting(found, start):
        if climb.best < 1.0 - EPS:
            shaped = {key: _unwrapped(child, start[key]) for key, child in value.items()}
            climb.try_value({**start, **shaped}, or_equal=True, source=source)
    _climb_parts(climb, list(fitting_parts(found, start)))
    _climb_rows(climb, unnumbered, found)
    _climb_compared(climb, unnumbered, found)
    for field, value in _from_details(climb.best_seen).items():
        known.setdefault(field, []).insert(0, value)
    first = replaced(climb.value, [(path, values[0]) for path, values in climb.places(known)])
    climb.try_value(first, or_equal=climb.source == OWN)
    for path, values in list(climb.places(known)):
        for value in values[:_MAX_EACH]:
            if climb.best >= 1.0 - EPS:
                break
            climb.try_value(replaced(climb.value, [(path, value)]))
    for key, values in known.items():  # lists and objects as a whole
        for value in values[:_MAX_EACH]:
            whole = isinstance(value, list | dict) and isinstance(climb.value, dict)
            if key in start and whole and climb.best < 1.0 - EPS:
                climb.try_value({**climb.value, key: value})
    _climb_report(climb)


def _climb_report(climb: Climb) -> None:
    """The best so far with a report before it, if an answer is one."""
    task = climb.bench.task
    reported = (OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON)
    if EPS < climb.best < 1.0 - EPS and task.output.format in reported and isinstance(climb.value, dict):
        climb.try_value(report(climb.value, task.instruction), source=climb.source)


def _climb_parts(climb: Climb, parts: list[tuple[str, str, Any]]) -> None:
    """The best fit of every part at once, as all of them may be needed; then one part at a time."""
    if climb.best >= 1.0 - EPS or not parts:
        return
    best = {key: part for key, _, part in reversed(parts)}
    climb.try_value({**climb.value, **best}, source=parts[0][1])
    for key, source, part in parts if len(parts) > 1 else []:
        if climb.best < 1.0 - EPS:
            climb.try_value({**climb.value, key: part}, source=source)


def _unwrapped(value: Any, like: Any) -> Any:
    """(12.5, 0.02) and {"value": 12.5, "tol": 0.02} are references with a tolerance beside them."""
    if isinstance(like, dict | list):
        return value
    if isinstance(value, dict):
        return next((value[k] for k in ("value", "expected", "ref", "target", "answer") if k in value), value)
    return value[0] if isinstance(value, list) and value else value


def _names(value: Any) -> Iterator[str]:
    for leaf in leaves(value):
        if leaf.path:
            yield str(leaf.path[-1])


def _from_details(seen: Seen | None) -> dict[str, Any]:
    """Expected values that the breakdown names, by field."""
    if seen is None or not seen.breakdown:
        return {}
    found = {
        entry.field.rpartition(".")[2]: entry.expected
        for entry in comparisons(seen.breakdown)
        if isinstance(entry.expected, int | float | str)
    }
    for name, entry in seen.breakdown.items():
        match = _NUMBER.search(json.dumps(entry)[:2000])
        if match and name not in found:
            found[name] = float(match[1])
    return found
