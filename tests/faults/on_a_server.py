"""What can go wrong while adjudge works on a database server; see `scenarios`."""

from __future__ import annotations

import time
from collections.abc import Callable

from faults.harness import Home, finished, worked
from faults.scenarios import RUN_SEC, killed, some_recorded, ten_writers
from support.postgres import Server

ON_POSTGRES: dict[str, Callable[[Home, Server], int]] = {}


def on_postgres(function: Callable[[Home, Server], int]) -> Callable[[Home, Server], int]:
    ON_POSTGRES[function.__name__.replace("_", " ")] = function
    return function


@on_postgres
def server_gone(home: Home, server: Server) -> bool:
    """The database server dies in the middle and comes back, soon or late."""
    home.ledger = server.create_database()
    some_recorded(home)
    process = home.start()
    in_time = worked(process, home.rng.uniform(0, RUN_SEC))
    server.stop()
    time.sleep(home.rng.choice([0.0, 0.5, 2.0]))
    server.start()
    home.must_hold(finished(process))
    return in_time


@on_postgres
def killed_on_a_server(home: Home, server: Server) -> int:
    home.ledger = server.create_database()
    return killed(home)


@on_postgres
def ten_writers_on_a_server(home: Home, server: Server) -> int:
    home.ledger = server.create_database()
    return ten_writers(home)
