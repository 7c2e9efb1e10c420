"""Score one output: gates, verifier, artifacts -> EvaluationResult; and the rubric scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.contracts import (
        FILE_LEFT_OUT,
        LIMIT_HIT,
        MECHANICAL_CATEGORIES,
        MODULE_SHADOWS,
        OUTPUT_MISSING,
        OUTPUT_STOPPED_VERIFIER,
        OUTPUT_UNUSABLE,
        REWARD_DISAGREES,
        VERIFIER_FAILURE,
        VERIFIER_SUSPECTED,
        VERIFIER_UNFIT,
        Outcome,
        is_machinery_failure,
        mechanical,
        outcome_of,
    )
    from adjudge.scoring.artifacts import ArtifactNames, beside_the_reward
    from adjudge.scoring.breakdown import FieldScore, breakdown_rows
    from adjudge.scoring.contradicting import contradiction
    from adjudge.scoring.diagnosis import comparisons, diagnose_breakdown, diagnose_result
    from adjudge.scoring.pipeline import (
        NOT_RUN,
        control_for,
        score,
        score_bytes,
        score_output,
        score_text,
        score_trial,
    )
    from adjudge.scoring.provided import files_of_image, with_provided
    from adjudge.scoring.record import make_record, record_again
    from adjudge.scoring.result import VerifierResult, ingest, read_artifacts, read_verifier_result
    from adjudge.scoring.rollups import check_rollup, register_rollup, rollup_names
    from adjudge.scoring.rubric import load_rubric, score_rubric
    from adjudge.scoring.rubric_many import score_rubric_many
    from adjudge.scoring.scored import Scored
    from adjudge.scoring.solution import run_producer, run_solution, solution_of
    from adjudge.scoring.standing import Control, Standing
    from adjudge.scoring.verifier import artifact_places, run_job, writable_tests
    from adjudge.scoring.warm import differed

__all__ = [
    "FILE_LEFT_OUT",
    "LIMIT_HIT",
    "MECHANICAL_CATEGORIES",
    "MODULE_SHADOWS",
    "NOT_RUN",
    "OUTPUT_MISSING",
    "OUTPUT_STOPPED_VERIFIER",
    "OUTPUT_UNUSABLE",
    "REWARD_DISAGREES",
    "VERIFIER_FAILURE",
    "VERIFIER_SUSPECTED",
    "VERIFIER_UNFIT",
    "ArtifactNames",
    "Control",
    "FieldScore",
    "Outcome",
    "Scored",
    "Standing",
    "VerifierResult",
    "artifact_places",
    "beside_the_reward",
    "breakdown_rows",
    "check_rollup",
    "comparisons",
    "contradiction",
    "control_for",
    "diagnose_breakdown",
    "diagnose_result",
    "differed",
    "files_of_image",
    "ingest",
    "is_machinery_failure",
    "load_rubric",
    "make_record",
    "mechanical",
    "outcome_of",
    "read_artifacts",
    "read_verifier_result",
    "record_again",
    "register_rollup",
    "rollup_names",
    "run_job",
    "run_producer",
    "run_solution",
    "score",
    "score_bytes",
    "score_output",
    "score_rubric",
    "score_rubric_many",
    "score_text",
    "score_trial",
    "solution_of",
    "with_provided",
    "writable_tests",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "adjudge.contracts": (
            "FILE_LEFT_OUT",
            "LIMIT_HIT",
            "MECHANICAL_CATEGORIES",
            "MODULE_SHADOWS",
            "OUTPUT_MISSING",
            "OUTPUT_STOPPED_VERIFIER",
            "OUTPUT_UNUSABLE",
            "Outcome",
            "REWARD_DISAGREES",
            "VERIFIER_FAILURE",
            "VERIFIER_SUSPECTED",
            "VERIFIER_UNFIT",
            "is_machinery_failure",
            "mechanical",
            "outcome_of",
        ),
        "artifacts": ("ArtifactNames", "beside_the_reward"),
        "breakdown": ("FieldScore", "breakdown_rows"),
        "contradicting": ("contradiction",),
        "diagnosis": ("comparisons", "diagnose_breakdown", "diagnose_result"),
        "pipeline": (
            "NOT_RUN",
            "control_for",
            "score",
            "score_bytes",
            "score_output",
            "score_text",
            "score_trial",
        ),
        "record": ("make_record", "record_again"),
        "result": ("VerifierResult", "ingest", "read_artifacts", "read_verifier_result"),
        "rollups": ("check_rollup", "register_rollup", "rollup_names"),
        "rubric": ("load_rubric", "score_rubric"),
        "rubric_many": ("score_rubric_many",),
        "scored": ("Scored",),
        "provided": ("files_of_image", "with_provided"),
        "solution": ("run_producer", "run_solution", "solution_of"),
        "standing": ("Control", "Standing"),
        "verifier": ("artifact_places", "run_job", "writable_tests"),
        "warm": ("differed",),
    },
)
