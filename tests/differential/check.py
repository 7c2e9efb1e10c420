"""One design through the real commands in every format: the numbers are those of `plain.py`, and agree.

`check` raises AssertionError with the design's name. JSON is held against plain formulas, to twelve
digits for means and to eight if libraries are involved; terminal, Markdown and HTML against JSON; CSV and
Python against the design itself.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.reports.rendering import wording
from adjudge.reports.rendering.comparison_sentences import ALL_EQUAL, MOST_PAIRS
from adjudge.stats import Estimate
from differential import plain
from differential.designs import Attempt, Design, store
from support.command_line import run_adjudge

Json = dict[str, Any]
NOT_NUMBERS = re.compile(r"\b(nan|NaN|inf|Infinity|None)\b")
GATES = {0: "pass", 3: "regressed", 4: "undecided"}
MARGIN = 0.05


def check(design: Design, folder: Path) -> None:
    """Everything of one design. `folder` is empty and stays the caller's."""
    ledger = store(design, folder / "ledger.db")
    options = ["--ledger", ledger] + ([] if design.clusters is None else ["--cluster", "metadata.template"])
    report = json.loads(_run("report", *options, "--format", "json"))
    _check_groups(design, report)
    _check_texts("report", options, report["groups"], folder)
    _check_tables(design, ledger)
    if len(design.agents) < 2:
        return
    compared = json.loads(_run("compare", *options, "--format", "json"))
    _check_pairs(design, compared)
    texts = _texts("compare", options, folder)
    for form, text in texts.items():
        for pair in compared["pairs"] if len(compared["pairs"]) <= MOST_PAIRS or form == "html" else []:
            if pair["comparison"]["difference"]["value"] is not None:
                shown = _estimate(pair["comparison"]["difference"], pair["interval"])
                assert shown in text, (form, pair["a"], pair["b"], shown)
        same = len(compared["sides"]) == 2 and _all_equal(compared)
        if ALL_EQUAL in text:
            assert same, form
    _check_gate(design, options, compared)


def _run(*words: object, ok: tuple[int, ...] = (0,)) -> str:
    done = run_adjudge(*words, COLUMNS="400")
    assert done.code in ok, (words, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout


def _texts(command: str, options: list[Any], folder: Path) -> dict[str, str]:
    page = folder / f"{command}.html"
    _run(command, *options, "-o", page)
    html = re.sub(r"<(script|style).*?</\1>", "", page.read_text(), flags=re.DOTALL)
    found = {
        "terminal": _run(command, *options),
        "markdown": unescape(_run(command, *options, "--format", "md")).replace("\\", ""),
        "html": unescape(re.sub(r"<br>", " ", html)),
    }
    plain_texts = {form: " ".join(re.sub(r"<[^>]*>", " ", text).split()) for form, text in found.items()}
    for form, text in plain_texts.items():
        assert not NOT_NUMBERS.search(text), (command, form, NOT_NUMBERS.search(text))
    return plain_texts


def _estimate(found: Json, interval: Json | None) -> str:
    """A difference as people read it, by the one module that writes numbers."""
    shown = found | {"interval": interval}
    return wording.estimate(Estimate.model_validate_json(json.dumps(shown)), sign=True)


def _check_texts(command: str, options: list[Any], groups: list[Json], folder: Path) -> None:
    for form, text in _texts(command, options, folder).items():
        for group in groups:
            value = wording.number(group["reward"]["value"])
            assert value in text, (form, group["name"], value)
            interval = group["reward"]["interval"]
            if interval:
                ends = f"[{wording.number(interval['low'])}, {wording.number(interval['high'])}]"
                assert ends in text, (form, group["name"], ends)


def _check_groups(design: Design, report: Json) -> None:
    assert report["trials"] == design.trials
    assert {g["name"] for g in report["groups"]} == set(design.agents)
    for group in report["groups"]:
        tasks = design.agents[group["name"]]
        reward, means = group["reward"], plain.task_means(tasks)
        if plain.all_failed(tasks):
            assert reward["value"] is None
            assert reward["reason"]
            continue
        value = math.fsum(means.values()) / len(means)
        assert reward["value"] == pytest.approx(value, abs=1e-12)
        error = plain.error(means, design.clusters)
        if error is None or error < 1e-12:
            assert reward["standard_error"] is None
        else:
            assert reward["standard_error"] == pytest.approx(error, rel=1e-9)
        _check_interval(reward, means, design)
        failed = sum(one.reward is None for attempts in tasks.values() for one in attempts)
        assert reward["coverage"]["verifier_failed"] == failed
        assert (reward["bounds"] is None) == (failed == 0)
        if failed:
            best = plain.task_means(tasks, failure=1.0)
            assert reward["bounds"]["high"] == pytest.approx(math.fsum(best.values()) / len(best), abs=1e-12)
            assert reward["bounds"]["low"] == pytest.approx(value, abs=1e-12)
        _check_passes(group, tasks)
        known = [cost for cost in plain.costs(design, group["name"]) if cost is not None]
        assert group["cost_usd"]["known"] == len(known)
        if known:
            assert group["cost_usd"]["total"] == pytest.approx(math.fsum(known), rel=1e-12)
            assert sum(cost <= group["cost_usd"]["p95"] + 1e-12 for cost in known) >= 0.95 * len(known) - 1


def _check_interval(reward: Json, means: plain.Values, design: Design) -> None:
    interval = reward["interval"]
    if interval is None:
        assert reward["reason"]
        return
    assert 0 <= interval["low"] <= reward["value"] <= interval["high"] <= 1
    assert interval["low"] < interval["high"]
    values = sorted(means.values())
    n = len(values)
    tied = max(values.count(v) for v in values) > n / 2
    if design.clusters is None and not tied and not set(values) <= {0.0, 1.0}:
        ends = plain.score_ends(reward["value"], reward["standard_error"], n - 1, 0.95)
        assert (interval["low"], interval["high"]) == pytest.approx(ends, abs=1e-8)


def _check_passes(group: Json, tasks: dict[str, list[Attempt]]) -> None:
    for found in group["passes"]:
        match = re.fullmatch(r"pass(@|\^)(\d+)", found["name"])
        if match is None:
            continue
        k = int(match[2])
        each = [
            plain.passes(sum(plain.worth(a) >= 1 for a in attempts), len(attempts), k)[match[1] == "^"]
            for attempts in tasks.values()
            if len(attempts) >= k
        ]
        if each:
            assert found["estimate"]["value"] == pytest.approx(float(sum(each) / len(each)), abs=1e-12)
            assert found["estimate"]["n"] == len(each)
        else:
            assert found["estimate"]["value"] is None


def _check_tables(design: Design, ledger: Path) -> None:
    rows = list(
        csv.DictReader(io.StringIO(_run("export", "trials", "-", "--ledger", ledger, "--format", "csv")))
    )
    table = adjudge.frame(ledger).to_pylist()
    assert len(rows) == len(table) == design.trials
    wanted = {
        (agent, task, number): plain.worth(one)
        for agent, tasks in design.agents.items()
        for task, attempts in tasks.items()
        for number, one in enumerate(attempts, 1)
    }
    assert {(r["agent"], r["task"], int(r["attempt"])): float(r["reward"]) for r in rows} == wanted
    assert {(r["agent"], r["task"], r["attempt"]): r["reward"] for r in table} == wanted


def _differences(design: Design, a: str, b: str) -> plain.Values:
    left, right = (plain.with_a_result(design.agents[name]) for name in (a, b))
    found = {task: left[task] - right[task] for task in left if task in right}
    return {task: 0.0 if abs(value) <= 1e-12 else value for task, value in found.items()}


def _check_pairs(design: Design, compared: Json) -> None:
    assert {frozenset((p["a"], p["b"])) for p in compared["pairs"]} == {
        frozenset(pair) for pair in combinations(design.agents, 2)
    }
    ps: list[float | None] = []
    for pair in compared["pairs"]:
        found, d = pair["comparison"], _differences(design, pair["a"], pair["b"])
        assert found["shared"] == len(d)
        ps.append(found["p"])
        if not d:
            assert found["difference"]["value"] is None
            assert found["difference"]["reason"]
            continue
        assert found["difference"]["value"] == pytest.approx(math.fsum(d.values()) / len(d), abs=1e-12)
        assert found["wins"] == sum(v > 0 for v in d.values())
        assert found["losses"] == sum(v < 0 for v in d.values())
        assert found["ties"] == len(d) - found["wins"] - found["losses"]
        expected = plain.flips_p(d, design.clusters)
        if expected is not None:
            assert found["p"] == pytest.approx(expected, abs=1e-9), (pair["a"], pair["b"])
        _check_claim(pair)
    expected_ps = plain.holm(ps)
    for pair, p in zip(compared["pairs"], expected_ps, strict=True):
        assert pair["p_adjusted"] == (None if p is None else pytest.approx(p, abs=1e-12))
        if p is not None and abs(p - 0.05) > 1e-9:
            assert ((pair["better"] or pair["withheld"]) is not None) == (p <= 0.05)
    _check_ranks(compared)


def _check_claim(pair: Json) -> None:
    interval = pair["interval"]
    if interval is None:
        assert pair["better"] is None
        return
    value = pair["comparison"]["difference"]["value"]
    assert -1 <= interval["low"] <= value + 1e-12
    assert value - 1e-12 <= interval["high"] <= 1
    named = pair["a"] if interval["low"] > 0 else pair["b"] if interval["high"] < 0 else None
    assert (pair["better"] or pair["withheld"]) == named
    assert pair["better"] is None or pair["withheld"] is None
    if pair["withheld"]:
        assert pair["comparison"]["difference"]["bounds"] is not None


def _check_ranks(compared: Json) -> None:
    ranked = [agent for agent in compared["ranking"] if agent["reward"]["value"] is not None]
    for agent in compared["ranking"]:
        name = agent["agent"]
        if agent not in ranked:
            assert agent["best_rank"] is None
            continue
        mine = [p for p in compared["pairs"] if name in (p["a"], p["b"]) and p["better"]]
        beats = sum(p["better"] == name for p in mine)
        assert agent["best_rank"] == 1 + len(mine) - beats
        assert agent["worst_rank"] == len(ranked) - beats


def _all_equal(compared: Json) -> bool:
    found = compared["pairs"][0]["comparison"]
    return bool(found["shared"] and found["ties"] == found["shared"])


def _check_gate(design: Design, options: list[Any], compared: Json) -> None:
    first, second = list(design.agents)[:2]
    if len(design.agents) > 3 or design.trials > 120:
        return  # an undecided gate simulates its plan
    words = [
        "gate",
        "--by",
        "agent",
        "--baseline",
        second,
        "--candidate",
        first,
        "--margin",
        MARGIN,
        *options,
    ]
    done = run_adjudge(*words, "--format", "json", COLUMNS="400")
    found = json.loads(done.stdout)
    outcome = found["verdict"]["outcome"]
    assert GATES[done.code] == outcome, done.code
    difference = found["verdict"]["comparison"]["difference"]
    interval = difference["interval"]
    if len(compared["pairs"]) == 1 and interval is not None:
        pair = compared["pairs"][0]["interval"]
        ends = (pair["low"], pair["high"])
        mirrored = (-pair["high"], -pair["low"])
        assert (interval["low"], interval["high"]) == (
            ends if compared["pairs"][0]["a"] == first else mirrored
        )
    failures = difference["coverage"]["verifier_failed"] if difference["coverage"] else 0
    if interval is None:
        assert outcome == "undecided"
    elif not failures:
        expected = (
            "pass" if interval["low"] > -MARGIN else "regressed" if interval["high"] < 0 else "undecided"
        )
        assert outcome == expected
