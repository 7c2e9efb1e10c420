"""What a command line comes to: the program behind its wrappers, and whether its failure matters."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge._lazy import late_pattern
from adjudge.evidence.shell import Command

_WRAPPERS = {
    **dict.fromkeys(("time", "exec", "command", "builtin", "nohup", "setsid", "coverage", "xvfb-run"), 0),
    **dict.fromkeys(("nice", "stdbuf", "sudo", "env", "ionice", "chronic", "unbuffer", "doas", "gosu"), 0),
    "timeout": 1,
}
"""Programs that start the program after them; the number of arguments of their own."""
_VALUE_OPTIONS = {"env": ("-u", "-C", "-S"), "sudo": ("-u", "-g"), "nice": ("-n",), "timeout": ("-s", "-k")}
UV_VALUES = (
    *("-p", "--python", "-w", "--with", "--from", "--with-requirements"),
    *("--index", "--index-url", "--project", "--with-editable", "--directory"),
)
"""Options of `uv run` and `uvx` that take a value."""
_RUNNER_VALUES = frozenset(
    {
        *("-p", "-k", "-m", "-c", "-o", "-W", "-n", "--tb", "--maxfail", "--durations", "--rootdir"),
        *("--ignore", "--deselect", "--junitxml", "--junit-xml", "--ctrf", "--timeout", "--basetemp"),
    }
)
"""Options of pytest and unittest that take a value, which is no test to collect."""
FETCHES = frozenset(
    {
        *("curl", "wget", "git", "npm", "npx", "yarn", "pnpm", "gem", "cargo", "go", "apt-get", "apt"),
        *("apk", "yum", "dnf", "pip", "pip3", "uv", "uvx", "pipx", "conda", "mamba"),
    }
)
"""Programs that fetch or install something."""
_INSTALLS = late_pattern(r"install|add|update|upgrade|clone|sync|get|ci\b|dlx")
_DOWNLOAD = late_pattern(r"\.(?:sh|gz|zip|whl|deb|tgz|xz|py|json|txt|csv)$|install|releases/download")
_LOOPBACK = late_pattern(r"://(localhost|127\.|0\.0\.0\.0|\[::1)")
_QUESTIONS = ("--version", "-V", "-v", "version", "--help", "-h")
_GOES_ON = frozenset(
    {
        *("true", ":", "exit", "return", "echo", "printf", "false", "fail", "die", "error"),
        *("abort", "warn", "log", "break", "continue"),
    }
)
"""What scripts write after `||` to go on without the result, or to end."""


def tests_named(words: tuple[str, ...]) -> list[str]:
    """What `-q -p no:cacheprovider -k slow test_a.py` asks a test runner to collect: `test_a.py`."""
    before = ("", *words)
    return [
        word
        for option, word in zip(before, words, strict=False)
        if not word.startswith("-") and option not in _RUNNER_VALUES
    ]


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command that `timeout 60 env A=1 nice pytest` comes to: `pytest`."""
    for _ in range(6):
        name = PurePosixPath(words[0]).name if words else ""
        if name not in _WRAPPERS or len(words) < 2 or (name == "command" and words[1].startswith("-")):
            return words
        rest, own = list(words[1:]), _WRAPPERS[name]
        while rest and (rest[0].startswith("-") or re.match(r"[A-Za-z_]\w*=", rest[0]) or own > 0):
            word = rest.pop(0)
            if word in _VALUE_OPTIONS.get(name, ()) and rest:
                rest.pop(0)
            elif not word.startswith("-") and "=" not in word:
                own -= 1
        if name == "coverage" and rest[:2] == ["run", "-m"]:
            return ("python3", "-m", *rest[2:])
        words = tuple(rest)
    return words


def started_by_uv(words: tuple[str, ...]) -> tuple[str, ...]:
    """What `uvx -w a -p 3.13 pytest x` or `uv run --with a pytest x` starts: `pytest x`."""
    rest = list(words[1:])
    if not words[0].endswith("uvx"):
        if rest[:1] == ["tool"]:
            del rest[0]
        if rest[:1] != ["run"]:
            return ()
        del rest[0]
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in UV_VALUES and rest:
            rest.pop(0)
    if rest:
        rest[0] = re.split(r"[=<>!~@\[]", rest[0])[0]
    return tuple(rest)


def asks_host(words: tuple[str, ...]) -> str | None:
    """The host that `curl` or `wget` asks for an answer, rather than for a file; None if it does not."""
    if any(re.fullmatch(r"-[a-zA-Z]*[oO]|--output(?:=.*)?", word) for word in words[1:]):
        return None
    urls = [word for word in words[1:] if re.match(r"https?://", word) and not _LOOPBACK.search(word)]
    if not urls or _DOWNLOAD.search(urls[0]):
        return None
    host = re.match(r"https?://([\w.-]+)", urls[0])
    return host[1] if host else None


def fetches(words: tuple[str, ...]) -> bool:
    """Does this command of `FETCHES` go to the network?"""
    if words[0] in ("curl", "wget"):
        return any("://" in word and not _LOOPBACK.search(word) for word in words)
    installs = any(_INSTALLS.match(word) for word in words[1:3])
    return words[0] in ("uvx", "npx") or installs or "run" in words[1:2]


def has_fallback(command: Command) -> bool:
    """Is there something else to do if it fails, or is it only asked whether it is there?"""
    if len(command.words) <= 3 and command.words[-1] in _QUESTIONS:
        return True
    if command.otherwise is None:
        return False
    if command.captured and not any(word.startswith("/") for word in command.words[1:]):
        return True  # a value to go on with: `$(nproc || echo 1)`
    return not gives_up(command.otherwise)


def gives_up(words: tuple[str, ...]) -> bool:
    """Does this do nothing about a failure but to go on, to say so, or to end?"""
    return not words or words[0] in _GOES_ON
