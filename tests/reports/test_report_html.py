"""The HTML file: self-contained, escaped, under a policy that lets nothing but its own script run."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from adjudge.errors import clip
from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports import Report, html, read_drilldown, read_report
from adjudge.reports.building.drilldown import Drilldown
from adjudge.reports.rendering.html.page import pack, unpack
from adjudge.reports.rendering.html.report import LONGEST_NAME, middle
from support.report_ledgers import HOSTILE, TWO_AGENTS, make, make_full


class _Tags(HTMLParser):
    """Every tag with its attributes, and the text of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in self.texts:
            self._inside = tag
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside][-1] += data


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_full(tmp_path_factory.mktemp("html") / "ledger.db")


def page_of(path: Path, *, most: int = 5_000) -> tuple[str, Report, Drilldown]:
    with open_ledger(path) as ledger:
        report = read_report(ledger)
        drilldown = read_drilldown(ledger, TrialFilter(), report, most=most)
    return html.render_report(report, drilldown), report, drilldown


def parsed(page: str) -> _Tags:
    tags = _Tags()
    tags.feed(page)
    return tags


def test_nothing_is_loaded_from_anywhere(full: Path) -> None:
    found = parsed(page_of(full)[0])
    assert not {tag for tag, _ in found.tags} & {"img", "iframe", "object", "embed", "link", "base", "form"}
    for tag, attributes in found.tags:
        assert "src" not in attributes, tag
        href = attributes.get("href") or "#"
        assert href.startswith("#"), (tag, href)


def test_nothing_an_agent_wrote_becomes_a_tag_a_handler_or_a_style(full: Path) -> None:
    found = parsed(page_of(full)[0])
    for tag, attributes in found.tags:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert "style" not in attributes, tag
    running = [a for tag, a in found.tags if tag == "script" and a.get("type") != "application/json"]
    assert len(running) == 1


def test_the_policy_allows_the_page_s_own_script_and_style_by_hash(full: Path) -> None:
    found = parsed(page_of(full)[0])
    (policy,) = [
        a["content"] or "" for tag, a in found.tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    scripts = [
        text
        for text, (_, attributes) in zip(
            found.texts["script"], [t for t in found.tags if t[0] == "script"], strict=True
        )
        if attributes.get("type") != "application/json"
    ]
    for kind, (text,) in (("script-src", scripts), ("style-src", found.texts["style"])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy


def test_control_characters_are_spelled_out(full: Path) -> None:
    page, _, drilldown = page_of(full)
    documents = [d for chunk in drilldown.chunks for d in unpack(chunk)]  # type: ignore[attr-defined]
    for text in (page, str(documents)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert r"\x1b[31mred" in page


def test_packed_data_cannot_end_a_script() -> None:
    packed = pack([HOSTILE, "</script>", "<!--", "\ud800"])
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
    assert unpack(packed) == [HOSTILE, "</script>", "<!--", "?"]


def test_a_trial_is_there_in_full(full: Path) -> None:
    """Output, fields with evidence, streams, tags, reviews beside the reward, the earlier evaluation."""
    _, _, drilldown = page_of(full)
    documents = [d for chunk in drilldown.chunks for d in unpack(chunk)]  # type: ignore[attr-defined]
    (again,) = [d for d in documents if d["history"]]
    assert again["reward"] == 0.875
    assert again["history"][0]["reward"] == 1.0
    assert again["history"][0]["moved"] == [["value", 1.0, 0.875]]
    assert {note["judgment"] for note in again["annotations"]} == {"pass", "fail"}
    assert again["confidence"]["annotator_count"] == 2
    assert again["confidence"]["agreement"] == 0.0  # one pair of reviewers, and it disagrees
    assert again["fields"] == [["value", 0.875, 1.0, "again", None]]
    (evil,) = [d for d in documents if d["output"]["text"] and "pwned" in d["output"]["text"]]
    assert "pwned" in evil["run"]["stderr"]


def test_what_is_left_out_is_said_and_reviewed_trials_stay(full: Path) -> None:
    page, _, drilldown = page_of(full, most=4)
    assert drilldown.trials == 4
    assert "4 of 17 trials can be opened here" in page
    index: list[list[object]] = unpack(drilldown.index)  # type: ignore[assignment]
    assert sum(1 for row in index if row[7]) == 3  # three trials were reviewed; one had its verifier fail
    assert sum(1 for row in index if row[5] == "machinery failed") == 1


def test_long_texts_are_cut_in_the_middle() -> None:
    assert clip("x" * 10, 10) == "x" * 10
    assert clip("a" * 50 + "b" * 50, 10) == "aaaaa\n… 90 characters left out …\nbbbbb"


def test_the_same_ledger_gives_the_same_page(tmp_path: Path) -> None:
    path = make(tmp_path / "same.db", TWO_AGENTS)
    assert page_of(path)[0] == page_of(path)[0]


def test_instructions_come_from_the_tasks_folder(tmp_path: Path) -> None:
    root = Path(__file__).parents[2] / "examples" / "tasks"
    path = make(tmp_path / "tasks.db", {"ant": {"electrical/voltage-drop": [1.0]}})
    with open_ledger(path) as ledger:
        report = read_report(ledger)
        drilldown = read_drilldown(ledger, TrialFilter(), report, tasks=root)
    found: dict[str, dict[str, str]] = unpack(drilldown.instructions)  # type: ignore[assignment]
    assert list(found) == ["electrical/voltage-drop"]
    assert "voltage" in found["electrical/voltage-drop"]["text"]


def test_long_names_of_one_family_stay_apart() -> None:
    names = [f"a-very-long-name-of-an-agent-that-says-everything-{n}" for n in (1, 2)]
    assert middle(names[0]) != middle(names[1])
    assert all(len(middle(name)) <= LONGEST_NAME for name in names)
    assert middle("short") == "short"
