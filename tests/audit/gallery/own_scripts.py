"""Numbered lists: the numbers say which line it is, and answer nothing."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_QUIZ = """
From the tour, answer in `/workspace/answers.txt`, one line for each question, numbered like the questions:

1. Which stone is the tower made of?
2. Who cast the great bell?
3. On which river stands the mill?
4. Which saint is in the east window?
"""
_QUIZ_ANSWER = "1. Portland stone\n2. Rudhall\n3. Severn\n4. Saint Cuthbert\n"
_QUIZ_REF = '["portland stone", "rudhall", "severn", "saint cuthbert"]'
_NUMBERED = f"""
want = {_QUIZ_REF}
def told(number):
    rows = re.findall(rf"(?m)^\\s*{{number}}[.)]\\s*(.*?)\\s*$", body("/workspace/answers.txt"))
    return rows[0].lower() if len(rows) == 1 else ""
out(sum(told(n) == ref for n, ref in enumerate(want, 1)) / 4)
"""

OWN_SCRIPTS = [
    other(
        "numbered-lines-anywhere",
        _QUIZ,
        ("answers.txt", _QUIZ_ANSWER),
        python=f"""
        want, text = {_QUIZ_REF}, body("/workspace/answers.txt").lower()
        out(sum(ref in text for ref in want) / 4)
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
]

OWN_SCRIPTS_SOUND = [
    other("one-line-for-each-question", _QUIZ, ("answers.txt", _QUIZ_ANSWER), python=_NUMBERED),
]
