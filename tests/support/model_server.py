"""A server on the loopback that speaks the OpenAI and the Anthropic protocol, and misbehaves as it is told.

It reads the seal and the ids off the prompt, as an honest model would, and then does what its script says.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """One request; `server.script` says what to do with the first, the second, and so on."""

    protocol_version = "HTTP/1.1"
    server: ModelServer
    body: dict[str, Any]

    def do_POST(self) -> None:
        body = self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = len(self.server.requests)
        self.server.requests.append(body)
        script = self.server.script
        with suppress(BrokenPipeError, ConnectionResetError):
            script[min(number, len(script) - 1)](self, body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def send(self, status: int, value: Any, **headers: str) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def reply(self, text: str | None, finish: str | None = None, refusal: str | None = None) -> None:
        """A message of the model, in the protocol and the form that were asked for."""
        if text is not None and self.body.get("tools"):
            self.call(text)
            return
        if self.path.endswith("/messages"):
            content = [] if text is None else [{"type": "text", "text": text}]
            self.send(
                200,
                {
                    "id": "m",
                    "type": "message",
                    "role": "assistant",
                    "model": "x",
                    "content": content,
                    "stop_reason": finish or ("refusal" if refusal else "end_turn"),
                    "stop_sequence": None,
                    "usage": {"input_tokens": 120, "output_tokens": 30},
                },
            )
            return
        message = {"role": "assistant", "content": text, "refusal": refusal}
        self.send(
            200,
            {
                "id": "m",
                "object": "chat.completion",
                "created": 1,
                "model": "x",
                "choices": [{"index": 0, "message": message, "finish_reason": finish or "stop"}],
                "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
            },
        )

    def call(self, *arguments: str) -> None:
        """A message that calls the tool of the request with these arguments, once for each."""
        if self.path.endswith("/messages"):
            name = self.body["tools"][0]["name"]
            parts = [
                {"type": "tool_use", "id": f"t{n}", "name": name, "input": _object(text)}
                for n, text in enumerate(arguments)
            ]
            kind = {"type": "message", "role": "assistant", "model": "x", "content": parts}
            tokens = {"input_tokens": 120, "output_tokens": 30}
            self.send(200, {"id": "m", **kind, "stop_reason": "tool_use", "usage": tokens})
            return
        name = self.body["tools"][0]["function"]["name"]
        calls = [
            {"id": f"t{n}", "type": "function", "function": {"name": name, "arguments": text}}
            for n, text in enumerate(arguments)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
        about = {"object": "chat.completion", "created": 1, "model": "x"}
        self.send(200, {"id": "m", **about, "choices": [choice], "usage": usage})


def _object(text: str) -> Any:
    """Arguments in Anthropic's protocol are an object; what is none is wrapped into one."""
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    return found if isinstance(found, dict) else {"text": found}


class ModelServer(ThreadingHTTPServer):
    """The server, its script, and what it was asked."""

    daemon_threads = True
    script: list[Act]
    requests: list[dict[str, Any]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(*script: Act) -> Iterator[ModelServer]:
    """A server that does these things, one per request, the last one for ever."""
    server = ModelServer(("127.0.0.1", 0), Handler)
    server.script, server.requests = list(script), []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def prompt_of(body: dict[str, Any]) -> str:
    """All the text that the model gets to read."""
    return json.dumps(body, ensure_ascii=False).replace('\\"', '"').replace("\\n", "\n")


def honest(body: dict[str, Any], verdict: Any = True, **changes: Any) -> str:
    """What a model that reads its prompt answers."""
    text = prompt_of(body)
    seal = re.search(r'\{"seal": "([0-9a-f]+)"', text)
    assert seal is not None
    ids = re.findall(r"^Criterion (\w+):", text, re.MULTILINE)
    ids = ids or re.findall(r"Criterion (\w+):", text)
    criteria = [{"id": i, "reason": "seen", "quotes": [], "verdict": verdict} | changes for i in ids]
    return json.dumps({"seal": seal[1], "criteria": criteria})
