"""A choice among named values, as every enum of the contracts is; and those that parsers of outputs need.

Pydantic is imported only when it asks for a schema (`plain_json.py` says why).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class Choice(StrEnum):
    """The base of every enum of the contracts. Its members may be given by their values, as JSON gives them.

    Strict models would otherwise take a member only from Python, and `model_validate` would refuse what
    `model_validate_json` reads. Nothing but a text that is one of the values is taken.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        by_value: Any = {**handler(source), "strict": False}
        return core_schema.no_info_before_validator_function(_text, by_value)


def _text(value: object) -> object:
    """Refuse what is no text before an enum looks at it: it would take bytes for their text."""
    if not isinstance(value, str):
        from pydantic_core import PydanticKnownError

        raise PydanticKnownError("string_type")
    return value


class OutputFormat(Choice):
    """What an output file claims to be."""

    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    YAML = "yaml"
    TOML = "toml"
    XML = "xml"
    MARKDOWN = "markdown"
    """Prose; any non-empty UTF-8 text is Markdown."""
    MARKDOWN_JSON = "markdown+json"
    """Markdown that must hold a JSON answer, fenced or bare."""
    TEXT = "text"
    PYTHON = "python"
    NOTEBOOK = "notebook"
    """Jupyter's."""
    XLSX = "xlsx"
    PDF = "pdf"
    ZIP = "zip"
    IMAGE = "image"
    """PNG, JPEG, GIF, WebP, BMP or TIFF."""
    PARQUET = "parquet"
    BINARY = "binary"
    """Only required to exist: nothing is known about its inside."""


class Origin(Choice):
    """Was something said by the task, or guessed from it?"""

    DECLARED = "declared"
    INFERRED = "inferred"


class Severity(Choice):
    """How much a remark on a task or its verifier matters, the worst first."""

    HIGH = "high"
    """Rewards of this verifier cannot be believed."""
    MEDIUM = "medium"
    """Some rewards will be wrong, or it takes luck that they are not."""
    LOW = "low"
    """Worth knowing and easily mended."""
    INFO = "info"
    """Not a flaw: what could not be tried, and why."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)
