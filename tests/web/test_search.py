"""Search looks through names: a text leads to a trial, to the trials it can only mean, or to a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.web import UserRole, Users
from adjudge.web.queries.search import MOST_VALUES, meant
from support.trial_samples import trial
from support.web_site import asking, settings

NAMES = {
    "task": ["circuits/bridge", "circuits/ladder", "beams/bridge"],
    "agent": ["slide-rule", "Abacus"],
    "experiment": ["spring"],
    "tag": ["unit mismatch"],
    "model": [],
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ladder", {"task": ("circuits/ladder",)}),
        ("bridge", {"task": ("circuits/bridge", "beams/bridge")}),
        ("abac", {"agent": ("Abacus",)}),
        ("unit mismatch", {"tag": ("unit mismatch",)}),
        (
            "bridge rule SPRING",
            {
                "task": ("circuits/bridge", "beams/bridge"),
                "agent": ("slide-rule",),
                "experiment": ("spring",),
            },
        ),
        ("ri", None),
        ("nothing", None),
        ("bridge nothing", None),
    ],
)
def test_a_text_means_one_filter_or_none(text: str, found: dict[str, tuple[str, ...]] | None) -> None:
    """`ri` is in names of tasks, agents and experiments: somebody has to choose."""
    wanted = meant(NAMES, text)
    assert (None if wanted is None else wanted.set_fields()) == found


def test_very_many_tasks_are_their_common_beginning() -> None:
    many = {"task": [f"circuits/{n}" for n in range(MOST_VALUES + 1)], "agent": []}
    found = meant(many, "circuits/")
    assert found is not None
    assert found.task == ("circuits/*",)
    assert meant(many, "ircuits/") is None


Search = Callable[..., httpx.Response]


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    """Searches as somebody; one of two trials is held out."""
    with asking(tmp_path / "l.db", settings(hold_out=("held/*",))) as (client, ledger):
        found = ledger.record(
            [
                trial(0, task_id="circuits/one", agent_name="slide-rule"),
                trial(1, task_id="held/secret", agent_name="abacus"),
            ]
        )
        tag = ErrorTag(category="unit mismatch", description=None, source=ErrorSource.HUMAN)
        ledger.add_tags(found[1].trial_id, [tag])
        users = Users(ledger)
        tokens = {}
        for name, role in {"vic": UserRole.VIEWER, "ada": UserRole.REVIEWER}.items():
            users.add(name, role, password=None)
            tokens[name] = users.make_token(name)[1]

        def ask(text: str, who: str = "ada") -> httpx.Response:
            headers = {"authorization": f"Bearer {tokens[who]}"}
            return client.get("/trials", params={"q": text}, headers=headers, follow_redirects=False)

        yield ask


def test_a_search_leads_to_the_trials(search: Search) -> None:
    for text, query in {
        "rule": {"agent": ["slide-rule"]},
        "mismatch": {"tag": ["unit mismatch"]},
        " ONE ": {"task": ["circuits/one"]},
    }.items():
        assert parse_qs(urlsplit(search(text).headers["location"]).query) == query
    several = search("e")
    assert several.status_code == 200
    assert "slide-rule" in several.text
    assert "held/secret" in several.text
    assert "What agents wrote is not searched" in search("<b>nothing").text


def test_a_search_finds_no_hold_out_names_for_a_viewer(search: Search) -> None:
    for text in ("e", "secret", "abacus", "mismatch"):
        found = search(text, "vic")
        assert found.status_code == 200
        assert not any(word in found.text for word in ("held/secret", "abacus</a>", "unit mismatch"))
