"""The base of every body that a client sends: as strict as the contracts, and built at once.

The contracts build their validators when they are first used, which FastAPI does not foresee.
"""

from __future__ import annotations

from pydantic import ConfigDict

from adjudge.contracts import StrictModel


class SentModel(StrictModel):
    """A body; a field that is not known is refused."""

    model_config = ConfigDict(defer_build=False)
