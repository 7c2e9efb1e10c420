"""Ask a model over HTTP through pydantic-ai. Whatever a server does becomes a `Reply` or a `CallFailure`.

Each judge has a thread with an event loop of its own, because the clients underneath belong to one loop; many
threads may ask at once. A call has one deadline for everything, so that a server which sends a byte now and
then cannot hold it, and a response has a size that it must not exceed. Retries are ours alone (`asking.py`).

A model is held to the form of its answer by the first way that its profile knows (`form.py`). A server that
refuses that way is asked in the next one, and from then on in the one that it took.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from msgspec import Struct
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
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from adjudge.errors import UsageError, show
from adjudge.judges.calls.call import CallFailure, Reply, Request
from adjudge.judges.calls.form import FORM_NAME, AnswerForm, answer_schema
from adjudge.judges.calls.price import PriceList

MAX_RESPONSE_BYTES = 8 << 20
_WORTH_ANOTHER_TRY = (408, 409, 425, 429)
_SERVER_ERROR = 500
_NOT_THIS_WAY = (400, 404, 405, 415, 422, 501)
_ABOUT_THE_FORM = re.compile(
    r"response_format|json_schema|json_object|output_config|output_format|structured|schema|grammar|tool",
    re.IGNORECASE,
)


class ModelConnection:
    """A judge that is asked over HTTP; many threads may ask at once, until `close`.

    UsageError if there is no such provider, or a key is missing.
    """

    def __init__(
        self,
        model: str,
        prices: PriceList,
        *,
        base_url: str | None,
        timeout: float,
        form: AnswerForm = AnswerForm.AUTO,
    ) -> None:
        self._model, self._prices, self._timeout = model, prices, timeout
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="adjudge-judge-loop", daemon=True)
        self._thread.start()
        self._http = httpx2.AsyncClient(transport=_Bounded(), timeout=timeout)
        try:
            self._client = self._run(_client(model, self._http, base_url))
            self._forms = _forms(self._client, form, model)
        except BaseException:
            self.close()
            raise

    def __call__(self, request: Request) -> Reply | CallFailure:
        """Ask once."""
        started = time.monotonic()
        forms = self._forms
        found = self._run(_call(self._client, request, forms[0], self._timeout))
        while isinstance(found, _OtherForm) and len(forms) > 1:
            forms = forms[1:]
            found = self._run(_call(self._client, request, forms[0], self._timeout))
        if isinstance(found, _OtherForm):
            return found.failure
        if isinstance(found, CallFailure):
            return found
        self._forms = forms
        usage = found.usage
        return Reply(
            text=_text(found),
            refused=found.finish_reason == "content_filter" or "refusal" in (found.provider_details or {}),
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=round(time.monotonic() - started, 3),
            usd=self._prices.cost(self._model, usage.input_tokens, usage.output_tokens),
            form=forms[0].value,
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


class _OtherForm(Struct, frozen=True):
    """The server takes no answers in this form; what a caller is told if there is no other."""

    failure: CallFailure


def _forms(client: Model[Any], wanted: AnswerForm, model: str) -> tuple[AnswerForm, ...]:
    """The forms to try, the strictest first. UsageError if the one that is wanted is not known here."""
    known = [AnswerForm.NATIVE] if client.profile.get("supports_json_schema_output", False) else []
    known += [AnswerForm.TOOL] if client.profile.get("supports_tools", True) else []
    known.append(AnswerForm.PROMPTED)
    if wanted is AnswerForm.AUTO:
        return tuple(known)
    if wanted not in known:
        allowed = ", ".join(form.value for form in (AnswerForm.AUTO, *known))
        raise UsageError(
            f"{model} does not answer in this form",
            field="--answer-form",
            found=wanted.value,
            allowed=allowed,
        )
    return (wanted,)


def _parameters(request: Request, form: AnswerForm) -> ModelRequestParameters:
    """What holds the model to its form."""
    if form is AnswerForm.PROMPTED:  # the prompt says it all, so the library adds no words of its own
        plain = OutputObjectDefinition(json_schema=answer_schema(request.prompt))
        return ModelRequestParameters(
            output_mode="prompted", output_object=plain, prompted_output_template=False
        )
    schema = answer_schema(request.prompt)
    if form is AnswerForm.NATIVE:
        whole = OutputObjectDefinition(json_schema=schema, name=FORM_NAME, strict=True)
        return ModelRequestParameters(output_mode="native", output_object=whole)
    tool = ToolDefinition(
        name=FORM_NAME,
        description="Give your answer: the one JSON object that you were asked for.",
        parameters_json_schema=schema,
        strict=True,
        kind="output",
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


async def _call(
    client: Model[Any], request: Request, form: AnswerForm, timeout: float
) -> ModelResponse | CallFailure | _OtherForm:
    messages: list[ModelMessage] = [
        ModelRequest(parts=[SystemPromptPart(request.prompt.system), UserPromptPart(request.prompt.user)])
    ]
    settings = ModelSettings(max_tokens=request.max_tokens, timeout=timeout)
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    try:
        async with asyncio.timeout(timeout):
            return await model_request(
                client,
                messages,
                model_settings=settings,
                model_request_parameters=_parameters(request, form),
            )
    except TimeoutError:
        return CallFailure(f"no answer in {timeout:g} seconds", again=True)
    except ContentFilterError:
        return ModelResponse(parts=[], finish_reason="content_filter")
    except ModelHTTPError as error:
        about_the_form = error.status_code in _NOT_THIS_WAY and _ABOUT_THE_FORM.search(str(error.body))
        return _OtherForm(_failure(error)) if about_the_form else _failure(error)
    except (AgentRunError, httpx2.HTTPError, ValueError) as error:
        return _failure(error)


def _text(found: ModelResponse) -> str:
    """The answer as text: what the model said, or what it called the tool with. Two calls are no answer."""
    calls = [part for part in found.parts if isinstance(part, ToolCallPart)]
    if not calls:
        return "".join(part.content for part in found.parts if isinstance(part, TextPart))
    return "\n".join(
        part.args if isinstance(part.args, str) else json.dumps(part.args, ensure_ascii=False)
        for part in calls
    )


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
