"""One output stream of a command in a session, read while the command runs.

Not through asyncio's own pipes: a background process may hold the pipe open for ever, so the end of the
command is the end of the reading, and what was written by then must be there however busy the machine is.
"""

from __future__ import annotations

import asyncio
import os

CAPTURED_BYTES = 8 * 2**20
"""The rest is read and dropped, so that no writer blocks."""
_CHUNK = 2**18
_LAST_CHUNKS = 2 * CAPTURED_BYTES // _CHUNK
"""How much is read at the end from a writer that does not stop."""


class OutputStream:
    """A pipe; give `writer` to the command, then `close_writer`."""

    def __init__(self) -> None:
        self._fd, self.writer = os.pipe()
        os.set_blocking(self._fd, False)
        self._data = bytearray()
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._loop.add_reader(self._fd, self._read)

    def close_writer(self) -> None:
        os.close(self.writer)

    async def ended(self) -> None:
        """Wait until nobody can write any more."""
        await self._ended.wait()

    def finish(self) -> bytes:
        """All that has been written; whoever still writes is no longer heard."""
        for _ in range(_LAST_CHUNKS):
            if not self._read():
                break
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
        return bytes(self._data)

    def _read(self) -> bool:
        """Take what is there; False if there is nothing, now or ever."""
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._loop.remove_reader(self._fd)
            self._ended.set()
            return False
        self._data += chunk[: max(0, CAPTURED_BYTES - len(self._data))]
        return True
