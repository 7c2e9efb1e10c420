"""Native structured output, a tool call, or words alone: whichever form, the answer is read as strictly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai: pip install 'adjudge[judge]'")

from adjudge.errors import UsageError
from adjudge.judges import (
    AnswerForm,
    Asker,
    CallCache,
    CallFailed,
    JudgeRecord,
    JudgeRubric,
    connect,
    judge_trial,
    make_prompt,
    read_prices,
)
from adjudge.judges.calls.form import answer_schema
from adjudge.ledger import Ledger, open_ledger
from support.judge_cases import DEPTH, NUMBER, WHY, memo, panel
from support.model_server import Handler, ModelServer, honest, serving

OPENAI, OLD_CLAUDE, NEW_CLAUDE = "openai:x", "anthropic:x", "anthropic:claude-opus-4-8"
RUBRIC = JudgeRubric(name="memo", dimensions=[WHY, NUMBER])
CASES = [
    (OPENAI, AnswerForm.NATIVE),
    (OPENAI, AnswerForm.TOOL),
    (OPENAI, AnswerForm.PROMPTED),
    (NEW_CLAUDE, AnswerForm.NATIVE),
    (OLD_CLAUDE, AnswerForm.TOOL),
    (OLD_CLAUDE, AnswerForm.PROMPTED),
]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "a.db") as opened:
        yield opened


def judged(book: Ledger, server: ModelServer, model: str, form: AnswerForm, text: str = "x") -> JudgeRecord:
    url = server.url + ("/v1" if model.startswith("openai") else "")
    way = connect(model, read_prices([f"{model}=1,10"]), base_url=url, timeout=30.0, form=form)
    with closing(way):
        asker = Asker(asks={model: way}, cache=CallCache(book), tries=2, sleep=lambda _: None)
        record = memo(book, text, reward=0.5)
        return judge_trial(book, record, RUBRIC, panel([model], form=form), asker)


def form_of(body: dict[str, Any]) -> str:
    """What the request itself says about the form."""
    if body.get("tools"):
        return "tool"
    asked = body.get("response_format") or (body.get("output_config") or {}).get("format") or {}
    return "native" if asked.get("type") == "json_schema" else "prompted"


@pytest.mark.parametrize(("model", "form"), CASES)
def test_each_form_is_sent_and_its_answer_is_read(book: Ledger, model: str, form: AnswerForm) -> None:
    with serving(lambda h, b: h.reply(honest(b))) as server:
        made = judged(book, server, model, form)
    assert made.score == 0.8333
    assert [form_of(body) for body in server.requests] == [form.value]
    [call] = book.attached("judge call")
    assert call.document["form"] == form.value


@pytest.mark.parametrize(("model", "form"), CASES)
def test_a_string_for_a_boolean_is_no_verdict_in_any_form(book: Ledger, model: str, form: AnswerForm) -> None:
    with serving(lambda h, b: h.reply(honest(b, "false"))) as server:
        made = judged(book, server, model, form)
    assert made.score is None
    assert "'false' is not true or false" in str(made.abstained)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("model", "form"), [(OPENAI, "native"), (OLD_CLAUDE, "tool"), (NEW_CLAUDE, "native")]
)
def test_the_profile_of_the_model_chooses(book: Ledger, model: str, form: str) -> None:
    with serving(lambda h, b: h.reply(honest(b))) as server:
        assert judged(book, server, model, AnswerForm.AUTO).score == 0.8333
    assert [form_of(body) for body in server.requests] == [form]


def picky(allowed: str) -> Any:
    """A server that knows only some forms, and says so as they do."""

    def act(handler: Handler, body: dict[str, Any]) -> None:
        if form_of(body) != allowed:
            why = {"native": "json_schema is not supported", "tool": "tools are not supported"}
            handler.send(400, {"error": {"message": why[form_of(body)], "type": "invalid_request_error"}})
        else:
            handler.reply(honest(body))

    return act


@pytest.mark.parametrize(
    ("model", "allowed", "asked"),
    [
        (OPENAI, "tool", ["native", "tool"]),
        (OPENAI, "prompted", ["native", "tool", "prompted"]),
        (OLD_CLAUDE, "prompted", ["tool", "prompted"]),
    ],
)
def test_a_server_that_refuses_a_form_is_asked_in_the_next(
    book: Ledger, model: str, allowed: str, asked: list[str]
) -> None:
    url_tail = "/v1" if model == OPENAI else ""
    with serving(picky(allowed)) as server:
        way = connect(model, read_prices([]), base_url=server.url + url_tail)
        with closing(way):
            asker = Asker(asks={model: way}, cache=CallCache(book), tries=1)
            for number in range(2):
                record = memo(book, f"text {number}", number, reward=0.5)
                assert judge_trial(book, record, RUBRIC, panel([model]), asker).score == 0.8333
    assert [form_of(body) for body in server.requests] == [*asked, allowed]


def test_a_form_that_was_asked_for_is_not_exchanged_for_another(book: Ledger) -> None:
    with serving(picky("prompted")) as server, pytest.raises(CallFailed, match="the server answered 400"):
        judged(book, server, OPENAI, AnswerForm.NATIVE)
    assert len(server.requests) == 1
    with serving(picky("tool")) as server, pytest.raises(UsageError, match="does not answer in this form"):
        judged(book, server, OLD_CLAUDE, AnswerForm.NATIVE)


@pytest.mark.parametrize("model", [OPENAI, OLD_CLAUDE])
def test_two_calls_of_the_tool_are_no_answer(book: Ledger, model: str) -> None:
    """Otherwise a judge could say no and yes, and somebody would have to pick."""
    with serving(lambda h, b: h.call(honest(b, False), honest(b, True))) as server:
        made = judged(book, server, model, AnswerForm.TOOL)
    assert made.score is None
    assert "no plain JSON object" in str(made.abstained)


def test_the_schema_asks_for_the_reason_before_the_verdict_and_allows_no_other_type() -> None:
    prompt = make_prompt([WHY, DEPTH], [], model="m", sample=0)
    items = answer_schema(prompt)["properties"]["criteria"]["items"]["anyOf"]
    assert [list(one["properties"]) for one in items] == [["id", "reason", "quotes", "verdict"]] * 2
    assert [one["properties"]["verdict"]["anyOf"][0] for one in items] == [
        {"type": "boolean"},
        {"type": "string", "enum": ["absent", "partial", "full"]},
    ]
    assert all(one["additionalProperties"] is False for one in items)
