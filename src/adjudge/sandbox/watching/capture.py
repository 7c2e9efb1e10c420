"""Keep the beginning and the end of a stream that may never end, in bounded memory."""

from __future__ import annotations

_NOTE = "\n[... {} bytes left out ...]\n"
_NOTE_ROOM = len(_NOTE) + 20


class Capture:
    """Takes bytes as they come; holds at most about twice `limit` of them, returns at most `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._half = max(limit - _NOTE_ROOM, 0) // 2

    def add(self, data: bytes) -> None:
        self._total += len(data)
        room = self._limit - len(self._head)
        self._head += data[:room]
        if len(data) > room:
            self._tail += data[room:]
            if len(self._tail) > 2 * self._half:  # trimmed now and then, not for every chunk
                del self._tail[: len(self._tail) - self._half]

    @property
    def exceeded(self) -> bool:
        """Was anything left out?"""
        return self._total > self._limit

    def value(self) -> bytes:
        """All of it, or its first and last bytes around a note that says how many are missing."""
        if not self.exceeded:
            return bytes(self._head)
        if not self._half:
            return bytes(self._head)
        end = (self._head + self._tail)[-self._half :]
        note = _NOTE.format(self._total - 2 * self._half).encode()
        return bytes(self._head[: self._half]) + note + bytes(end)
