"""What is served, to whom and under which names: one value, made by the command line or a test."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from msgspec import Struct

from adjudge.errors import UsageError

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")


class ServeSettings(Struct, frozen=True):
    """The options of `adjudge serve`. Sizes are in bytes, times in seconds."""

    host: str = "127.0.0.1"
    port: int = 8600
    names: tuple[str, ...] = ()
    """Further names under which browsers may ask, such as that of a reverse proxy."""
    tasks: Path | None = None
    hold_out: tuple[str, ...] = ()
    """Tasks that viewers never see; `held/*` for all that begin so."""
    round_size: int = 50
    """About how many trials are drawn for review at a time."""
    reviewers: int = 1
    """How many people review each trial."""
    claim_sec: float = 1800.0
    """For how long a drawn trial is kept for one reviewer."""
    known_share: float = 0.1
    """The share of draws that are trials with a known answer, if there are any."""
    sandbox: str = "auto"
    workers: int | None = None
    score_queue: int = 64
    """Outputs that may wait to be scored; more are refused with 429."""
    score_sec: float = 900.0
    """How long a request may wait for its rewards; then it is answered with 504."""
    longest_body: int = 64 << 20
    body_sec: float = 30.0
    """How long a client may take to send a request."""
    patience_sec: float = 0.08
    """How long a page waits for numbers that nobody has asked for before; then it says so, and asks again."""
    behind_tls: bool = False
    """Do browsers reach it by HTTPS? Then cookies say so."""

    def __post_init__(self) -> None:
        if self.reviewers < 1:
            raise UsageError("at least one person reviews a trial", field="--reviewers", found=self.reviewers)

    @property
    def is_local(self) -> bool:
        """Can only this machine reach it?"""
        if self.names or self.host == "localhost":
            return not self.names
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The names that a Host header may hold, without ports; a page of another name gets nothing."""
        own = () if self.host in ("0.0.0.0", "::") else (self.host,)  # noqa: S104 - compared, not bound
        return frozenset(name.lower() for name in (*LOOPBACK_NAMES, *own, *self.names))
