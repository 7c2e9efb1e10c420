"""Model-based scoring beside the verifier's reward: rubrics, panels, abstention, calibration.

Names load on first use: a command that only asks whether a judge is calibrated needs little of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.judges.answer import JudgeAnswer, Malformed, parse_answer
    from adjudge.judges.calls.asking import Asker, CallFailed, NotAsked, Pace, Purse
    from adjudge.judges.calls.call import Ask, CallCache, CallFailure, Reply, Request
    from adjudge.judges.calls.connection import connect
    from adjudge.judges.calls.form import AnswerForm
    from adjudge.judges.calls.offline import OFFLINE, ask_offline
    from adjudge.judges.calls.price import PriceList, read_prices
    from adjudge.judges.failures import (
        began_at_turns,
        classify_failure,
        cluster_failures,
        confirm_failures,
        failure_key,
        failure_requests,
        failure_tag,
        known_failure,
        record_failure,
    )
    from adjudge.judges.judgement import CriterionResult, JudgeRecord, has_judgements, read_judgements
    from adjudge.judges.pipeline import OnInjection, Panel, first_requests, judge_trial
    from adjudge.judges.probes import count_moves, probe_trial
    from adjudge.judges.prompt import Prompt, make_prompt
    from adjudge.judges.rubric import (
        RUBRIC_NAME,
        JudgeDimension,
        JudgeRubric,
        OfflineRule,
        lint_rubric,
        load_judge_rubric,
    )
    from adjudge.judges.run import JudgeRun, JudgeTally
    from adjudge.judges.scale import Level, Scale, ScaleKind
    from adjudge.judges.trust.calibrated import (
        Calibrations,
        NewestCalibration,
        calibrated_criteria,
        newest_calibrations,
    )
    from adjudge.judges.trust.calibration import (
        UnlabelledScore,
        VerdictPair,
        calibrate_criterion,
        count_looks,
        drift,
        make_pairs,
        record_calibration,
    )
    from adjudge.judges.trust.labels import people_of, read_labels, record_labels
    from adjudge.judges.trust.reward import (
        JudgeReward,
        NotVouched,
        is_calibrated,
        standing_reward,
        trust_label,
    )
    from adjudge.judges.trust.suggest import chances, doubt, draw
    from adjudge.judges.trust.uses import Use, claim, claim_examples, quoted_by_examples
    from adjudge.judges.turns import classify_by_judge, turn_requests

__all__ = [
    "OFFLINE",
    "RUBRIC_NAME",
    "AnswerForm",
    "Ask",
    "Asker",
    "Calibrations",
    "CallCache",
    "CallFailed",
    "CallFailure",
    "CriterionResult",
    "JudgeAnswer",
    "JudgeDimension",
    "JudgeRecord",
    "JudgeReward",
    "JudgeRubric",
    "JudgeRun",
    "JudgeTally",
    "Level",
    "Malformed",
    "NewestCalibration",
    "NotAsked",
    "NotVouched",
    "OfflineRule",
    "OnInjection",
    "Pace",
    "Panel",
    "PriceList",
    "Prompt",
    "Purse",
    "Reply",
    "Request",
    "Scale",
    "ScaleKind",
    "UnlabelledScore",
    "Use",
    "VerdictPair",
    "ask_offline",
    "began_at_turns",
    "calibrate_criterion",
    "calibrated_criteria",
    "chances",
    "claim",
    "claim_examples",
    "classify_by_judge",
    "classify_failure",
    "cluster_failures",
    "confirm_failures",
    "connect",
    "count_looks",
    "count_moves",
    "doubt",
    "draw",
    "drift",
    "failure_key",
    "failure_requests",
    "failure_tag",
    "first_requests",
    "has_judgements",
    "is_calibrated",
    "judge_trial",
    "known_failure",
    "lint_rubric",
    "load_judge_rubric",
    "make_pairs",
    "make_prompt",
    "newest_calibrations",
    "parse_answer",
    "people_of",
    "probe_trial",
    "quoted_by_examples",
    "read_judgements",
    "read_labels",
    "read_prices",
    "record_calibration",
    "record_failure",
    "record_labels",
    "standing_reward",
    "trust_label",
    "turn_requests",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "answer": (
            "JudgeAnswer",
            "Malformed",
            "parse_answer",
        ),
        "calls.asking": (
            "Asker",
            "CallFailed",
            "NotAsked",
            "Pace",
            "Purse",
        ),
        "trust.calibrated": (
            "Calibrations",
            "NewestCalibration",
            "calibrated_criteria",
            "newest_calibrations",
        ),
        "trust.calibration": (
            "UnlabelledScore",
            "VerdictPair",
            "calibrate_criterion",
            "count_looks",
            "drift",
            "make_pairs",
            "record_calibration",
        ),
        "calls.call": (
            "Ask",
            "CallCache",
            "CallFailure",
            "Reply",
            "Request",
        ),
        "calls.connection": ("connect",),
        "failures": (
            "began_at_turns",
            "classify_failure",
            "cluster_failures",
            "confirm_failures",
            "failure_key",
            "failure_requests",
            "failure_tag",
            "known_failure",
            "record_failure",
        ),
        "calls.form": ("AnswerForm",),
        "judgement": (
            "CriterionResult",
            "JudgeRecord",
            "has_judgements",
            "read_judgements",
        ),
        "trust.labels": (
            "Use",
            "claim",
            "people_of",
            "read_labels",
            "record_labels",
        ),
        "calls.offline": (
            "OFFLINE",
            "ask_offline",
        ),
        "pipeline": (
            "OnInjection",
            "Panel",
            "first_requests",
            "judge_trial",
        ),
        "calls.price": (
            "PriceList",
            "read_prices",
        ),
        "probes": (
            "count_moves",
            "probe_trial",
        ),
        "prompt": (
            "Prompt",
            "make_prompt",
        ),
        "trust.reward": (
            "JudgeReward",
            "NotVouched",
            "is_calibrated",
            "standing_reward",
            "trust_label",
        ),
        "rubric": (
            "RUBRIC_NAME",
            "JudgeDimension",
            "JudgeRubric",
            "OfflineRule",
            "lint_rubric",
            "load_judge_rubric",
        ),
        "run": (
            "JudgeRun",
            "JudgeTally",
        ),
        "scale": (
            "Level",
            "Scale",
            "ScaleKind",
        ),
        "trust.suggest": (
            "chances",
            "doubt",
            "draw",
        ),
        "turns": ("classify_by_judge", "turn_requests"),
        "trust.uses": (
            "Use",
            "claim",
            "claim_examples",
            "quoted_by_examples",
        ),
    },
)
