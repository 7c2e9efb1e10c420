"""Coverage-guided search in one parser after another: what atheris calls targets.

    python -m fuzz.guided SECONDS FOLDER PARSER...

To watch what code an input reaches, every module is rewritten when it is imported, which takes long. That is
done once; each parser is searched in a process that is forked off then, because libFuzzer ends the process
that it searches in. What it said is in `FOLDER/PARSER/log`; inputs that reach new code are in `grown`, one
that broke the parser's promise is in `bad`. The name of a parser and how its process ended are printed when
it is done.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path
from typing import NoReturn

import atheris

CORPUS = Path(__file__).parent / "corpus"
with atheris.instrument_imports(include=["adjudge", "adjudge_kit", "yaml", "tomllib", "csv", "tarfile"]):
    from fuzz.parsers import PARSERS

    for _name, _parse in PARSERS.items():  # much is imported only when it is called
        with contextlib.suppress(AssertionError):  # of an input that is not mended yet
            _parse(min((CORPUS / _name).iterdir()).read_bytes())

LIMITS = (
    *("-max_len=4096", "-timeout=60", "-report_slow_units=60", "-rss_limit_mb=2048"),
    *("-verbosity=0", "-print_final_stats=0"),
)


def main(seconds: str, folder: Path, names: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name in names:
        child = os.fork()
        if child == 0:
            search(name, seconds, folder / name)
        _, status = os.waitpid(child, 0)
        print(name, os.waitstatus_to_exitcode(status), flush=True)


def search(name: str, seconds: str, folder: Path) -> NoReturn:
    for part in ("grown", "bad"):
        (folder / part).mkdir(parents=True)
    log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)
    limits = [*LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={folder}/bad/"]
    atheris.Setup([sys.argv[0], *limits, f"{folder}/grown", str(CORPUS / name)], PARSERS[name])
    atheris.Fuzz()
    raise AssertionError("libFuzzer ends the process")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
