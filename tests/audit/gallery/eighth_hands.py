"""What the eighth set of verifiers by another hand taught: flaws that were missed, and two false alarms."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other
from audit.gallery.sixth_hands import READ_JSON

_FIELDS, _FORMAT = Section.DISCRIMINATION, Section.FORMAT
_MEDIUM = Severity.MEDIUM
_READ_LINES = """
        text = body("/workspace/report.txt")
        def line(label):
            found = [one for one in text.splitlines() if one.strip().lower().startswith(label)]
            return found[0] if len(found) == 1 else ""
"""

EIGHTH_HANDS = [
    other(
        "comma-is-a-separator",
        "Write `/workspace/report.txt` with two lines, `Dose: <mg>` and `Volume: <ml>`, with a decimal "
        "point or a comma.",
        ("report.txt", "Dose: 12.5\nVolume: 0.75\n"),
        python=f"""{_READ_LINES}
        def value(label):
            match = re.fullmatch(r"\\w+: *([0-9][0-9.,]*) *", line(label))
            try:
                return float(match[1].replace(",", "")) if match else None
            except ValueError:
                return None
        got = [value("dose"), value("volume")]
        due = [12.5, 0.75]
        out(sum(x is not None and abs(x - ref) <= 0.001 for x, ref in zip(got, due)) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "digits-of-the-unit",
        "Write `/workspace/report.txt` with one line for the `Area` and one for the `Volume` of the tank. "
        "The unit may stand before or after the value.",
        ("report.txt", "Area: 41.25 m2\nVolume: 118.5 m3\n"),
        python=f"""{_READ_LINES}
        def value(label):
            match = re.search(r"[0-9]+(?:[.][0-9]+)?", line(label))
            return float(match[0]) if match else None
        got = [value("area"), value("volume")]
        due = [41.25, 118.5]
        out(sum(x is not None and abs(x - ref) <= 0.01 for x, ref in zip(got, due)) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
    other(
        "zeros-at-the-end",
        "The odds of both teams with three decimals, as strings or numbers: `/workspace/answer.json`, "
        '`{"home": "1.234", "away": "1.234"}`.',
        ("answer.json", '{"home": "1.850", "away": "2.125"}\n'),
        python=f"""{READ_JSON}
        due = {{"home": "1.850", "away": "2.125"}}
        out(sum(str(answer.get(key)) == ref for key, ref in due.items()) / 2)
        """,
        section=_FORMAT,
        cause=Cause.SPELLING,
        severity=_MEDIUM,
    ),
]

EIGHTH_SOUND = [
    other(
        "sums-are-announced",
        "The price of the order and its tax, as numbers or as arithmetic expressions in quotes (digits, "
        'points and the signs + - * /): `/workspace/answer.json`, `{"price": 0.0, "tax": "0.1 * 20"}`.',
        ("answer.json", '{"price": 86.4, "tax": 16.416}\n'),
        python=f"""{READ_JSON}
        def product(text):
            value, sign = 1.0, "*"
            for part in re.split(r"([*/])", text):
                if part in ("*", "/"):
                    sign = part
                else:
                    value = value * float(part) if sign == "*" else value / float(part)
            return value
        def worked_out(x):
            if isinstance(x, str):
                x = x.strip("() ").replace(" ", "")
                if not re.fullmatch(r"[-+]?[0-9.]{{1,24}}([-+*/][0-9.]{{1,24}}){{0,9}}", x):
                    return None
                try:
                    return sum(product(part) for part in re.findall(r"[-+]?[^-+]+", x))
                except (ValueError, ZeroDivisionError):
                    return None
            return x if number(x) else None
        due = {{"price": 86.4, "tax": 16.416}}
        got = {{key: worked_out(answer.get(key)) for key in due}}
        out(sum(got[key] is not None and abs(got[key] - ref) <= 0.005 for key, ref in due.items()) / 2)
        """,
    ),
]
