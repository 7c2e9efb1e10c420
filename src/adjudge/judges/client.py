"""Ask a model over HTTP through pydantic-ai. Whatever a server does becomes a `Reply` or a `CallFailure`.

Each judge has a thread with an event loop of its own, because the clients underneath belong to one loop; many
threads may ask at once. A call has one deadline for everything, so that a server which sends a byte now and
then cannot hold it, and a response has a size that it must not exceed. Retries are ours alone (`asking.py`).
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    UserError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, infer_model
from pydantic_ai.settings import ModelSettings

from adjudge.errors import UsageError, show
from adjudge.judges.call import CallFailure, Reply, Request
from adjudge.judges.price import PriceList

MAX_RESPONSE_BYTES = 8 << 20
_WORTH_ANOTHER_TRY = (408, 409, 425, 429)
_SERVER_ERROR = 500


class ModelConnection:
    """A judge that is asked over HTTP; many threads may ask at once, until `close`.

    UsageError if there is no such provider, or a key is missing.
    """

    def __init__(self, model: str, prices: PriceList, *, base_url: str | None, timeout: float) -> None:
        self._model, self._prices, self._timeout = model, prices, timeout
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="adjudge-judge-loop", daemon=True)
        self._thread.start()
        self._http = httpx2.AsyncClient(transport=_Bounded(), timeout=timeout)
        try:
            self._client = self._run(_client(model, self._http, base_url))
        except BaseException:
            self.close()
            raise

    def __call__(self, request: Request) -> Reply | CallFailure:
        """Ask once."""
        started = time.monotonic()
        found = self._run(_call(self._client, request, self._timeout))
        if isinstance(found, CallFailure):
            return found
        price = self._prices.find(self._model)
        usage = found.usage
        return Reply(
            text="".join(part.content for part in found.parts if isinstance(part, TextPart)),
            refused=found.finish_reason == "content_filter" or "refusal" in (found.provider_details or {}),
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=round(time.monotonic() - started, 3),
            usd=_listed(found) if price is None else price.of(usage.input_tokens, usage.output_tokens),
        )

    def close(self) -> None:
        """Close every connection and end the thread."""
        self._run(self._http.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _client(model: str, http: httpx2.AsyncClient, base_url: str | None) -> Model[Any]:
    """The client of a provider; made inside the loop that it belongs to."""
    provider, _, name = model.partition(":")
    try:
        if provider == "openai":
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            key = os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
            made = AsyncOpenAI(base_url=base_url, api_key=key, http_client=http, max_retries=0)
            return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=made))
        if provider == "anthropic":
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            key = os.environ.get("ANTHROPIC_API_KEY") or ("none" if base_url else None)
            theirs = AsyncAnthropic(base_url=base_url, api_key=key, http_client=http, max_retries=0)
            return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=theirs))
        if base_url is not None:
            raise UsageError(
                "--base-url goes with openai: and anthropic: models", field="--model", found=model
            )
        return infer_model(model)
    except (UserError, ImportError, RuntimeError) as error:
        raise UsageError(
            f"this judge cannot be reached: {show(str(error))}", field="--model", found=model
        ) from None
    except Exception as error:
        # The libraries of two providers raise their own kinds for a missing key.
        if type(error).__module__.partition(".")[0] not in ("openai", "anthropic"):
            raise
        raise UsageError(
            f"this judge cannot be reached: {show(str(error))}", field="--model", found=model
        ) from None


async def _call(client: Model[Any], request: Request, timeout: float) -> ModelResponse | CallFailure:
    messages: list[ModelMessage] = [
        ModelRequest(parts=[SystemPromptPart(request.prompt.system), UserPromptPart(request.prompt.user)])
    ]
    settings = ModelSettings(max_tokens=request.max_tokens, timeout=timeout)
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    try:
        async with asyncio.timeout(timeout):
            return await model_request(client, messages, model_settings=settings)
    except TimeoutError:
        return CallFailure(f"no answer in {timeout:g} seconds", again=True)
    except ContentFilterError:
        return ModelResponse(parts=[], finish_reason="content_filter")
    except (AgentRunError, httpx2.HTTPError, ValueError) as error:
        return _failure(error)


def _failure(error: Exception) -> CallFailure:
    """What an error of the library means for the call."""
    if isinstance(error, ModelHTTPError):
        again = error.status_code in _WORTH_ANOTHER_TRY or error.status_code >= _SERVER_ERROR
        return CallFailure(f"the server answered {error.status_code}", again, error.retry_after)
    if isinstance(error, ModelConnectionError):
        return CallFailure(f"the connection failed: {show(str(error))}", again=True)
    if isinstance(error, ModelAPIError):
        return CallFailure(f"the call failed: {show(str(error))}", again=True, after=error.retry_after)
    return CallFailure(f"the server's answer is none: {show(str(error))}", again=True)


def _listed(found: ModelResponse) -> float | None:
    """The price by the list that pydantic-ai brings along; None if the model is not on it."""
    try:
        return float(found.cost().total_price)
    except (LookupError, AssertionError, ValueError):
        return None


class _Bounded(httpx2.AsyncHTTPTransport):
    """Reads no more of a response than it may hold."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        response.stream = _BoundedStream(response.stream)
        return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > MAX_RESPONSE_BYTES:
                raise httpx2.ReadError(f"the response is larger than {MAX_RESPONSE_BYTES >> 20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
