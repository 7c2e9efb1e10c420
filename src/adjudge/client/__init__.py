"""A small client of the HTTP API, synchronous and asynchronous.

    with adjudge.client.Client("http://127.0.0.1:8600") as client:
        print(client.score("electrical/voltage-drop", text=answer).reward)

Answers are the models of the contracts. A refusal raises `ApiError` with the problem's parts. If the queue is
full (429), or the same request is under way (409), the client waits as it is told, up to `timeout` in all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.client.answers import ApiError, RewardAnswer
    from adjudge.client.asynchronous import AsyncClient
    from adjudge.client.synchronous import Client

__all__ = ["ApiError", "AsyncClient", "Client", "RewardAnswer"]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "answers": ("ApiError", "RewardAnswer"),
        "asynchronous": ("AsyncClient",),
        "synchronous": ("Client",),
    },
)
