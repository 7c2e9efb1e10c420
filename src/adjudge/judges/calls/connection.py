"""The way to a model: pydantic-ai underneath, so that every provider it knows works, local servers too.

Imported only when a model is really asked. Whatever form a provider promises, the answer is taken as text and
checked here (`answer.py`): no library's own leniency about types decides what a verdict is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.errors import MissingExtra
from adjudge.judges.calls.form import AnswerForm
from adjudge.judges.calls.price import PriceList

if TYPE_CHECKING:
    from adjudge.judges.calls.client import ModelConnection


def connect(
    model: str,
    prices: PriceList,
    *,
    base_url: str | None = None,
    timeout: float = 120.0,
    form: AnswerForm = AnswerForm.AUTO,
) -> ModelConnection:
    """A judge by its name, such as `openai:gpt-x`; close it when done. MissingExtra without pydantic-ai."""
    try:
        from adjudge.judges.calls.client import ModelConnection
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "adjudge":
            raise
        raise MissingExtra("judge", needed_for=f"a model such as {model}") from None
    return ModelConnection(model, prices, base_url=base_url, timeout=timeout, form=form)
