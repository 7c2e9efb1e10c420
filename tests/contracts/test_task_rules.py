"""Tasks: paths of the sandbox, positive limits, a digest."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from adjudge.contracts import Limits, OutputContract, OutputFormat, TaskMetadata, VerifierSpec


@pytest.mark.parametrize("path", ["/workspace/output.md", "/a", "/with space/ü.json"])
def test_a_sandbox_path_is_absolute(path: str) -> None:
    assert VerifierSpec(script="tests/test.sh", expected_output_path=path).expected_output_path == path


@pytest.mark.parametrize("path", ["", "output.md", "./x", "/a/../b", "/..", "/nul\0", None, 3])
def test_nothing_else_is_one(path: Any) -> None:
    for field in ("expected_output_path", "reward_path"):
        fields = {"script": "tests/test.sh", "expected_output_path": "/w/x", field: path}
        with pytest.raises(ValidationError):
            VerifierSpec(**fields)


def test_the_defaults_of_a_verifier_are_the_specifications() -> None:
    spec = VerifierSpec(script="tests/test.sh", expected_output_path="/workspace/output.md")
    assert spec.reward_path == "/logs/verifier/reward.json"
    assert spec.details_path is None
    assert set(VerifierSpec.model_fields) == {"script", "expected_output_path", "reward_path", "details_path"}


@pytest.mark.parametrize("name", list(Limits.model_fields))
@pytest.mark.parametrize("value", [0, -1, True, "1", None, float("nan"), float("inf")])
def test_a_limit_is_a_number_above_zero(name: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        Limits(**{name: value})


def test_a_format_is_one_of_the_known() -> None:
    with pytest.raises(ValidationError):
        OutputContract.model_validate_json('{"format": "docx", "format_origin": "declared"}')
    assert {f.value for f in OutputFormat} == {
        *("json", "jsonl", "csv", "yaml", "toml", "xml", "markdown", "markdown+json", "text", "binary"),
        *("python", "notebook", "xlsx", "pdf", "zip", "image", "parquet"),
    }


def test_metadata_keeps_what_it_does_not_know() -> None:
    assert TaskMetadata(extra={"author": {"name": "x"}}).extra == {"author": {"name": "x"}}
    with pytest.raises(ValidationError):
        TaskMetadata(extra={"x": float("nan")})
