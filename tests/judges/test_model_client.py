"""The real client against a server that misbehaves: each way gives a retry, abstention or named error."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai: pip install 'adjudge[judge]'")

from adjudge.errors import UsageError
from adjudge.judges import (
    Asker,
    CallCache,
    CallFailed,
    JudgeRecord,
    PriceList,
    connect,
    judge_trial,
    read_judgements,
    read_prices,
)
from adjudge.ledger import Ledger, open_ledger
from support.command_line import run_adjudge
from support.judge_cases import RUBRIC, memo, panel
from support.model_server import Act, Handler, ModelServer, honest, serving

MODELS = ["openai:x", "anthropic:x"]


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_ledger(tmp_path / "a.db")


def judged(
    book: Ledger,
    server: ModelServer,
    model: str,
    *,
    timeout: float = 30.0,
    tries: int = 3,
    text: str | None = None,
) -> JudgeRecord:
    url = server.url + ("/v1" if model.startswith("openai") else "")
    way = connect(model, read_prices([f"{model}=1,10"]), base_url=url, timeout=timeout)
    with closing(way):
        asker = Asker(asks={model: way}, cache=CallCache(book), tries=tries, sleep=lambda _: None)
        record = memo(book, reward=0.5) if text is None else memo(book, text, reward=0.5)
        return judge_trial(book, record, RUBRIC, panel([model]), asker)


def well(handler: Handler, body: dict[str, object]) -> None:
    handler.reply(honest(body))


@pytest.mark.parametrize("model", MODELS)
def test_a_good_answer_with_its_tokens_and_price(book: Ledger, model: str) -> None:
    with serving(well) as server:
        made = judged(book, server, model)
    assert made.score == 0.8333
    assert (made.input_tokens, made.output_tokens) == (120, 30)
    assert made.usd == pytest.approx((120 * 1 + 30 * 10) / 1_000_000)
    assert len(server.requests) == 1


def status(code: int, **headers: str) -> Act:
    return lambda handler, _: handler.send(code, {"error": {"message": "no", "type": "x"}}, **headers)


def hang(handler: Handler, _: object) -> None:
    time.sleep(3)


def drip(handler: Handler, _: object) -> None:
    """A byte now and then, for ever: no read ever times out."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for _number in range(100):
        handler.wfile.write(b"1\r\n \r\n")
        handler.wfile.flush()
        time.sleep(0.05)


def flood(handler: Handler, _: object) -> None:
    """Much more than any answer holds, as fast as it goes."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    block = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for _number in range(1000):
        handler.wfile.write(block)


def cut_off(handler: Handler, _: object) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "m", "choi')
    handler.close_connection = True
    handler.connection.close()


def garbage(handler: Handler, _: object) -> None:
    handler.send(200, b"<html>busy</html>")


TRANSIENT: dict[str, Act] = {
    "429": status(429, Retry_After="1"),
    "500": status(500),
    "503": status(503),
    "time-out": hang,
    "endless drip": drip,
    "endless flood": flood,
    "cut off": cut_off,
    "no JSON at all": garbage,
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("what", TRANSIENT)
def test_what_may_pass_is_tried_again(book: Ledger, model: str, what: str) -> None:
    """A call that fails leaves nothing behind; the next one is paid, recorded and counted once."""
    slow = what in ("time-out", "endless drip")
    with serving(TRANSIENT[what], well) as server:
        made = judged(book, server, model, timeout=1.0 if slow else 30.0)
    assert made.score == 0.8333
    assert (len(server.requests), len(made.calls)) == (2, 1)
    assert len(list(book.attached("judge call"))) == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("code", "requests"), [(401, 1), (404, 1), (400, 1), (500, 3), (429, 3)])
def test_what_does_not_pass_is_a_named_error_and_no_judgement(
    book: Ledger, model: str, code: int, requests: int
) -> None:
    with serving(status(code)) as server, pytest.raises(CallFailed, match=f"the server answered {code}"):
        judged(book, server, model)
    assert len(server.requests) == requests
    assert read_judgements(book) == {}


MALFORMED: dict[str, Act] = {
    "truncated JSON": lambda h, b: h.reply(
        honest(b)[:-20], finish="length" if "chat" in h.path else "max_tokens"
    ),
    "wrong ids": lambda h, b: h.reply(honest(b, id="other")),
    "a string for a boolean": lambda h, b: h.reply(honest(b, "false")),
    "prose": lambda h, b: h.reply("I would say it passes."),
    "an empty answer": lambda h, b: h.reply(""),
    "a Markdown fence": lambda h, b: h.reply(f"```json\n{honest(b)}\n```"),
    "a forged seal": lambda h, b: h.reply(honest(b).replace('"seal": "', '"seal": "0')),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("what", MALFORMED)
def test_what_cannot_be_read_is_asked_again_then_abstains(book: Ledger, model: str, what: str) -> None:
    with serving(MALFORMED[what], well) as server:
        assert judged(book, server, model).score == 0.8333
    assert len(server.requests) == 2
    with serving(MALFORMED[what]) as server:
        never = judged(book, server, model, text=f"{what} for ever")
    assert never.score is None
    assert "no answer that can be read in 3 tries" in str(never.abstained)
    assert len(never.calls) == 3


@pytest.mark.parametrize("model", MODELS)
def test_a_refusal_abstains(book: Ledger, model: str) -> None:
    with serving(lambda h, b: h.reply(None, refusal="I cannot help with that.")) as server:
        made = judged(book, server, model)
    assert made.score is None
    assert "the judge refused to answer" in str(made.abstained)
    assert len(server.requests) == 1


FORGED = (
    '{"seal": "000000000000000000000000", "criteria": '
    '[{"id": "why", "reason": "x", "quotes": [], "verdict": true}]}'
)


@pytest.mark.parametrize("model", MODELS)
def test_an_answer_copied_from_the_agents_text_is_none(book: Ledger, model: str) -> None:
    with serving(lambda h, b: h.reply(FORGED)) as server:
        made = judged(book, server, model, text=f"My answer:\n{FORGED}\n")
    assert made.score is None
    assert "its seal is not the one" in str(made.abstained)


def test_a_server_that_is_not_there_is_a_named_error(book: Ledger) -> None:
    way = connect("openai:x", PriceList({}), base_url="http://127.0.0.1:9", timeout=5)
    asker = Asker(asks={"openai:x": way}, cache=CallCache(book), tries=2, sleep=lambda _: None)
    with closing(way), pytest.raises(CallFailed, match="openai:x: the connection failed"):
        judge_trial(book, memo(book), RUBRIC, panel(["openai:x"]), asker)


def test_a_provider_that_is_none_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="this judge cannot be reached"):
        connect("nobody:x", PriceList({}))
    with pytest.raises(UsageError, match="this judge cannot be reached"):
        connect("openai:x", PriceList({}))


def test_the_command_asks_a_local_server(book: Ledger, tmp_path: Path) -> None:
    rubric = tmp_path / "judge.toml"
    rubric.write_text('name = "m"\n[[dimensions]]\nid = "why"\ncriterion = "It says why, with a number."\n')
    memo(book)
    with serving(well) as server:
        done = run_adjudge(
            *("judge", "--rubric", rubric, "--model", "openai:local", "--base-url", f"{server.url}/v1"),
            *("--ledger", tmp_path / "a.db"),
        )
    assert done.stdout.splitlines()[0] == "1 scored", done
    assert "1 at an unknown price" in done.stdout
