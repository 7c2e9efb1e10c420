"""The offline judge: deterministic, without a network, for tests, demonstrations and plain rules.

It answers by the patterns that the rubric declares: the first one that applies gives the verdict, else
`otherwise`, else it abstains. It goes through the same prompt, parsing and records as any model.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from adjudge.judges.calls.call import Reply, Request
from adjudge.judges.rubric import JudgeDimension, OfflineRule
from adjudge.judges.scale import Verdict

OFFLINE = "offline"
_LONGEST_QUOTE = 200


def offline_identity(dimensions: list[JudgeDimension]) -> str:
    """What makes this offline judge the one it is: its rules."""
    rules = [[d.id, [p.model_dump() for p in d.patterns], d.otherwise] for d in dimensions]
    return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()


def ask_offline(request: Request) -> Reply:
    """The answer by the rubric's patterns."""
    texts = {material.name: material.text for material in request.prompt.materials}
    criteria = [_criterion(dimension, texts) for dimension in request.prompt.dimensions]
    answer = json.dumps({"seal": request.prompt.seal, "criteria": criteria}, ensure_ascii=False)
    return Reply(answer, input_tokens=0, output_tokens=0, usd=0.0)


def _criterion(dimension: JudgeDimension, texts: dict[str, str]) -> dict[str, Any]:
    seen = [texts[name] for name in dimension.see if name in texts]
    for pattern in dimension.patterns:
        rule = re.compile(pattern.match, re.MULTILINE)
        hit = next((found for text in seen if (found := rule.search(text))), None)
        if (hit is None) is pattern.absent:
            quote = hit[0] if hit is not None and 0 < len(hit[0]) <= _LONGEST_QUOTE else None
            return _answer(dimension.id, _reason(pattern), quote, pattern.verdict)
    if dimension.otherwise is None:
        return _answer(dimension.id, "no declared pattern applies", None, None)
    return _answer(
        dimension.id, "no declared pattern applies, so the default holds", None, dimension.otherwise
    )


def _answer(name: str, reason: str, quote: str | None, verdict: Verdict | None) -> dict[str, Any]:
    return {"id": name, "reason": reason, "quotes": [] if quote is None else [quote], "verdict": verdict}


def _reason(pattern: OfflineRule) -> str:
    return pattern.reason or f"{'not found' if pattern.absent else 'found'}: {pattern.match}"
