"""A clock that is years ahead, for verifiers written in Python and for `date`.

No unprivileged process can shift the kernel's clock for another, so the shift is made where a verifier asks:
a `sitecustomize` that Python imports at its start, and a `date` before the system's on the PATH. It leaves a
mark among the artifacts when it is in effect; without the mark (a verifier that starts Python with -E, -I or
-S, or asks in another language) the audit says that the clock could not be shifted.
"""

from __future__ import annotations

from adjudge.audit.probes.probe import CLOCK_MARK, Conditions

FOLDER = "/tmp/adjudge-clock"  # noqa: S108 - inside the sandbox
YEARS = 7
_SECONDS = YEARS * 365 * 86400 + 86400 * 45

_SHIM = f"""\
import datetime as _d, time as _t
_S = {_SECONDS}
_time, _time_ns, _local, _gm, _ctime, _strf, _asc = (
    _t.time, _t.time_ns, _t.localtime, _t.gmtime, _t.ctime, _t.strftime, _t.asctime)
_t.time = lambda: _time() + _S
_t.time_ns = lambda: _time_ns() + _S * 10**9
_t.localtime = lambda s=None: _local(_t.time() if s is None else s)
_t.gmtime = lambda s=None: _gm(_t.time() if s is None else s)
_t.ctime = lambda s=None: _ctime(_t.time() if s is None else s)
_t.strftime = lambda f, t=None: _strf(f, _t.localtime() if t is None else t)
_t.asctime = lambda t=None: _asc(_t.localtime() if t is None else t)
class _Meta(type):
    def __instancecheck__(cls, x):
        return isinstance(x, cls.__mro__[1])
class datetime(_d.datetime, metaclass=_Meta):
    @classmethod
    def now(cls, tz=None):
        return _R.fromtimestamp(_t.time(), tz)
    @classmethod
    def utcnow(cls):
        return _R.utcfromtimestamp(_t.time())
    @classmethod
    def today(cls):
        return _R.fromtimestamp(_t.time())
class date(_d.date, metaclass=_Meta):
    @classmethod
    def today(cls):
        return _D.fromtimestamp(_t.time())
_R, _D = _d.datetime, _d.date
_d.datetime, _d.date = datetime, date
open("/logs/verifier/{CLOCK_MARK}", "w").close()
"""
_DATE = f"""#!/bin/bash
for a in "$@"; do case "$a" in -d*|--date*|-r*|-f*) exec /bin/date "$@";; esac; done
touch /logs/verifier/{CLOCK_MARK}
exec /bin/date -d "@$(( $(/bin/date +%s) + {_SECONDS} ))" "$@"
"""
_BEFORE = f"""mkdir -p {FOLDER}
cat > {FOLDER}/sitecustomize.py <<'ADJUDGE_END'
{_SHIM}ADJUDGE_END
cat > {FOLDER}/date <<'ADJUDGE_END'
{_DATE}ADJUDGE_END
chmod +x {FOLDER}/date
export PYTHONPATH={FOLDER} PATH={FOLDER}:$PATH
"""


def shifted_clock(number: int = 0) -> Conditions:
    """The conditions of a run in which it is years later."""
    return Conditions(before=_BEFORE, round=number)
