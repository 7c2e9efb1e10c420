"""A hold-out task does not exist for viewers: every route they may ask is asked, with its trial's id too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from adjudge.ledger import open_ledger
from adjudge.web import UserRole, Users, make_app
from support.trial_samples import annotation, trial
from support.web_site import serving, settings

SECRET = "held/secret"


def flat(routes: Any) -> Iterator[Any]:
    for route in routes:
        if hasattr(route, "dependant"):
            yield route
        elif hasattr(route, "original_router"):
            yield from flat(route.original_router.routes)
        elif hasattr(route, "routes"):
            yield from flat(route.routes)


QUERIES = {
    "/trials": (
        "",
        f"?task={SECRET}",
        "?task=held/*",
        "?experiment=hidden",
        "?reviewer=ada",
        "?not_task=open/*",
    ),
    "/trials/count": ("?experiment=hidden",),
    "/task": (f"?id={SECRET}",),
    "/compare": ("", "?a=ant&b=bee", "?a=cat&b=dog", "?a=cat&b=dog&experiment=hidden"),
    "/agreement/trials": ("?a=verifier&b=ada&x=pass&y=pass", "?a=verifier&b=ada&x=fail&y=pass"),
    "/api/v1/trials": (f"?task={SECRET}", "?experiment=hidden", "?annotated=true"),
    "/api/v1/trials.jsonl": ("", "?experiment=hidden"),
    "/api/v1/report": ("", "?experiment=hidden", "?group_by=experiment", "?group_by=task"),
    "/api/v1/compare": ("", "?side=cat&side=dog", "?experiment=hidden"),
}


def test_no_route_of_a_viewer_tells_of_it(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(n, task_id=f"open/{n}", agent_name=("ant", "bee")[n % 2]) for n in range(4)])
        hidden = [
            trial(n, task_id=SECRET, experiment="hidden", agent_name=("cat", "dog")[n % 2])
            for n in range(4, 6)
        ]
        ids = [found.trial_id for found in ledger.record(hidden)]
        for trial_id in ids:
            ledger.annotate(trial_id, annotation("ada", "pass"))
        users = Users(ledger)
        tokens = {}
        for role in (UserRole.VIEWER, UserRole.REVIEWER):
            users.add(f"a-{role.value}", role, password=None)
            tokens[role] = users.make_token(f"a-{role.value}")[1]
        wanted = settings(hold_out=("held/*",))
        paths = sorted(
            route.path
            for route in flat(make_app(ledger, wanted).routes)
            if "GET" in route.methods and route.path not in ("/runs/events", "/static/{name}")
        )
        assert len(paths) > 20
        asked = 0
        told: set[str] = set()
        with serving(ledger, wanted) as address, httpx.Client(base_url=address, timeout=60) as client:
            for path in paths:
                filled = path.replace("{trial_id}", ids[0]).replace("{task_id:path}", SECRET)
                filled = filled.replace("{number}", "1").replace("{at}", "0")
                for query in QUERIES.get(path, ("",)):
                    for accept in ("text/html", "application/json"):
                        place, asked = filled + query, asked + 1
                        answers = {
                            role: client.get(
                                place, headers={"authorization": f"Bearer {token}", "accept": accept}
                            ).text.replace(place, "")
                            for role, token in tokens.items()
                        }
                        # what was asked may be repeated; what was not known to the asker may not be
                        seen = (
                            answers[UserRole.VIEWER].replace(SECRET, "")
                            if SECRET in place
                            else answers[UserRole.VIEWER]
                        )
                        for word in (SECRET, *(i for i in ids if i not in place), "dog</"):
                            assert word not in seen, (place, word)
                        if ids[1] in answers[UserRole.REVIEWER] or SECRET in answers[UserRole.REVIEWER]:
                            told.add(path)
        assert asked > 60
        assert {"/", "/trials", "/tasks", "/api/v1/trials", "/api/v1/report"} <= told
