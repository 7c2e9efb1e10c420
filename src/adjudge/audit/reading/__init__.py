"""What a careful reader sees in a verifier's source, without running it."""

from adjudge.audit.reading.read import read_sources
from adjudge.audit.reading.remark import Remark

__all__ = ["Remark", "read_sources"]
