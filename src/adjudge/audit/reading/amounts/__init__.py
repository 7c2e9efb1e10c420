"""Numbers in a verifier's source: how they are compared, where a bound lies, and what is only held within."""

from adjudge.audit.reading.amounts.bounds import read_bounds
from adjudge.audit.reading.amounts.numbers import read_numbers
from adjudge.audit.reading.amounts.within_bounds import read_within_bounds

__all__ = ["read_bounds", "read_numbers", "read_within_bounds"]
