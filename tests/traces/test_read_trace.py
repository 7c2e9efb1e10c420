"""A trace in any of its formats gives the same turns; what is bad is named by its line and loses nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.traces import MAX_TURNS, BadTurn, Role, TraceFormat, Turn, format_of, read_trace_file, read_turns
from support.trace_files import ATIF, FILES, TRAJECTORY, lines


def turns(data: bytes) -> list[Turn]:
    found = list(read_turns(data))
    assert not [one for one in found if isinstance(one, BadTurn)]
    return [one for one in found if isinstance(one, Turn)]


def bad(data: bytes) -> list[BadTurn]:
    return [one for one in read_turns(data) if isinstance(one, BadTurn)]


def good(data: bytes) -> list[str]:
    return [one.text for one in read_turns(data) if isinstance(one, Turn)]


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_turns(name: str) -> None:
    user, acting, checking = turns(FILES[name])
    assert (user.role, user.text) == (Role.USER, "What is the voltage drop?")
    assert (acting.role, acting.text, acting.reasoning) == (
        Role.ASSISTANT,
        "I will compute it.",
        "Ohm's law.",
    )
    [call], [result] = acting.tool_calls, acting.results
    assert (call.name, result.text) == ("bash", "7.2 V")
    assert "python drop.py" in call.arguments
    assert (checking.index, checking.text) == (2, "Let me check: 7.2 V is right.")


def test_formats_are_told_by_content() -> None:
    assert [format_of(data) for data in FILES.values()] == [
        TraceFormat.ATIF,
        TraceFormat.TRAJECTORY,
        TraceFormat.CONVERSATION,
    ]
    assert format_of(json.dumps(ATIF).encode()) is TraceFormat.ATIF
    assert format_of(b"\xef\xbb\xbf" + FILES["conversation.jsonl"]) is TraceFormat.CONVERSATION
    assert [format_of(data) for data in (b"", b"[1]\n", b"hello", b'{"a": 1}\n')] == [None] * 4


@pytest.mark.parametrize("name", ["trajectory.jsonl", "conversation.jsonl"])
@pytest.mark.parametrize(
    "first", [b'{"role": "user", "content": "br', b'{"role": "user", "content": "\\ud800"}', b"[]"]
)
def test_a_bad_first_line_loses_only_itself(name: str, first: bytes) -> None:
    data = FILES[name]
    broken = first + data[data.index(b"\n") :] if name == "trajectory.jsonl" else first + b"\n" + data
    assert [one.line for one in bad(broken)] == [1]
    assert good(broken) == good(data)


def test_the_header_may_say_anything() -> None:
    header, rest = FILES["trajectory.jsonl"].split(b"\n", 1)
    assert b"format" in header
    assert turns(b'{"session": "s", "model": "m"}\n' + rest) == turns(FILES["trajectory.jsonl"])


def test_what_a_format_knows_more_is_kept() -> None:
    acting = turns(FILES["trajectory.json"])[1]
    assert (acting.input_tokens, acting.output_tokens, acting.line) == (100, 20, 15)
    assert acting.at is not None
    assert acting.at.year == 2026
    [result] = turns(FILES["trajectory.jsonl"])[1].results
    assert (result.exit_code, result.duration_ms) == (0, 12.5)


def test_an_agent_that_acts_again_without_a_word_begins_a_new_turn() -> None:
    call = {"step": 2, "role": "tool_call", "tool_name": "bash", "command": "ls"}
    found = turns(lines([*TRAJECTORY[:5], call]))
    assert [len(turn.tool_calls) for turn in found] == [0, 1, 1]
    same_step = turns(lines([*TRAJECTORY[:5], {**call, "step": 1}]))
    assert [len(turn.tool_calls) for turn in same_step] == [0, 2]


def test_anthropic_parts_are_calls_and_results() -> None:
    found = turns(
        lines(
            [
                {"role": "user", "content": "go"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "hm"},
                        {"type": "text", "text": "running"},
                        {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t1",
                            "content": [{"type": "text", "text": "a"}],
                        }
                    ],
                },
            ]
        )
    )
    assert len(found) == 2
    assert (found[1].text, found[1].reasoning, found[1].tool_calls[0].name) == ("running", "hm", "bash")
    assert (found[1].results[0].call_id, found[1].results[0].text) == ("t1", "a")


def test_a_result_that_nobody_asked_for_is_a_turn_of_its_own() -> None:
    [only] = turns(lines([{"role": "tool", "tool_call_id": "x", "content": "?"}]))
    assert (only.role, only.results[0].text) == (Role.TOOL, "?")


BROKEN_LINES: list[tuple[bytes, str]] = [
    (b'{"role": "assistant", "content": 7}', "content: not a text; found 7"),
    (b'{"role": "wizard", "content": "x"}', "role: no such role; found 'wizard'"),
    (b'{"role": "assistant", "tool_calls": [{"id": "x"}]}', "a call without a name"),
    (b'{"role": "assistant", "content": "cut', "truncated"),
    (b"[]", "not an object"),
    (b'{"role": "user", "role": "user"}', "stands twice"),
    (b'{"role": "user", "content": NaN}', "NaN is not a JSON value"),
    (b'\xff\xfe{"role": "user"}', "not UTF-8"),
    (b'{"role": "assistant", "tool_calls": {"id": "x"}}', "not a list of objects"),
    (b"[" * 100_000, "nested deeper"),
]


@pytest.mark.parametrize(("line", "why"), BROKEN_LINES, ids=[why for _, why in BROKEN_LINES])
def test_a_bad_line_is_named_and_the_others_are_read(line: bytes, why: str) -> None:
    whole = FILES["conversation.jsonl"].splitlines(keepends=True)
    data = b"".join([*whole[:1], line + b"\n", *whole[1:]])
    [found] = bad(data)
    assert found.line == 2
    assert why in found.why
    assert good(data) == good(FILES["conversation.jsonl"])


BROKEN_STEPS: list[tuple[Any, str]] = [
    ({"source": "wizard"}, "source: no such source; found 'wizard'"),
    ({"source": "agent", "message": 3}, "message: not a text; found 3"),
    ({"source": "agent", "message": "", "metrics": {"prompt_tokens": -1}}, "prompt_tokens"),
    ({"source": "agent", "message": "", "metrics": {"prompt_tokens": True}}, "prompt_tokens"),
    ({"source": "agent", "message": "", "timestamp": "noon"}, "timestamp: not a time"),
    ({"source": "agent", "message": "", "observation": [1]}, "observation: not an object"),
    ({"source": "agent", "message": "", "tool_calls": [{"arguments": {}}]}, "without function_name"),
    (7, "not an object; found 7"),
]


@pytest.mark.parametrize(("step", "why"), BROKEN_STEPS, ids=[why for _, why in BROKEN_STEPS])
def test_a_bad_step_is_named_and_the_others_are_read(step: Any, why: str) -> None:
    data = json.dumps({**ATIF, "steps": [*ATIF["steps"][:2], step, ATIF["steps"][2]]}, indent=1).encode()
    [found] = bad(data)
    assert why in found.why
    assert data.splitlines()[found.line - 1].strip() in (b"{", b"7,")
    assert len(good(data)) == 3


@pytest.mark.parametrize("cut", [200, 500, 900])
def test_a_document_that_breaks_off_keeps_what_came_before(cut: int) -> None:
    data = FILES["trajectory.json"][:cut]
    whole = good(FILES["trajectory.json"])
    [found] = bad(data)
    assert "not JSON from here on" in found.why
    assert found.line <= data.count(b"\n") + 1
    assert good(data) == whole[: len(good(data))]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"schema_version": "ATIF-v1.5"}', "this is no trace"),
        (b'{\n"schema_version": "ATIF-v1.5"}', "has no list 'steps'"),
        (b'{"steps": []} more', "more text after the document"),
        (b'{\n"steps": ' + b"[" * 100_000, "not JSON from here on: nested too deeply"),
        (b"", "this is no trace"),
        (b"\0\0\0", "this is no trace"),
    ],
)
def test_what_is_no_trace_says_so(data: bytes, why: str) -> None:
    assert why in bad(data)[0].why
    assert good(data) == []


def test_long_texts_are_cut_and_counted() -> None:
    [turn] = turns(lines([{"role": "assistant", "content": "a" * 250_000}]))
    assert turn.cut == 50_000
    assert len(turn.text) < 201_000
    assert "50,000 characters cut" in turn.text


def test_turns_past_the_limit_are_not_read() -> None:
    data = lines([{"role": "user", "content": "x"}] * (MAX_TURNS + 5))
    found = list(read_turns(data))
    assert len(found) == MAX_TURNS + 1
    assert isinstance(found[-1], BadTurn)
    assert found[-1].line == MAX_TURNS + 1


@pytest.mark.parametrize("form", ["atif", "chat"])
def test_ten_thousand_turns_in_fifty_megabytes_are_read_in_bounded_memory(form: str, tmp_path: Path) -> None:
    """The peak is measured in a process of its own, above what the same process needs for the bytes alone."""
    text = "x" * 4_900
    path = tmp_path / "trace"
    with path.open("w") as file:
        if form == "atif":
            file.write('{"schema_version": "ATIF-v1.6", "steps": [\n')
            step = json.dumps({"source": "agent", "message": text, "extra": {"n": list(range(30))}})
            file.write(",\n".join([step] * 10_000) + "\n]}\n")
        else:
            file.write(
                (json.dumps({"role": "assistant", "content": text, "n": list(range(30))}) + "\n") * 10_000
            )
    assert path.stat().st_size > 49_000_000
    code = (
        "from pathlib import Path\n"
        "from adjudge.traces import read_turns, read_trace_file\n"
        "status = Path('/proc/self/status')\n"  # getrusage begins with the parent's peak
        "peak = lambda: int(status.read_text().split('VmHWM:')[1].split()[0]) // 1024\n"
        f"data = read_trace_file(Path({str(path)!r})); before = peak()\n"
        "count = sum(1 for _ in read_turns(data)); print(count, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, more = map(int, done.stdout.split())
    assert count == 10_000
    assert more < 80, "one more copy of the text is the bound"


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="found 'link'"):
        read_trace_file(tmp_path / "link")
    with pytest.raises(UsageError, match="found 'directory'"):
        read_trace_file(tmp_path)
    with pytest.raises(UsageError, match="No such file"):
        read_trace_file(tmp_path / "none")
