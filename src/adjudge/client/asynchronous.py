"""The asynchronous client: the same questions, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Self

from adjudge.client.answers import (
    RewardAnswer,
    check,
    headers_for,
    import_httpx,
    output_body,
    query_of,
    record_of,
    reward_answer,
    wait_of,
)
from adjudge.contracts import Judgment, TrialRecord


class AsyncClient:
    """Asks one server; close it, or use it in an `async with` block."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 700.0) -> None:
        httpx = import_httpx()
        self._patience = timeout
        self._http = httpx.AsyncClient(
            base_url=f"{address.rstrip('/')}/api/v1", headers=headers_for(token), timeout=timeout
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def health(self) -> dict[str, Any]:
        """Is the server alive?"""
        found: dict[str, Any] = await self._json("GET", "/health")
        return found

    async def trials(self, **wanted: Any) -> AsyncIterator[TrialRecord]:
        """Every trial that matches the fields of `TrialFilter`, page by page."""
        after: str | None = None
        while True:
            more = [("after", after)] if after is not None else []
            page = await self._json("GET", "/trials", params=[*query_of(wanted), *more])
            for value in page["trials"]:
                yield record_of(value)
            if (after := page["next"]) is None:
                return

    async def trial(self, trial_id: str) -> TrialRecord:
        """One trial with its current evaluation."""
        return record_of(await self._json("GET", f"/trials/{trial_id}"))

    async def annotate(
        self,
        trial_id: str,
        judgment: Judgment | str,
        *,
        categories: Sequence[str] = (),
        notes: str | None = None,
    ) -> None:
        """Say what you think of a trial; who you are comes from the token."""
        body = {"judgment": str(judgment), "categories": list(categories), "notes": notes}
        await self._json("POST", f"/trials/{trial_id}/annotations", json=body)

    async def report(self, *, group_by: str = "agent", **wanted: Any) -> dict[str, Any]:
        """What the matching trials say, as `adjudge report --json` prints it."""
        found: dict[str, Any] = await self._json(
            "GET", "/report", params=[*query_of(wanted), ("group_by", group_by)]
        )
        return found

    async def compare(self, *sides: str, **wanted: Any) -> dict[str, Any]:
        """Agents on the tasks they share, as `adjudge compare --json` prints it."""
        pairs = [*query_of(wanted), *(("side", side) for side in sides)]
        found: dict[str, Any] = await self._json("GET", "/compare", params=pairs)
        return found

    async def score(
        self,
        task: str,
        *,
        text: str | None = None,
        files: Mapping[str, bytes] | None = None,
        key: str | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> RewardAnswer:
        """Score one output. With a `key`, the same call again gets the same answer.

        `record` says whose it is (experiment, agent, and perhaps model and attempt); then it is recorded as a
        trial.
        """
        headers = {} if key is None else {"idempotency-key": key}
        body = output_body(task, text, files, record)
        return reward_answer(await self._json("POST", "/score", json=body, headers=headers))

    async def score_texts(self, outputs: Sequence[tuple[str, str]]) -> list[RewardAnswer]:
        """Score a batch of (task, text), at most 64 at once."""
        body = {"outputs": [output_body(task, text, None) for task, text in outputs]}
        return [reward_answer(found) for found in (await self._json("POST", "/score", json=body))["results"]]

    async def _json(self, method: str, path: str, **more: Any) -> Any:
        waited = 0.0
        while True:
            answer = await self._http.request(method, path, **more)
            wait = wait_of(answer.headers, waited, self._patience)
            if wait is None:
                check(answer.status_code, answer.content)
                return answer.json()
            waited += wait
            await asyncio.sleep(wait)
