"""Judges that do as a test tells them, and trials for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from adjudge.judges import (
    Asker,
    CallCache,
    CallFailure,
    JudgeDimension,
    JudgeRubric,
    JudgeRun,
    JudgeTally,
    Level,
    OfflineRule,
    Panel,
    Reply,
    Request,
    Scale,
    ScaleKind,
)
from adjudge.ledger import Ledger, open_ledger
from support.trial_samples import trial

MEMO = (
    "# Memo\n\n## Rationale\n\nWe chose 16 mm² because 10 mm² exceeds the 3 % limit.\n\n## Result\n\n7.2 V\n"
)
LEVELS = Scale(
    kind=ScaleKind.ORDINAL,
    levels=[
        Level(label="absent", score=0, description="no reason"),
        Level(label="partial", score=1, description="a reason without a number"),
        Level(label="full", score=2, description="a reason with a number"),
    ],
)
WHY = JudgeDimension(
    id="why",
    criterion="The memo says why the next smaller cable was not chosen.",
    weight=2.0,
    patterns=[OfflineRule(match=r"because .*", verdict=True, reason="a reason is given")],
    otherwise=False,
)
DEPTH = JudgeDimension(id="depth", criterion="How far is the choice justified by numbers?", scale=LEVELS)
NUMBER = JudgeDimension.model_validate({"id": "value", "evaluate": "mechanical"})
RUBRIC = JudgeRubric(name="memo", dimensions=[WHY, NUMBER])


def answer(request: Request, verdicts: dict[str, Any], **changes: Any) -> str:
    """A well-formed answer with these verdicts; keywords replace keys of each criterion."""
    criteria = []
    for dimension in request.prompt.dimensions:
        entry: dict[str, Any] = {
            "id": dimension.id,
            "reason": "seen",
            "quotes": [],
            "verdict": verdicts.get(dimension.id),
        }
        criteria.append(entry | changes)
    return json.dumps({"seal": request.prompt.seal, "criteria": criteria})


class Scripted:
    """A judge that gives one reply after the other, and notes what it was asked."""

    def __init__(self, *replies: Reply | CallFailure | Callable[[Request], str]) -> None:
        self.replies = list(replies)
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Reply | CallFailure:
        self.asked.append(request)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return (
            reply
            if isinstance(reply, Reply | CallFailure)
            else Reply(reply(request), input_tokens=100, output_tokens=10, usd=0.01)
        )


def saying(**verdicts: Any) -> Callable[[Request], str]:
    """A judge's reply with these verdicts."""
    return lambda request: answer(request, verdicts)


def asker(ledger: Ledger, judges: dict[str, Any], **changes: Any) -> Asker:
    """An asker without patience: it never sleeps."""
    return Asker(asks=judges, cache=CallCache(ledger), **{"sleep": lambda _: None, **changes})


def panel(models: Sequence[str] = ("test:a",), **changes: Any) -> Panel:
    """A panel of these models."""
    return Panel(tuple(models), **changes)


def memo(ledger: Ledger, text: str = MEMO, number: int = 1, **changes: Any) -> Any:
    """A recorded trial whose output is this text."""
    recorded = ledger.record(trial(number, output=text.encode(), **changes))
    return ledger.get(recorded.trial_id)


def judged_ledger(path: Path, count: int, rubric: JudgeRubric) -> tuple[Ledger, dict[str, bool]]:
    """Trials half of which give a reason, a judge that sees it nearly always, and what people would say."""
    book = open_ledger(path)
    truth = {}
    for number in range(count):
        good = number % 2 == 0
        text = f"{'because' if good else 'for'} {number}"
        truth[book.record(trial(number, output=text.encode(), reward=0.5)).trial_id] = good
    judge_all(book, rubric)
    return book, truth


def judge_all(book: Ledger, rubric: JudgeRubric) -> JudgeTally:
    def sees(request: Any) -> str:
        text = request.prompt.materials[0].text
        return answer(request, {"why": "because" in text and not text.endswith("12")})

    run = JudgeRun(
        book, panel(), asker(book, {"test:a": Scripted(sees)}), lambda _: rubric, {}, JudgeTally(), workers=1
    )
    run.execute(list(book.iterate()))
    return run.tally


def labels_file(path: Path, truth: dict[str, bool]) -> Path:
    """What people say of criterion `why`, as a file of labels."""
    rows = [
        {"trial_id": i, "criterion": "why", "verdict": good, "reviewer": "ada"} for i, good in truth.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rubric_file(path: Path, **changes: Any) -> Path:
    """A rubric with the one criterion `why`, as TOML; keywords are keys of the rubric."""
    keys = "".join(f"{name} = {json.dumps(value)}\n" for name, value in ({"name": "why"} | changes).items())
    path.write_text(
        f'{keys}[[dimensions]]\nid = "why"\nweight = 2\n'
        f"criterion = {json.dumps(WHY.criterion)}\notherwise = false\n"
        'patterns = [{match = "because .*", verdict = true, reason = "a reason is given"}]\n'
    )
    return path
