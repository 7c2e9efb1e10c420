"""`make callers`: score again and again from inside every kind of process, and see that nothing grows.

    PYTHONPATH=tests python -m calling.many COUNT [WAY...]

The count is shared by the ways there are: threads, asyncio, forked and spawned workers, Ray actors, the
kernel of a notebook (needs ipykernel and jupyter_client), and a process of 4 GB. Of each: were all rewards
right, and how much memory and how many descriptors did the process hold after the first tenth, and at the
end. A way that cannot be tried here is skipped by name; a wrong reward, growth or a hang is exit code 1.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import adjudge
from support.run_folders import echo_task

REWARDS = [round(number / 10, 1) for number in range(11)]
MOST_GROWTH = 48 << 20
MOST_DESCRIPTORS = 16
AT_ONCE = 4
HANG_SEC = 3600
RAY_TRIES = 10


class Held(NamedTuple):
    """What a process holds."""

    memory: int
    descriptors: int


def held() -> Held:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(pages * resource.getpagesize(), len(list(Path("/proc/self/fd").iterdir())))


def scored(folder: str, reward: float) -> float:
    return adjudge.score_text(_task(folder), json.dumps({"r": reward})).reward


def _task(folder: str, _known: dict[str, Any] = {}) -> Any:  # noqa: B006 - one per process
    if folder not in _known:
        _known[folder] = adjudge.load_task(folder)
    return _known[folder]


def wanted(count: int) -> list[float]:
    return list(islice(cycle(REWARDS), count))


def check(found: Iterable[float], count: int) -> None:
    right = wanted(count)
    wrong = sum(one != other for one, other in zip(found, right, strict=True))
    if wrong:
        raise AssertionError(f"{wrong} of {count} rewards are wrong")


def in_two(count: int, scores: Callable[[int], Iterable[float]]) -> tuple[Held, Held]:
    """A tenth of the scorings, then the rest; what is held after each."""
    first = max(1, count // 10)
    check(scores(first), first)
    before = held()
    check(scores(count - first), count - first)
    return before, held()


def threads(folder: str, count: int) -> tuple[Held, Held]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return in_two(count, lambda some: pool.map(lambda reward: scored(folder, reward), wanted(some)))


def in_asyncio(folder: str, count: int) -> tuple[Held, Held]:
    async def together(some: int) -> list[float]:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(reward: float) -> float:
            async with room:
                return await asyncio.to_thread(scored, folder, reward)

        return await asyncio.gather(*map(one, wanted(some)))

    return in_two(count, lambda some: asyncio.run(together(some)))


def _part(folder: str, count: int) -> tuple[Held, Held]:
    """In a worker: one scoring after another."""
    return in_two(count, lambda some: [scored(folder, reward) for reward in wanted(some)])


def _pool(method: str) -> Callable[[str, int], tuple[Held, Held]]:
    def workers(folder: str, count: int) -> tuple[Held, Held]:
        scored(folder, 1.0)  # forked workers inherit a process that has scored already
        context = multiprocessing.get_context(method)
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            return _worst(pool.map(_part, [folder] * 2, [count // 2] * 2))

    return workers


def _worst(found: Iterable[tuple[Held, Held]]) -> tuple[Held, Held]:
    return max(found, key=lambda pair: pair[1].memory - pair[0].memory)


def _started_ray() -> Any:
    """A cluster of its own. Ray gives itself 30 s to start, however busy the machine is: tried again."""
    ray: Any = import_module("ray")
    for left in reversed(range(RAY_TRIES)):
        try:
            ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        except Exception as error:  # Ray raises nothing more precise
            ray.shutdown()
            if not left or "timed out during startup" not in str(error):
                raise
        else:
            break
    return ray


def ray_actors(folder: str, count: int) -> tuple[Held, Held]:
    ray = _started_ray()
    try:
        actor = ray.remote(num_cpus=1)(_Actor)
        actors = [actor.remote() for _ in range(2)]
        found = ray.get([one.part.remote(folder, count // 2) for one in actors])
        return _worst((Held(*before), Held(*after)) for before, after in found)
    finally:
        ray.shutdown()


class _Actor:
    def part(self, folder: str, count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        from calling.many import _part

        before, after = _part(folder, count)
        return tuple(before), tuple(after)


CELL = """
import sys; sys.path.insert(0, {tests!r})
from calling.many import _part
print([list(one) for one in _part({folder!r}, {count})])
"""


def notebook(folder: str, count: int) -> tuple[Held, Held]:
    manager, client = import_module("jupyter_client.manager").start_new_kernel(startup_timeout=600)
    try:
        told: list[str] = []
        code = CELL.format(tests=str(Path(__file__).resolve().parents[1]), folder=folder, count=count)
        reply = client.execute_interactive(
            code,
            timeout=HANG_SEC,
            output_hook=lambda message: told.append(message["content"].get("text", "")),
        )
        if reply["content"]["status"] != "ok":
            raise AssertionError(reply["content"].get("evalue"))
        before, after = json.loads("".join(told))
        return Held(*before), Held(*after)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def large(folder: str, count: int) -> tuple[Held, Held]:
    ballast = bytearray(os.urandom(1 << 20) * 4096)
    found = _part(folder, count)
    assert len(ballast) == 4 << 30
    return found


WAYS: dict[str, Callable[[str, int], tuple[Held, Held]]] = {
    "threads": threads,
    "asyncio": in_asyncio,
    "forked workers": _pool("fork"),
    "spawned workers": _pool("spawn"),
    "Ray actors": ray_actors,
    "a notebook": notebook,
    "a process of 4 GB": large,
}
NEEDS = {"Ray actors": "ray", "a notebook": "jupyter_client"}


def main(count: int, names: list[str]) -> int:
    ways = [name for name in WAYS if not names or name in names]
    for name in [name for name in ways if find_spec(NEEDS.get(name, "os")) is None]:
        print(f"skipped: {name} (needs {NEEDS[name]})", flush=True)
        ways.remove(name)
    share = count // len(ways)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="adjudge-callers-") as scratch:
        Path(scratch).chmod(0o755)
        folder = str(echo_task(Path(scratch) / "echo"))
        for name in ways:
            bad += not _tried(name, folder, share)
    return 1 if bad else 0


def _tried(name: str, folder: str, count: int) -> bool:
    """One way, in a process of its own, so that none inherits what another made of it."""
    began = time.monotonic()
    code = f"from calling.many import one; one({name!r}, {folder!r}, {count})"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{name}: FAILED with exit code {done.returncode}", flush=True)
        return False
    before, after = (Held(*pair) for pair in json.loads(done.stdout.splitlines()[-1]))
    grown, more = after.memory - before.memory, after.descriptors - before.descriptors
    flat = grown < MOST_GROWTH and more < MOST_DESCRIPTORS
    print(
        f"{name}: {count} scorings, all right, in {time.monotonic() - began:.0f} s; "
        f"memory {before.memory >> 20} MB, then {grown / (1 << 20):+.1f} MB; "
        f"descriptors {before.descriptors}, then {more:+d}{'' if flat else ': GROWS'}",
        flush=True,
    )
    return flat


def one(name: str, folder: str, count: int) -> None:
    faulthandler.dump_traceback_later(HANG_SEC, exit=True)
    print(json.dumps(WAYS[name](folder, count)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
