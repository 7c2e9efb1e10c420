"""Runs inside the sandbox, in place of `uv`, `uvx`, `pip`, `apt-get` and `curl`: standard library only.

Each serves exactly what was prepared and nothing else: an install of a prepared package succeeds without
doing anything, since it is there; any other fails with the words its namesake would use. Never imported by
adjudge; the file is shown to the verifier and started by small shell scripts beside it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = {
    *(
        "-p",
        "--python",
        "-w",
        "--with",
        "--from",
        "--with-requirements",
        "--index",
        "--index-url",
        "--project",
    ),
    *(
        "-i",
        "--extra-index-url",
        "-r",
        "--requirement",
        "-t",
        "--target",
        "-c",
        "--constraint",
        "--directory",
    ),
    *("--timeout", "--retries", "--root", "--prefix", "-f", "--find-links", "--trusted-host", "--cache-dir"),
}
ALWAYS_THERE = {"pip", "setuptools", "wheel", "uv", "python", "python3", "bash", "sh"}
HARMLESS = re.compile(r"ca-certificates|apt-transport-https|python3?(-.*)?|locales|gnupg|build-essential")
INSTALLER = """mkdir -p "$HOME/.local/bin"
printf 'export PATH="$HOME/.local/bin:$PATH"\\n' > "$HOME/.local/bin/env"
"""


def served() -> dict[str, str]:
    """The prepared packages: name -> version."""
    with open(os.path.join(HERE, "served"), encoding="utf-8") as file:
        rows = [row.split() for row in file.read().splitlines() if row.strip()]
    return {row[0]: row[1] for row in rows}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def missing(requirements: list[str]) -> list[str]:
    """Those that were not prepared, or in another version than is asked for."""
    here = served()
    lacking = []
    for item in requirements:
        name = normal(re.split(r"[\[<>=!~\s;@]", item)[0])
        exact = re.search(r"==\s*([\w.+!]+)", item)
        known = here.get(name)
        if name in ALWAYS_THERE:
            continue
        if known is None or (exact is not None and exact[1] != known):
            lacking.append(item)
    return lacking


def split(arguments: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The options before the first plain word, with their values, and the rest."""
    options, rest = [], list(arguments)
    while rest and rest[0].startswith("-"):
        name, equals, value = rest.pop(0).partition("=")
        if not equals and name in VALUES and rest:
            value = rest.pop(0)
        options.append((name, value))
    return options, rest


def check_python(options: list[tuple[str, str]]) -> None:
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for name, value in options:
        asked = re.fullmatch(r"(?:cpython-?|python)?(\d+\.\d+)(?:\.\d+)?", value)
        if name in ("-p", "--python") and asked is not None and asked[1] != mine:
            print(f"adjudge: Python {asked[1]} is not here; this runs with {mine}", file=sys.stderr)


def start(command: list[str]) -> None:
    """Become the program: one of the prepared packages, else one on the PATH."""
    if not command:
        sys.exit(0)
    if command[0].endswith(".py") and os.path.isfile(command[0]):
        command = ["python3", *command]
    program = re.split(r"[=<>!~@\[]", command[0])[0]
    found = shutil.which(program)
    if found is None:
        print(f"error: Failed to spawn: `{program}`", file=sys.stderr)
        sys.exit(2)
    os.execv(found, [program, *command[1:]])


def run_with(arguments: list[str], *, tool: bool) -> None:
    options, rest = split(arguments)
    check_python(options)
    asked = [
        part for name, value in options if name in ("-w", "--with", "--from") for part in value.split(",")
    ]
    if tool and rest and not any(name == "--from" for name, _ in options):
        asked.append(rest[0].replace("@", "=="))
    refuse(asked)
    start(rest)


def refuse(asked: list[str]) -> None:
    if lacking := missing([item for item in asked if item]):
        print(
            f"ERROR: No matching distribution found for {lacking[0]} (it was not prepared)", file=sys.stderr
        )
        sys.exit(1)


def install(arguments: list[str]) -> None:
    asked, rest = [], list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ("-r", "--requirement") and rest:
            asked += rows_of(rest.pop(0))
        elif word in VALUES and rest:
            rest.pop(0)
        elif not word.startswith("-"):
            asked.append(word)
    refuse(asked)
    print("Requirement already satisfied")


def rows_of(path: str, depth: int = 5) -> list[str]:
    """The requirements in a file, and in those that it names."""
    found = []
    try:
        with open(path, encoding="utf-8") as file:
            for row in file:
                named = re.match(r"\s*(?:-r|--requirement)[\s=]+(\S+)", row)
                if named is not None and depth:
                    found += rows_of(os.path.join(os.path.dirname(path), named[1]), depth - 1)
                else:
                    found.append(row.partition("#")[0].partition(";")[0].strip())
    except OSError as error:
        print(f"ERROR: Could not open requirements file: {error}", file=sys.stderr)
        sys.exit(1)
    return found


def uv(arguments: list[str]) -> None:
    if arguments[:1] == ["run"]:
        run_with(arguments[1:], tool=False)
    elif arguments[:2] == ["tool", "run"]:
        run_with(arguments[2:], tool=True)
    elif arguments[:2] in (["pip", "install"], ["tool", "install"]) or arguments[:1] == ["add"]:
        install(arguments[1 if arguments[0] == "add" else 2 :])
    elif arguments[:1] == ["venv"]:
        make_venv(next((word for word in arguments[1:] if not word.startswith("-")), ".venv"))
    elif arguments[:1] in (["--version"], ["self"], ["init"], ["sync"], ["python"]):
        print("uv 0.0.0 (adjudge)")
    else:
        print(f"error: uv {' '.join(arguments[:1])} is not served here", file=sys.stderr)
        sys.exit(2)


def make_venv(folder: str) -> None:
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    with open(os.path.join(folder, "bin", "activate"), "w", encoding="utf-8") as file:
        file.write(f"export VIRTUAL_ENV={folder!r}\n")


def pip(arguments: list[str]) -> None:
    options, rest = split(arguments)
    if rest[:1] == ["install"]:
        install(rest[1:])
    elif rest[:1] in (["list"], ["freeze"]):
        print("\n".join(f"{name}=={version}" for name, version in sorted(served().items())))
    elif any(name in ("--version", "-V") for name, _ in options):
        print("pip 0.0 (adjudge)")
    else:
        print(f"ERROR: unknown command {rest[:1]}", file=sys.stderr)
        sys.exit(1)


def apt(arguments: list[str]) -> None:
    words = [word for word in arguments if not word.startswith("-")]
    if words[:1] != ["install"]:
        return
    for word in words[1:]:
        if not HARMLESS.fullmatch(word) and shutil.which(word) is None:
            print(f"E: Unable to locate package {word}", file=sys.stderr)
            sys.exit(100)


def curl(arguments: list[str], name: str) -> None:
    if any("astral.sh/uv" in word or "github.com/astral-sh/uv" in word for word in arguments):
        sys.stdout.write(INSTALLER)
        return
    own = os.path.join(HERE, "bin")  # a stand-in that finds itself would start itself for ever
    path = os.pathsep.join(part for part in os.environ.get("PATH", "").split(os.pathsep) if part != own)
    found = shutil.which(name, path=path)
    if found is None:
        print(f"{name}: command not found", file=sys.stderr)
        sys.exit(127)
    os.execv(found, [name, *arguments])


def main() -> None:
    name, *arguments = sys.argv[1:]
    if name == "uvx":
        run_with(arguments, tool=True)
    elif name == "uv":
        uv(arguments)
    elif name in ("pip", "pip3"):
        pip(arguments)
    elif name in ("apt-get", "apt"):
        apt(arguments)
    else:
        curl(arguments, name)


if __name__ == "__main__":
    main()
