"""Every contract is the same after a trip through JSON, and agrees with the schema it publishes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge import contracts
from adjudge.contracts import StrictModel
from support.contract_strategies import BY_NAME

MODELS: dict[str, type[StrictModel]] = {
    name: value
    for name in contracts.__all__
    if isinstance(value := getattr(contracts, name), type)
    and issubclass(value, StrictModel)
    and value is not StrictModel
}


def test_every_contract_is_tried() -> None:
    assert set(BY_NAME) == set(MODELS)


@pytest.mark.parametrize("name", sorted(BY_NAME))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_json_gives_back_what_went_in(name: str, data: st.DataObject) -> None:
    """Equal, written the same again, and valid by the schema that `adjudge schema` prints."""
    value = data.draw(BY_NAME[name])
    written = value.model_dump_json()
    again = type(value).model_validate_json(written)
    assert again == value
    assert again.model_dump_json() == written
    assert type(value).model_validate(json.loads(written)) == value
    assert jsonschema_rs.is_valid(MODELS[name].model_json_schema(), json.loads(written))


@pytest.mark.parametrize("name", sorted(BY_NAME))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_a_contract_is_frozen_and_knows_its_fields(name: str, data: st.DataObject) -> None:
    value = data.draw(BY_NAME[name])
    field = next(iter(type(value).model_fields))
    with pytest.raises(ValueError, match="frozen"):
        setattr(value, field, getattr(value, field))
    written: dict[str, Any] = json.loads(value.model_dump_json())
    with pytest.raises(ValueError, match="Extra inputs are not permitted"):
        type(value).model_validate_json(json.dumps({**written, "surprise": 1}))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_schema_forbids_what_the_model_forbids(name: str) -> None:
    schema = MODELS[name].model_json_schema()
    assert schema["additionalProperties"] is False
    assert schema["title"] == name
    assert schema["description"]
    jsonschema_rs.validator_for(schema)
