"""In which form a judge answers: the JSON Schema of an answer, and how a model is held to it.

`native` is the provider's own structured output, `tool` a call of a tool whose arguments are the answer,
`prompted` the words of the prompt alone (with a provider's plain JSON mode if it has one). `auto` takes the
first of these that the model's profile knows. Whichever it was, `parse_answer` reads the text strictly: a
provider's promise is no check.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from adjudge.judges.prompt import Prompt
from adjudge.judges.rubric import JudgeDimension
from adjudge.judges.scale import ScaleKind

FORM_NAME = "assessment"


class AnswerForm(StrEnum):
    """How a judge is held to the form of its answer."""

    AUTO = "auto"
    NATIVE = "native"
    TOOL = "tool"
    PROMPTED = "prompted"


def answer_schema(prompt: Prompt) -> dict[str, Any]:
    """The JSON Schema of an answer to this prompt, with the reason before the verdict.

    It says less than `parse_answer` checks: that each id stands once, ranges and lengths are left out,
    because providers refuse a schema with words that they do not know.
    """
    return _object(
        {
            "seal": {"type": "string"},
            "criteria": {"type": "array", "items": {"anyOf": [_criterion(d) for d in prompt.dimensions]}},
        }
    )


def _criterion(dimension: JudgeDimension) -> dict[str, Any]:
    return _object(
        {
            "id": {"type": "string", "enum": [dimension.id]},
            "reason": {"type": "string"},
            "quotes": {"type": "array", "items": {"type": "string"}},
            "verdict": {"anyOf": [_verdict(dimension), {"type": "null"}]},
        }
    )


def _verdict(dimension: JudgeDimension) -> dict[str, Any]:
    kind = dimension.scale.kind
    if kind is ScaleKind.BINARY:
        return {"type": "boolean"}
    if kind is ScaleKind.NUMERIC:
        return {"type": "number", "description": dimension.scale.describe()}
    return {"type": "string", "enum": [level.label for level in dimension.scale.levels]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
