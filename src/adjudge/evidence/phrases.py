"""The forms in which programs report that something is not there, one list for each kind of lack.

A phrase matches one line, without its end and its colours. Its groups say what is missing: `name` a program,
module or host, `path` a file; `who` is the script that a shell names first. `TRIGGER` holds a part of every
phrase and passes over the lines that can match none, which are nearly all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from adjudge.evidence.sign import Lack

_Q = "['‘’\"`“”]?"
_SHELL = r"(?P<who>[^\s:]+|\S+\.sh)(?:: line \d+|: \d+)?: (?:line \d+: )?"


class Pattern(NamedTuple):
    """A regular expression that is compiled when it is first used: most verifiers say nothing that needs one."""

    text: str

    def search(self, line: str) -> re.Match[str] | None:
        return _compiled(self.text).search(line)


_compiled = cache(re.compile)


class Phrase(NamedTuple):
    """One form in which something is reported to be missing."""

    lack: Lack
    pattern: Pattern


def _phrases(lack: Lack, *patterns: str) -> list[Phrase]:
    return [Phrase(lack, Pattern(pattern)) for pattern in patterns]


_PYTHON_ERROR = r"^(?:E\s+|[|+ ]*|\S+\.py:\d+: )?(?:[\w.]+\.)?"
PHRASES = [
    *_phrases(
        Lack.COMMAND,
        rf"^{_SHELL}(?P<name>[^:]+): command not found$",
        rf"^{_SHELL}(?P<name>[^\s:]+): not found$",
        r"^zsh:(?:\d+:)? command not found: (?P<name>\S+)$",
        rf"^(?:\S*/)?(?:env|nohup|timeout|nice|xargs|setsid|stdbuf|chroot|time|ionice|sudo): (?:failed to run command |cannot run |"
        rf"can't execute )?{_Q}(?P<name>[^'‘’\":]+){_Q}: (?:No such file or directory|command not found)$",
        r"^(?P<who>\S+?)(?:: line \d+)?: (?P<name>\S+): bad interpreter: No such file or directory$",
        r"^make(?:\[\d+\])?: (?P<name>[\w.+-]+): (?:No such file or directory|Command not found)$",
        r"spawn (?P<name>[^\s/]+) ENOENT",
        r"^Can't exec \"(?P<name>[^\"]+)\": No such file",
        r"exec: \"(?P<name>[^\"]+)\": executable file not found",
        r"Cannot run program \"(?P<name>[^\"]+)\"",
        r"error: Failed to spawn: `(?P<name>[^`]+)`",
        r"^sudo: (?P<name>\S+): command not found$",
    ),
    *_phrases(
        Lack.MODULE,
        rf"{_PYTHON_ERROR}ModuleNotFoundError: No module named {_Q}(?P<name>[\w.]+)",
        rf"{_PYTHON_ERROR}ImportError: No module named {_Q}(?P<name>[\w.]+)",
        r"^(?:\S*/)?python[\d.]*: No module named (?P<name>[\w.]+)",
        r"^(?:\S*/)?python[\d.]*: Error while finding module specification for '(?P<name>[\w.]+)'",
        rf"{_PYTHON_ERROR}ImportError: cannot import name .* from '(?P<name>[\w.]+)'",
        rf"{_PYTHON_ERROR}AttributeError: (?:partially initialized )?module '(?P<name>[\w.]+)' has no attribute",
        r"Error: Cannot find (?:module|package) '(?P<name>[^'/.][^']*)'",
        r"Can't locate (?P<name>[\w/]+)\.pm in @INC",
        r"cannot load such file -- (?P<name>\S+)",
        r"there is no package called ['‘](?P<name>[\w.]+)",
        r"(?:error while loading shared libraries|ImportError): (?P<name>\S+?): cannot open shared object file",
        r"ArgumentError: Package (?P<name>\w+) not found in current path",
        r"Error: Could not find or load main class (?P<name>org\.\S+)",
    ),
    *_phrases(
        Lack.HEADER,
        r"^(?P<who>[^\s:]+):\d+:\d+: fatal error: (?P<name>[^:]+): No such file or directory$",
        r"^(?P<who>[^\s:]+):\d+:\d+: fatal error: '(?P<name>[^']+)' file not found$",
        r"\bld(?:\.\w+)?: (?:error: )?(?:cannot find|unable to find library) (?P<name>-l[\w.+-]+)",
    ),
    *_phrases(
        Lack.USER,
        r"^(?P<name>su|sudo|runuser|gosu|doas): (?:user \S+ does not exist|unknown user|a password is required|must be run|"
        r"Authentication failure|Permission denied|effective uid is not 0|unable to change to|.*no new privileges)",
    ),
    *_phrases(
        Lack.FILE,
        r"can't open file '(?P<path>[^']+)': \[Errno 2\]",
        rf"{_PYTHON_ERROR}(?:FileNotFoundError|NotADirectoryError|IOError): \[Errno \d+\] [\w ]+: '(?P<path>[^']+)'",
        r"ENOENT: no such file or directory, \w+ '(?P<path>[^']+)'",
        r"^ERROR: (?:file or directory not found|not found): (?P<path>\S+)",
        r"Error: Cannot find module '(?P<path>[/.][^']+)'",
        rf"^{_SHELL}(?:cd: |source: |\.: )?(?P<path>/[^\s:]+): No such file or directory$",
        rf"^[\w./-]+: (?:cannot [\w ]+? |can't [\w ]+? |failed to [\w ]+? )?{_Q}(?P<path>/[^'‘’\":]+){_Q}: No such file or directory$",
        r"Can't open (?:perl script )?\"?(?P<path>/[^\"\s:]+)\"?: No such file",
        r"^fatal: cannot open file `(?P<path>/[^']+)'",
        r"^Error: Unable to access jarfile (?P<path>\S+)",
    ),
    *_phrases(
        Lack.PERMISSION,
        rf"{_PYTHON_ERROR}PermissionError: \[Errno \d+\] [\w ]+: '(?P<path>[^']+)'",
        rf"{_PYTHON_ERROR}OSError: \[Errno 30\] Read-only file system: '(?P<path>[^']+)'",
        rf"^{_SHELL}(?P<path>/[^\s:]+): (?:Permission denied|Read-only file system)$",
        rf"^[\w./-]+: (?:cannot [\w ]+? |can't [\w ]+? |failed to [\w ]+? )?{_Q}(?P<path>/[^'‘’\":]+){_Q}: (?:Permission denied|Read-only file system)$",
        r"^(?:\S*/)?python[\d.]*: can't open file '(?P<path>[^']+)': \[Errno 13\]",
        r"EACCES: permission denied, \w+ '(?P<path>[^']+)'",
    ),
    *_phrases(
        Lack.NETWORK,
        r"Could not resolve host:? (?P<name>[^\s;]+)",
        r"[Tt]emporary failure (?:in name resolution|resolving '(?P<name>[^']+)')",
        r"Name or service not known",
        r"getaddrinfo (?:EAI_AGAIN|ENOTFOUND) (?P<name>\S+)",
        r"unable to resolve host address ['‘](?P<name>[^'’]+)",
        r"failed to lookup address information",
        r"Network is unreachable",
        r"Max retries exceeded with url: (?P<name>\S+)",
        r"nodename nor servname provided",
        r"dns error",
        r"Could not resolve proxy",
        r"Failed to connect to (?P<name>\S+) port \d+",
        r"^fatal: unable to access '(?P<name>[^']+)'",
    ),
    *_phrases(
        Lack.SERVICE,
        r"[Cc]annot connect to the (?P<name>Docker daemon)",
        r"[Cc]annot connect to (?P<name>Podman)",
        r"permission denied while trying to connect to the (?P<name>Docker daemon)",
    ),
    *_phrases(
        Lack.INSTALL,
        r"^E: Unable to locate package (?P<name>\S+)",
        r"^E: (?:Failed to fetch|Unable to fetch|Could not open lock file|Unable to lock|Package '(?P<name>[^']+)' has no)",
        r"^E: (?:List directory|The repository|Some index files|Could not get lock|dpkg was interrupted|Unable to acquire)",
        r"are you root\?",
        r"ERROR: (?:Could not find a version that satisfies the requirement|No matching distribution found for) (?P<name>[\w.\[\]-]+)",
        r"error: externally-managed-environment",
        r"^npm (?:ERR!|error) (?:code|network|errno)",
        r"No solution found when resolving",
        r"error: (?:Failed to (?:fetch|download|install|resolve)|Request failed|Could not connect)",
        r"error: No interpreter found for (?P<name>Python \S+)",
        r"^ERROR: unable to select packages",
        r"WARNING: Retrying \(Retry\(total=0",
        r"HTTP error .* while getting https?://(?P<name>\S+)",
    ),
    *_phrases(
        Lack.PLUGIN,
        r"^(?:(?P<who>[^\s:]+)(?: [\w-]+)*: )?error: unrecognized arguments: (?P<name>--?[\w-]+)",
        r"^E\s+fixture '(?P<name>\w+)' not found",
        r"^ImportError: Error importing plugin \"(?P<name>[\w.]+)\"",
        r"unknown (?:option|command)(?:-line)? (?:flag )?[`'\"](?P<name>--?[\w-]+)",
    ),
    *_phrases(
        Lack.VARIABLE,
        rf"^{_SHELL}(?P<name>[A-Za-z_]\w*): unbound variable$",
        r"^(?:E\s+)?KeyError: '(?P<name>[A-Z][A-Z0-9_]{3,})'$",
        r"(?:environment variable|env var) [`'\"]?(?P<name>[A-Z][A-Z0-9_]{3,})[`'\"]? (?:is )?(?:not set|missing|required)",
    ),
    *_phrases(
        Lack.OWN_ERROR,
        r"^(?P<who>/tests/\S+|\S*test\.sh)(?:: line \d+)?: (?:line \d+: )?syntax error(?P<name>) ",
        r"^(?P<who>/tests/\S+|\S*test\.sh)(?:: line \d+)?: (?:line \d+: )?unexpected EOF(?P<name>) ",
        rf"{_PYTHON_ERROR}(?P<name>SyntaxError|IndentationError|TabError): ",
        rf"{_PYTHON_ERROR}(?P<name>NameError): name '\w+' is not defined",
        r"bad substitution(?P<name>)$",
    ),
    *_phrases(
        Lack.MACHINE,
        r"(?P<name>No space left on device)",
        r"(?P<name>Cannot allocate memory)",
        r"(?P<name>fork: (?:retry: )?Resource temporarily unavailable)",
        r"(?P<name>Found no NVIDIA driver)",
        r"(?P<name>CUDA driver version is insufficient)",
        r"(?P<name>Too many open files)",
    ),
]
TRIGGER = Pattern(
    r"not found|No such file|No module|annot (?:find|open|import|run|load|allocate|connect)|no attribute|ENOENT|EACCES|denied|Read-only|"
    r"resol|unreachable|retries|dns error|not known|getaddrinfo|lookup|servname|Failed to|rror: |ERROR|^E: |root\?|ERR!|npm error|externally|"
    r"unbound|KeyError|nvironment var|env var|syntax error|unexpected EOF|bad substitution|space left|unavailable|NVIDIA|CUDA|Too many|"
    r"Can't|cannot find|fatal error|^su: |^sudo: |^runuser: |^gosu: |^doas: |no package|interpreter|spawn |exec: |not provided|No solution|unknown |HTTP error|unable to|Unable|Retry",
)
RAN = Pattern(
    r"^(?:=+ )?(?:\d+ (?:failed|passed|error|errors|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+ in [\d.]+s"
    r"|^Ran [1-9]\d* tests? in |^Tests?:\s+.*\d+ (?:passed|failed)|^test result: |^(?:ok|FAIL|PASS)\s+\S+\s+[\d.]+s"
    r"|^# (?:pass|fail) \d+|^\d+ (?:passing|failing)\b|^\[\s+(?:PASSED|FAILED)\s+\]"
)
ASSERTED = Pattern(r"Assertion .*failed\.?$|^assertion .* failed")
"""What a program in C or C++ says before it ends itself, because something that it asserts is not so."""
NONE_RAN = Pattern(
    r"^(?:=+ )?no tests ran in |^Ran 0 tests in |^collected 0 items(?: / (?P<errors>\d+) error)?|^NO TESTS RAN"
)
