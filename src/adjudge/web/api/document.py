"""The OpenAPI document: the API's routes, and the JSON Schemas of the contracts that they answer with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge._version import __version__

if TYPE_CHECKING:
    from fastapi import FastAPI

_REF = "#/components/schemas/{model}"


def document(app: FastAPI) -> dict[str, Any]:
    """What `/api/v1/openapi.json` says; the same for every visitor."""
    from fastapi.openapi.utils import get_openapi
    from pydantic.json_schema import models_json_schema

    from adjudge.contracts import ErrorTag, TrialRecord
    from adjudge.reports import Comparison, Report

    made: dict[str, Any] = get_openapi(
        title="adjudge",
        version=__version__,
        description="Trials, evaluations, annotations, reports, and a service that scores outputs.",
        routes=app.routes,
    )
    models = [(model, "serialization") for model in (TrialRecord, ErrorTag, Report, Comparison)]
    _, schemas = models_json_schema(models, ref_template=_REF)  # type: ignore[arg-type]  # literals, all of them
    parts = made["components"]["schemas"]
    parts.update(schemas["$defs"])
    parts["TrialPage"] = {
        "type": "object",
        "required": ["trials", "next"],
        "properties": {
            "trials": {"type": "array", "items": {"$ref": _REF.format(model="TrialRecord")}},
            "next": {"type": ["string", "null"]},
        },
    }
    return made
