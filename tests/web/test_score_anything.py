"""Whatever is sent to the reward service for a task that exists is scored or refused in words."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adjudge.ledger import open_ledger
from support import web_site
from support.task_folders import write_task

DOCUMENTED = {200, 400, 422}
WORDS = st.text(st.characters(exclude_categories=()), max_size=300)
"""Halves of surrogate pairs, too: JSON can say them."""
PATHS = st.lists(st.sampled_from(["", ".", "..", "a", "b", "é" * 120, "answer.json"]), max_size=4).map(
    "/".join
)
CODED = WORDS | st.binary(max_size=50).map(lambda data: base64.b64encode(data).decode())
OWNERS = st.fixed_dictionaries(
    {"experiment": WORDS, "agent": WORDS}, optional={"model": WORDS, "attempt": st.integers() | st.floats()}
)
OUTPUTS = st.fixed_dictionaries(
    {"task": st.just("one")},
    optional={
        "text": WORDS,
        "files": st.dictionaries(PATHS | WORDS, WORDS, max_size=4),
        "files_base64": st.dictionaries(PATHS, CODED, max_size=4),
        "record": OWNERS,
    },
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    home: Path = tmp_path_factory.mktemp("anything")
    write_task(home / "tasks" / "one")
    with (
        open_ledger(home / "l.db") as ledger,
        web_site.serving(ledger, web_site.settings(tasks=home / "tasks")) as address,
        httpx.Client(base_url=address, timeout=120, trust_env=False) as client,
    ):
        yield client


@given(OUTPUTS)
@example({"task": "one", "files_base64": {"a": "\u00e9"}})
@example({"task": "one", "files": {"a/b": "x", "./a": "y"}})
@example({"task": "one", "files": {"\u00e9" * 150: "x"}})
@settings(max_examples=150)
def test_anything_is_scored_or_refused_in_words(client: httpx.Client, body: dict[str, Any]) -> None:
    sent = {"content-type": "application/json"}
    answer = client.post("/api/v1/score", content=json.dumps(body), headers=sent)
    assert answer.status_code in DOCUMENTED, answer.text
    assert answer.status_code != 200 or answer.json()["status"] == "scored", answer.text
    assert answer.status_code == 200 or answer.json()["error"]["what"]
