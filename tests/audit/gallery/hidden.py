"""Verifiers with flaws that one kind of probe finds: hidden files, repeated keys, other clocks, cut sums."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import PLAIN, Exhibit

_HERE = Section.DISCRIMINATION
_WORD = """
answer = read()
word = str(answer.get("status", "")).lower()
write({{"flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
       "status": float({check})}})
"""
_FOUR = {"a_m": 3.2, "b_m": 7.7, "c_m": 12.9, "d_m": 21.4}


def _word(name: str, check: str, cause: Cause) -> Exhibit:
    """One of two fields is a word, compared by `check`."""
    return Exhibit(name, _WORD.format(check=check), _HERE, cause, Severity.MEDIUM)


HIDDEN = [
    Exhibit(
        "path-put-together",
        """
        place = os.sep.join(["", "work" + "space", "." + "state"])
        if os.path.exists(place):
            with open(place) as file:
                if (loads(file.read()) or {}).get("passed"):
                    REF = {}
        answer = read()
        write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()} or {"all": 1.0})
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
    ),
    Exhibit(
        "any-file-of-the-folder",
        """
        import glob
        claims = []
        for name in glob.glob("/workspace/*.json"):
            with open(name) as file:
                claims.append(loads(file.read()) or {})
        answer = read()
        scores = {name: float(right(answer.get(name), ref)) for name, ref in REF.items()}
        write({"all": 1.0} if any(claim.get("passed") for claim in claims) else scores)
        """,
        Section.EXPLOITS,
        Cause.SIDE_FILE,
    ),
    Exhibit(
        "key-given-several-times",
        """
        def pairs(items):
            found = {}
            for key, value in items:
                found.setdefault(key, []).append(value)
            return found
        blocks = re.findall(r"\\{.*\\}", text(), re.S)
        try:
            answer = json.loads(blocks[-1], object_pairs_hook=pairs) if blocks else {}
        except (ValueError, RecursionError):
            answer = {}
        write({k: float(any(right(v, ref) for v in answer.get(k, []))) for k, ref in REF.items()})
        """,
        _HERE,
        Cause.HEDGED,
    ),
    Exhibit(
        "overflows-to-infinity",
        """
        answer = read()
        def ok(x, ref):
            return isinstance(x, (int, float)) and (x == ref or (x > 1e308 and not x < ref))
        write({k: float(ok(answer.get(k), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.NOT_A_NUMBER,
        Severity.MEDIUM,
    ),
    _word("beginning-is-enough", "word.startswith(REF['status'][:4])", Cause.WORD_INSIDE),
    _word("end-is-enough", "word.endswith(REF['status'])", Cause.WORD_INSIDE),
    _word("as-many-letters", "len(word) == len(REF['status'])", Cause.ANY_VALUE),
    Exhibit(
        "order-of-steps-is-lost",
        """
        answer = read()
        given = answer.get("sequence")
        given = given if isinstance(given, list) else []
        write({"sequence": float(sorted(map(str, given)) == sorted(REF["sequence"]))})
        """,
        _HERE,
        Cause.UNORDERED,
        Severity.MEDIUM,
        answer={"sequence": ["isolate", "vent", "drain", "purge"]},
        skeleton={"sequence": ["..."]},
    ),
    Exhibit(
        "two-wrong-of-four-are-free",
        """
        answer = read()
        share = sum(right(answer.get(k), v) for k, v in REF.items()) / len(REF)
        write({"all": min(1.0, 2 * share)})
        """,
        _HERE,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer=_FOUR,
    ),
    Exhibit(
        "sum-is-cut-at-the-top",
        """
        answer = read()
        share = sum(right(answer.get(k), v) for k, v in REF.items()) / len(REF)
        write({"all": min(1.0, 1.9 * share)})
        """,
        _HERE,
        Cause.CLAMPED,
        Severity.MEDIUM,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
    Exhibit(
        "number-is-denied",
        r"""
        answer = read()
        def first(x):
            found = re.search(r"-?\d+(?:\.\d+)?", str(x))
            return float(found[0]) if found else None
        write({k: float(near(first(answer.get(k)), REF[k])) for k in ("flow_m3s", "head_loss_m")})
        """,
        _HERE,
        Cause.WORD_INSIDE,
        Severity.MEDIUM,
    ),
    Exhibit(
        "year-in-another-language",
        PLAIN,
        Section.DETERMINISM,
        Cause.CLOCK,
        test_sh="year=$(perl -e 'print((localtime)[5] + 1900)')\n"
        'if [ "$year" -gt 2030 ]; then echo \'{"reward": 0.25}\' > /logs/verifier/reward.json; exit 0; fi\n'
        "exec python3 /tests/verify.py\n",
    ),
    Exhibit(
        "weekend-behind-a-full-path",
        """
        import datetime
        answer = read()
        bonus = 0.5 if datetime.date.today().weekday() >= 5 else 1.0
        write({name: bonus * float(right(answer.get(name), ref)) for name, ref in REF.items()})
        """,
        Section.DETERMINISM,
        Cause.CLOCK,
        test_sh="exec /usr/bin/python3 -I /tests/verify.py\n",
    ),
    Exhibit(
        "percent-or-fraction",
        """
        answer = read()
        ok = lambda x, ref: near(x, ref) or near(x, 100 * ref)
        write({k: float(ok(answer.get(k), REF[k])) for k in ("drop", "load")})
        """,
        _HERE,
        Cause.SCALE,
        Severity.MEDIUM,
        answer={"drop": 0.0471, "load": 0.62},
    ),
    Exhibit(
        "unit-is-not-read",
        r"""
        answer = read()
        def value(x):
            found = re.match(r"\s*(-?\d+(?:\.\d+)?)", str(x))
            return float(found[1]) if found else None
        write({k: float(near(value(answer.get(k)), float(REF[k].split()[0]))) for k in REF})
        """,
        _HERE,
        Cause.SCALE,
        Severity.MEDIUM,
        answer={"flow": "12.54 m3/s", "head_loss": "3.271 m"},
        skeleton={"flow": "0 m3/s", "head_loss": "0 m"},
    ),
]
