"""A clock that shows another moment when the verifier begins, years or days ahead, to the second.

No unprivileged process can shift the kernel's clock for another, so the shift is made where a verifier asks.
A small library (`clock.c`, compiled at need where this machine has a C compiler) is put into every program by
the sandbox's `/etc/ld.so.preload`, whatever its language and however it is started. Where there is none,
the shift is made in Python alone: a `python3` before the system's on the PATH that shifts the clock and then
runs what it was asked to (so that -E, -I and -S do not matter), a `sitecustomize` for a Python that is
started by its full path, and a `date`. Each leaves a mark among the artifacts when it is in effect. Without a
mark, or if the verifier starts a program that no library can be put into, the audit says that the clock could
not be shifted, and does not call the verifier deterministic.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from adjudge._spawn import public_environment
from adjudge.audit.probes.probe import CLOCK_MARK, Conditions

_SOURCE = Path(__file__).with_name("clock.c")
_FLAGS = ("-shared", "-fPIC", "-O2", "-nostdlib", "-s", "-Wl,--build-id=none")
_COMPILE_SEC = 30
FOLDER = "/tmp/adjudge-clock"  # noqa: S108 - inside the sandbox
_SHIFT = """\
now=${EPOCHREALTIME//[.,]/}
shift_us=$(( %d000000 - ${now:-$(date +%%s)000000} ))
"""
"""In bash, when a run begins: by how many microseconds the clock must be ahead to show a moment.

A bash that is older than 5 knows whole seconds only.
"""

_SHIM = f"""\
import datetime as _d, time as _t
if not hasattr(_t, "_adjudge"):
    _N = int(open("{FOLDER}/shift").read())
    _S = _t._adjudge = _N / 1e6
    _time, _time_ns, _local, _gm, _ctime, _strf, _asc = (
        _t.time, _t.time_ns, _t.localtime, _t.gmtime, _t.ctime, _t.strftime, _t.asctime)
    _t.time = lambda: _time() + _S
    _t.time_ns = lambda: _time_ns() + _N * 1000
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
            return _R.fromtimestamp(_t.time(), _d.timezone.utc).replace(tzinfo=None)
        @classmethod
        def today(cls):
            return _R.fromtimestamp(_t.time())
    class date(_d.date, metaclass=_Meta):
        @classmethod
        def today(cls):
            return _D.fromtimestamp(_t.time())
    _R, _D = _d.datetime, _d.date
    _d.datetime, _d.date = datetime, date
    try:
        open("/logs/verifier/{CLOCK_MARK}", "w").close()
    except OSError:
        pass
"""
_LAUNCH = f"""\
import sys as _s
exec(compile(open("{FOLDER}/sitecustomize.py").read(), "clock", "exec"), {{}})
_kind, _what = _s.argv[1:3]
_s.argv[:] = [_what if _kind != "c" else "-c", *_s.argv[3:]]
if _kind == "m":
    import runpy
    runpy.run_module(_what, run_name="__main__", alter_sys=True)
elif _kind == "c" or _what == "-":
    _code = _what if _kind == "c" else _s.stdin.read()
    exec(compile(_code, "<string>" if _kind == "c" else "<stdin>", "exec"), {{"__name__": "__main__"}})
else:
    import os, runpy
    if _s.path and _s.path[0] == "":
        _s.path[0] = os.path.dirname(os.path.abspath(_what))
    runpy.run_path(_what, run_name="__main__")
"""
_WRAPPER = f"""#!/bin/bash
name=${{0##*/}}
IFS=:
for folder in $PATH; do
  [ "$folder" != {FOLDER} ] && [ -x "$folder/$name" ] && real=$folder/$name && break
done
unset IFS
flags=()
while [ $# -gt 0 ]; do
  case "$1" in
    -c) kind=c; what=$2; shift 2; break;;
    -m) kind=m; what=$2; shift 2; break;;
    -X|-W) flags+=("$1" "$2"); shift 2;;
    -V|--version|-h|--help) exec "$real" "$@";;
    -) kind=s; what=-; shift; break;;
    -*) flags+=("$1"); shift;;
    *) kind=s; what=$1; shift; break;;
  esac
done
exec "$real" "${{flags[@]}}" -c "$(cat {FOLDER}/launch)" "${{kind:-s}}" "${{what:--}}" "$@"
"""
_DATE = f"""#!/bin/bash
for a in "$@"; do case "$a" in -d*|--date*|-r*|-f*) exec /bin/date "$@";; esac; done
touch /logs/verifier/{CLOCK_MARK}
now=${{EPOCHREALTIME//[.,]/}}
exec /bin/date -d "@$(( (${{now:-$(/bin/date +%s)000000}} + $(cat {FOLDER}/shift)) / 1000000 ))" "$@"
"""


@cache
def clock_library() -> bytes | None:
    """The compiled library; None if this machine has no C compiler that makes one."""
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory(prefix="adjudge-clock-") as folder:
        made = Path(folder, "clock.so")
        try:
            subprocess.run(
                [compiler, *_FLAGS, "-o", str(made), str(_SOURCE)],
                check=True,
                capture_output=True,
                timeout=_COMPILE_SEC,
                env=public_environment(),
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return made.read_bytes()


def clock_at(moment: int, number: int = 0) -> Conditions:
    """The conditions of a run that begins at a moment (in Unix time), for every program if possible."""
    library = clock_library()
    if library is None:
        return python_clock_at(moment, number)
    text = base64.encodebytes(library).decode()
    lines = [
        "chmod u+w /etc 2>/dev/null",
        f"{_SHIFT % moment}base64 -d > /etc/adjudge-clock.so <<'ADJUDGE_END' "
        '&& echo "$shift_us" > /etc/adjudge-clock && echo /etc/adjudge-clock.so > /etc/ld.so.preload',
        f"{text}ADJUDGE_END",
        "chmod u-w /etc 2>/dev/null",
    ]
    return Conditions(before="\n".join(lines) + "\n", round=number)


def python_clock_at(moment: int, number: int = 0) -> Conditions:
    """The same for verifiers in Python, and for `date`."""
    files = {"sitecustomize.py": _SHIM, "launch": _LAUNCH, "python3": _WRAPPER, "date": _DATE}
    lines = [f"mkdir -p {FOLDER}"]
    for name, text in files.items():
        lines.append(f"cat > {FOLDER}/{name} <<'ADJUDGE_END'\n{text}ADJUDGE_END")
    lines.append(f"chmod +x {FOLDER}/python3 {FOLDER}/date; ln -s python3 {FOLDER}/python")
    lines.append(f'{_SHIFT % moment}echo "$shift_us" > {FOLDER}/shift')
    lines.append(f'export PYTHONPATH="{FOLDER}${{PYTHONPATH:+:$PYTHONPATH}}" PATH={FOLDER}:$PATH')
    return Conditions(before="\n".join(lines) + "\n", round=number)
