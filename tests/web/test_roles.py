"""Every route asks for a role, and refuses whoever lacks it: all routes, all roles, and nobody at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from adjudge.errors import UsageError
from adjudge.ledger import Ledger, open_ledger
from adjudge.web import ServeSettings, UserRole, Users, make_app, serve
from support.trial_samples import trial
from support.web_site import serving, settings

PUBLIC = {"/log-in", "/static/{name}", "/api/v1/health"}
"""Routes that need nobody to be logged in."""


def routes(ledger: Ledger) -> dict[tuple[str, str], UserRole | None]:
    """Each method and path of the app, with the role that it declares."""
    app = make_app(ledger, ServeSettings())
    found: dict[tuple[str, str], UserRole | None] = {}
    for route in _flat(app.routes):
        declared = [getattr(d.call, "needed_role", None) for d in route.dependant.dependencies]
        roles = [role for role in declared if role is not None]
        for method in route.methods - {"HEAD"}:
            found[method, route.path] = max(roles, key=list(UserRole).index, default=None)
    return found


def _flat(routes: Any) -> Iterator[Any]:
    for route in routes:
        if hasattr(route, "dependant"):
            yield route
        elif hasattr(route, "original_router"):
            yield from _flat(route.original_router.routes)
        elif hasattr(route, "routes"):
            yield from _flat(route.routes)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("roles") / "l.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(n, task_id="held/secret" if n == 0 else f"open/{n}") for n in range(4)])
    return path


def test_every_route_declares_a_role(place: Path) -> None:
    with open_ledger(place) as ledger:
        found = routes(ledger)
    assert len(found) > 15
    assert {path for (_, path), role in found.items() if role is None} <= PUBLIC


def test_every_route_refuses_who_may_not(place: Path) -> None:
    with open_ledger(place) as ledger:
        users = Users(ledger)
        tokens: dict[str, str | None] = {"nobody": None}
        for role in UserRole:
            users.add(f"a-{role.value}", role, password=None)
            tokens[role.value] = users.make_token(f"a-{role.value}")[1]
        found = routes(ledger)
        wrong = []
        with serving(ledger) as address, httpx.Client(base_url=address, timeout=60) as client:
            for (method, path), needed in found.items():
                if needed is None or path == "/runs/events":
                    continue
                for who, token in tokens.items():
                    headers = {} if token is None else {"authorization": f"Bearer {token}"}
                    status = client.request(method, _filled(path), headers=headers).status_code
                    may = who != "nobody" and UserRole(who).may(needed)
                    refused = status in (401, 403)
                    if refused is may or status >= 500:
                        wrong.append((method, path, who, status))
            for token in (None, "Bearer x", "Bearer adjudge_a_b", "Basic YTpi"):
                headers = {} if token is None else {"authorization": token}
                assert client.get("/runs/events", headers=headers).status_code == 401
    assert wrong == []


def _filled(path: str) -> str:
    for name, value in {"{trial_id}": "none", "{number}": "1", "{at}": "0", "{job}": "none"}.items():
        path = path.replace(name, value)
    return path


def test_a_viewer_never_meets_a_hold_out_task(place: Path) -> None:
    with open_ledger(place) as ledger:
        users = Users(ledger)
        users.add("vi", UserRole.VIEWER, password=None)
        users.add("ed", UserRole.REVIEWER, password=None)
        headers = {
            name: {"authorization": f"Bearer {users.make_token(name)[1]}", "accept": "text/html"}
            for name in ("vi", "ed")
        }
        held = next(r.trial_id for r in ledger.iterate() if r.task_id == "held/secret")
        pages = (
            *("/", "/trials", "/tasks", "/runs", "/agreement", "/trials?task=held/*", "/trials/count"),
            *("/compare", "/compare?a=agent-1&b=agent-2", "/api/v1/trials", "/api/v1/trials.jsonl"),
            *("/api/v1/tasks", "/api/v1/report", "/api/v1/compare", "/api/v1/trials?task=held/secret"),
        )
        with (
            serving(ledger, settings(hold_out=("held/*",))) as address,
            httpx.Client(base_url=address, timeout=60) as client,
        ):
            for page in pages:
                assert "held/secret" not in client.get(page, headers=headers["vi"]).text, page
            assert client.get("/trials/count", headers=headers["vi"]).text == "3 trials"
            assert client.get("/trials/count", headers=headers["ed"]).text == "4 trials"
            assert client.get(f"/trials/{held}", headers=headers["vi"]).status_code == 404
            assert client.get(f"/trials/{held}/file/0", headers=headers["vi"]).status_code == 404
            assert client.get("/task?id=held/secret", headers=headers["vi"]).status_code == 404
            assert client.get("/api/v1/tasks/held/secret", headers=headers["vi"]).status_code == 404
            for part in ("", "/evaluations", "/annotations", "/tags"):
                assert client.get(f"/api/v1/trials/{held}{part}", headers=headers["vi"]).status_code == 404
                assert client.get(f"/api/v1/trials/{held}{part}", headers=headers["ed"]).status_code == 200
            assert client.get(f"/trials/{held}", headers=headers["ed"]).status_code == 200
            none, hidden = (
                client.get(f"/trials/{i}", headers={**headers["vi"], "accept": "*/*"}).json()
                for i in ("x" * len(held), held)
            )
            assert none["error"] | {"found": None} == hidden["error"] | {"found": None}


def test_beyond_this_machine_there_must_be_users(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db"):
        pass
    for changes in ({"host": "192.0.2.7"}, {"names": ("review.example",)}):
        with pytest.raises(UsageError, match="there must be users"):
            serve(tmp_path / "l.db", settings(**changes))
