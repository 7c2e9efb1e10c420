"""Settings that have to be in force: verifiers that find them in comments, too, and one that does not."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_ASKED = """The proxy in `/workspace/proxy.conf` is open to all. Set these in place, each on a line of its
own, and leave the other lines as they are; comments may stay or go:

    max_clients 200
    timeout_s 30
    tls on
    log_level info
"""
_GIVEN = "# proxy of the east wing\nlisten 8080\n\nroot /srv/www\n"
_FILES = {
    "task.toml": '[output]\npath = "/workspace/proxy.conf"\n',
    "environment/Dockerfile": "FROM debian:12\nCOPY proxy.conf /workspace/proxy.conf\n",
    "environment/proxy.conf": _GIVEN,
}
_RIGHT = f"{_GIVEN}max_clients 200\ntimeout_s 30\ntls on\nlog_level info\n"
_SCRIPT = """
conf=/workspace/proxy.conf
met=0
if grep -Eqx 'listen 8080' "$conf" && grep -Eqx 'root /srv/www' "$conf"; then
  for want in 'max_clients 200' 'timeout_s 30' 'tls on' 'log_level info'; do
    name=${{want%% *}}
    if grep -Eq '{begin}'"$want"'[[:space:]]*$' "$conf" &&
      ! grep -E "^[[:space:]]*$name[[:space:]]" "$conf" | grep -Evqx "[[:space:]]*$want[[:space:]]*"; then
      met=$((met + 1))
    fi
  done
fi
awk -v met="$met" 'BEGIN {{ printf "{{\\"reward\\": %.4f}}\\n", met / 4 }}' > /logs/verifier/reward.json
"""
_LIMITS = """Write the limits of the batch queue to `/workspace/limits.ini` as `name = value` lines below
`[batch]`: cpus 8, memory_gb 32, hours 12. A remark on a line of its own begins with a semicolon.
"""
_READ_LIMITS = """
        text = body("/workspace/limits.ini")
        WANTED = {"cpus": 8, "memory_gb": 32, "hours": 12}
        found = {name: re.findall(r"%s" %% name, text, re.M) for name in WANTED}
        right = [found[name] == [str(value)] for name, value in WANTED.items()]
        out(sum(right) / len(right) if "[batch]" in text.splitlines() else 0.0)
"""


def _proxy(name: str, begin: str, **found: object) -> Exhibit:
    script = _SCRIPT.format(begin=begin)
    return other(name, _ASKED, ("proxy.conf", _RIGHT), script=script, files=_FILES, **found)  # type: ignore[arg-type]


def _limits(name: str, line: str, **found: object) -> Exhibit:
    right = "[batch]\ncpus = 8\nmemory_gb = 32\nhours = 12\n"
    return other(name, _LIMITS, ("limits.ini", right), python=_READ_LIMITS % line, **found)  # type: ignore[arg-type]


_FOUND = {"section": Section.DISCRIMINATION, "cause": Cause.ANYWHERE}
IN_FORCE = [
    _proxy("settings-in-comments-of-a-proxy", r"(^|[^[:alnum:]])", **_FOUND),
    _limits("limits-behind-a-semicolon", r"\b%s *= *(\d+) *\r?$", **_FOUND),
]
IN_FORCE_SOUND = [
    _proxy("settings-in-force-of-a-proxy", r"^[[:space:]]*"),
    _limits("limits-in-force", r"^%s *= *(\d+) *\r?$"),
]
