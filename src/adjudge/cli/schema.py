"""`adjudge schema`: the JSON Schemas of the contracts."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from adjudge import contracts
from adjudge.errors import UsageError


def command(
    name: Annotated[str | None, typer.Argument(help="A contract, such as EvaluationResult.")] = None,
) -> None:
    """Print the JSON Schema of one contract, or of all of them by name."""
    models = {
        key: value
        for key in contracts.__all__
        if isinstance(value := getattr(contracts, key), type)
        and issubclass(value, contracts.StrictModel)
        and value is not contracts.StrictModel
    }
    if name is None:
        print(json.dumps({key: model.model_json_schema() for key, model in models.items()}, indent=2))
    elif name in models:
        print(json.dumps(models[name].model_json_schema(), indent=2))
    else:
        raise UsageError("no contract has this name", found=name, allowed=", ".join(models))
