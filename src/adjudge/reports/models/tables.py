"""Trials as tables for other tools: a row per trial, per field, or per criterion that judges answered.

The columns here are the whole definition: names, types and meaning, in order. Parquet, CSV, JSONL,
`adjudge.frame` and docs/export.md all follow them. Unknown is null, never 0 or an empty string.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from msgspec import Struct

Level = Literal["trial", "field", "judgement"]
"""What a row stands for."""
Kind = Literal["string", "int", "float", "bool", "time", "strings", "json"]


class TableFormat(StrEnum):
    """What a table is written as."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


class Column(Struct, frozen=True):
    """One column: `json` is a JSON document as text, `strings` a list, `time` a moment in UTC."""

    name: str
    kind: Kind
    meaning: str


_WHO: tuple[Column, ...] = (
    Column("trial_id", "string", "The trial's id."),
    Column("experiment", "string", "The experiment it belongs to."),
    Column("task", "string", "The task's id."),
    Column("task_digest", "string", "SHA-256 of the task that made this evaluation."),
    Column("agent", "string", "The agent's name."),
    Column("model", "string", "The agent's model."),
    Column("attempt", "int", "Which attempt, from 1."),
    Column("reward", "float", "The reward, 0 to 1; 0.0 if the verifier failed: see `outcome`."),
    Column("outcome", "string", "scored, wrong, nothing usable, suspected or machinery failed."),
)
TRIAL_COLUMNS: tuple[Column, ...] = (
    *_WHO,
    Column("output_parseable", "bool", "Did the output parse as its declared format?"),
    Column("schema_valid", "bool", "Did it match the expected shape?"),
    Column("verifier_completed", "bool", "Did a usable reward appear?"),
    Column("validity_errors", "strings", "What was wrong, in words."),
    Column("tags", "strings", "Categories of the error taxonomy, in order, repeated as set."),
    Column("tag_sources", "strings", "Who set each tag: mechanical, human or judge."),
    Column("reviews_pass", "int", "Reviewers who say pass."),
    Column("reviews_fail", "int", "Reviewers who say fail."),
    Column("reviews_defer", "int", "Reviewers who cannot tell."),
    Column("disagreement", "bool", "Does a reviewer contradict the reward (at 0.5)? Null without reviews."),
    Column("agreement", "float", "Agreement on this result: its own, else of its reviewers; null below two."),
    Column("agreement_method", "string", "What that agreement is."),
    Column("interval_low", "float", "Lower end of the result's own interval, if it has one."),
    Column("interval_high", "float", "Upper end of it."),
    Column("interval_level", "float", "Its level."),
    Column("scored_by", "string", "verifier or judge."),
    Column("backend", "string", "Where the verifier ran."),
    Column("exit_code", "int", "The verifier's exit code; null if no process ran to its end."),
    Column("verifier_sec", "float", "How long the verifier ran."),
    Column("limits_hit", "strings", "The limits the verifier ran into."),
    Column("reused_from", "string", "The evaluation that was reused instead of running the verifier."),
    Column("output_path", "string", "Where the output was found, as the caller named it."),
    Column("output_sha256", "string", "SHA-256 of the output; null if there was none."),
    Column("output_bytes", "int", "Its size."),
    Column("output_type", "string", "Its media type."),
    Column("cost_usd", "float", "What the agent cost."),
    Column("input_tokens", "int", "Tokens the agent read."),
    Column("cached_tokens", "int", "Of them from a cache."),
    Column("output_tokens", "int", "Tokens the agent wrote."),
    Column("agent_sec", "float", "How long the agent took."),
    Column("started_at", "time", "When the agent began."),
    Column("finished_at", "time", "When it was done."),
    Column("scored_at", "time", "When this evaluation was made."),
    Column("adjudge_version", "string", "The version of adjudge that made it."),
    Column("agent_config", "json", "The agent's configuration."),
    Column("metadata", "json", "The trial's metadata."),
    Column("breakdown", "json", "`details.json` as the verifier wrote it."),
    Column("judge_score", "float", "Score of the newest judgement; null if it abstained. No reward."),
    Column("judge_trust", "string", "calibrated or uncalibrated: can that score be trusted?"),
    Column("judge_abstained", "string", "Why it abstained."),
    Column("judge_rubric", "string", "The rubric of its newest judgement."),
    Column("judge_models", "strings", "The models that were asked."),
    Column("judge_reward", "float", "Reward that includes the judge; null unless calibrations vouch for it."),
    Column("judge_calibrations", "strings", "The calibrations that vouch for it."),
    Column("judge_reward_refused", "string", "Why there is none, if there is a judgement."),
)
FIELD_COLUMNS: tuple[Column, ...] = (
    *_WHO,
    Column("position", "int", "The field's place in the breakdown, from 1."),
    Column("field", "string", "The field; groups are joined by dots."),
    Column("score", "float", "Its score; null if it does not apply."),
    Column("max_score", "float", "What the score is out of; null if nothing says."),
    Column("share", "float", "score / max_score, cut to 0 to 1; null if either is unknown."),
    Column("weight", "float", "Its weight, if the breakdown states one."),
    Column("evidence", "string", "What the verifier saw."),
)
JUDGEMENT_COLUMNS: tuple[Column, ...] = (
    *_WHO,
    Column("judgement", "int", "Which judgement of the trial, from 1, the oldest first."),
    Column("rubric", "string", "The rubric."),
    Column("rubric_digest", "string", "SHA-256 of the rubric."),
    Column("judge", "string", "SHA-256 of what makes the judge: models, settings, prompt, rubric."),
    Column("models", "strings", "The models that were asked."),
    Column("samples", "int", "Answers of each."),
    Column("judgement_score", "float", "Score of the whole judgement; null if it abstained."),
    Column("judge_reward", "float", "Reward that includes the judge; null unless calibrations vouch for it."),
    Column("judge_calibrations", "strings", "The calibrations that vouch for it."),
    Column("judge_reward_refused", "string", "Why there is none."),
    Column("suspected", "strings", "What in the agent's text speaks to the judge."),
    Column("criterion", "string", "The dimension of the rubric."),
    Column("by", "string", "judge, or mechanical: from the breakdown."),
    Column("score", "float", "Its score, 0 to 1; null if it abstained."),
    Column("verdict", "string", "The verdict as JSON."),
    Column("trust", "string", "calibrated or uncalibrated, of a judge's criterion."),
    Column("abstained", "string", "Why it abstained."),
    Column("weight", "float", "Its weight."),
    Column("agreement", "float", "Share of pairs of verdicts that are the same; null below two."),
    Column("spread", "float", "From the lowest verdict to the highest."),
    Column("votes", "int", "Verdicts and abstentions asked for."),
    Column("dissent", "int", "Verdicts that differ from the settled one."),
    Column("quotes", "strings", "Quotes that stand in the output."),
    Column("invented_quotes", "int", "Quotes that do not."),
    Column("evidence", "string", "The reason that settled it."),
)
COLUMNS: dict[Level, tuple[Column, ...]] = {
    "trial": TRIAL_COLUMNS,
    "field": FIELD_COLUMNS,
    "judgement": JUDGEMENT_COLUMNS,
}
