"""`adjudge schema`: the JSON Schemas of the contracts."""

from __future__ import annotations

from typing import Annotated

from adjudge import contracts
from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError


@prints(Format.JSON)
def command(
    out: Out,
    name: Annotated[
        str | None, typed.Argument(help="A contract, such as EvaluationResult. [default: all]")
    ] = None,
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
        out.write_json({key: model.model_json_schema() for key, model in models.items()})
    elif name in models:
        out.write_json(models[name].model_json_schema())
    else:
        raise UsageError("no contract has this name", found=name, allowed=", ".join(models))
