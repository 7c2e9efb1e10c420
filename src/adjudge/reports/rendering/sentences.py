"""Parts of a report in words, shared by the terminal, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from adjudge.reports.models.report import Agreement, Group, Report, Spend
from adjudge.reports.rendering import wording
from adjudge.stats import Estimate


def reward_notes(report: Report) -> list[str]:
    """What may make the interval of a mean reward untrue: each caveat once, with the groups it is about."""
    about: dict[str, list[str]] = {}
    for group in report.groups:
        for caveat in group.reward.caveats:
            about.setdefault(caveat, []).append(group.name)
    return [f"{wording.some(names)}: {caveat}" for caveat, names in about.items()]


def pass_notes(report: Report, most: int = 12) -> list[str]:
    """What to know about pass rates: why one is undefined, what was left out. Each once, with its agent."""
    found = dict.fromkeys(
        f"{group.name}, {named.name}: {note}"
        for group in report.groups
        for named in group.passes
        for note in (named.estimate.reason, *named.estimate.caveats, *named.estimate.notes)
        if note and note not in (group.reward.reason, *group.reward.caveats, *group.reward.notes)
    )
    more = [f"{len(found) - most} such notes more"] if len(found) > most else []
    return [*list(found)[:most], *more]


def agreement_sentences(report: Report) -> Iterator[str]:
    """The agreement section in sentences; shared with Markdown. Nothing where there is no such section."""
    found = report.agreement
    if found is None:
        return
    yield (
        f"{wording.count(found.reviewers, 'reviewer')} judged {wording.count(found.annotated, 'trial')}: "
        f"{wording.count(found.annotations, 'judgment')}, {found.deferred:,} deferred."
    )
    for pair in found.pairs:
        both = pair.both_pass + pair.both_fail
        total = both + pair.only_a + pair.only_b
        yield (
            f"{pair.a.capitalize()} and {pair.b} agree on {both:,} of {total:,} trials "
            f"({pair.only_a:,} passed by the {pair.a} alone, {pair.only_b:,} by the {pair.b} alone): "
            f"{_measure(pair.kappa)}; {_measure(pair.ac1)}."
        )
    if found.among_reviewers:
        yield "Reviewers among themselves: " + "; ".join(map(_measure, found.among_reviewers)) + "."
    yield from _people(found)
    total = len(found.disagreements) + found.more_disagreements
    if total:
        where = wording.count(total, "trial")
        yield f"People contradict the reward on {where}; adjudge trials --disagreement lists them."


def _people(found: Agreement) -> Iterator[str]:
    """What people would say of all trials; why it cannot be told is said once."""
    reasons = dict.fromkeys(named.estimate.reason for named in found.people if named.estimate.value is None)
    if found.people and all(named.estimate.value is None for named in found.people):
        why = "; ".join(reason for reason in reasons if reason)
        yield f"What people would say of all trials is not known: {why}."
        return
    for named in found.people:
        yield f"{named.name[:1].upper()}{named.name[1:]}: {_plain(named.estimate)}."
    for note in dict.fromkeys(note for named in found.people for note in named.estimate.caveats):
        yield f"{note[:1].upper()}{note[1:]}."


REVIEWER_HEADS = ("", "trials", "both pass", "first alone", "second alone", "both fail", "kappa", "AC1")


def reviewer_rows(report: Report) -> list[list[str]]:
    """What `REVIEWER_HEADS` name, one row per reviewer and verifier, or pair of reviewers."""
    pairs = () if report.agreement is None else report.agreement.by_reviewer
    return [
        [
            f"{pair.a} and {pair.b}",
            *(
                f"{count:,}"
                for count in (
                    pair.both_pass + pair.only_a + pair.only_b + pair.both_fail,
                    pair.both_pass,
                    pair.only_a,
                    pair.only_b,
                    pair.both_fail,
                )
            ),
            wording.estimate(pair.kappa),
            wording.estimate(pair.ac1),
        ]
        for pair in pairs
    ]


def _measure(found: Estimate) -> str:
    return f"{found.method} {_plain(found)}"


def _plain(found: Estimate) -> str:
    return wording.estimate(found) + (f" ({found.reason})" if found.reason else "")


SPEND_HEADS = (
    "cost per trial",
    "cost in all",
    "cost per success",
    "agent's time per trial",
    "agent's time, median and 95 %",
    "tokens per trial, in and out",
    "verifier's time per trial",
)


def spend_cells(group: Group) -> list[str]:
    """What `SPEND_HEADS` name; `not known` where it is not."""
    agent = group.agent_sec.per_trial if group.agent_sec else None
    return [
        wording.money(group.cost_usd.per_trial),
        wording.money(group.cost_usd.total),
        _per_success(group),
        wording.seconds(agent),
        _two(group.agent_sec, wording.seconds),
        _tokens(group),
        wording.seconds(group.verifier_sec.per_trial),
    ]


def _per_success(group: Group) -> str:
    """The price of a success; that there was none, if all costs are known, is no lack of knowledge."""
    if group.cost_per_success is None and group.cost_usd.known == group.trials:
        return "no success"
    return wording.money(group.cost_per_success)


def _two(found: Spend | None, write: Callable[[float | None], str]) -> str:
    if found is None or found.median is None:
        return wording.NOT_KNOWN
    return f"{write(found.median)}, {write(found.p95)}"


def _tokens(group: Group) -> str:
    used = [None if found is None else found.per_trial for found in (group.input_tokens, group.output_tokens)]
    if used == [None, None]:
        return wording.NOT_KNOWN
    return ", ".join(wording.NOT_KNOWN if n is None else f"{n:,.0f}" for n in used)


def trend_rows(report: Report) -> list[list[str]]:
    """The group, then its mean reward in each experiment; nothing without a trend."""
    if report.trend is None:
        return []
    return [
        [name, *("–" if found is None else wording.estimate(found) for found in row)]
        for name, row in zip(report.trend.groups, report.trend.rewards, strict=True)
    ]


def trend_notes(report: Report) -> list[str]:
    """What the table of a trend leaves out, and what it does not say."""
    if report.trend is None:
        return []
    left = [
        wording.count(number, what)
        for number, what in (
            (report.trend.earlier, "earlier experiment"),
            (report.trend.more_groups, "further group"),
        )
        if number
    ]
    return [
        "Experiments may differ in their tasks; adjudge compare --by experiment holds two of them against "
        "each other on the tasks they share.",
        *([f"Not shown: {' and '.join(left)}."] if left else []),
    ]


JUDGE_HEADS = ("judge", "what", "trust", "mean", "trials", "abstained")


def judge_table(report: Report) -> list[list[str]]:
    """Judges' scores: who, on what, whether to trust it, the mean with its interval, and on how many."""
    return [
        [
            f"{', '.join(row.models)}{f' × {row.samples}' if row.samples > 1 else ''}, {row.rubric}",
            row.what,
            row.trust,
            "–" if row.overall is None else wording.estimate(row.overall),
            f"{row.trials:,}",
            f"{row.abstained:,}",
        ]
        for row in report.judges
    ]
