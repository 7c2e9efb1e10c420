"""Coverage-guided search in one parser, in a process of its own: what atheris calls a target.

    python -m fuzz.guided PARSER OPTION... FOLDER...

The options and folders are libFuzzer's. Inputs that reach new code go to the first folder; one that breaks
the parser's promise goes to where `-artifact_prefix` says. libFuzzer ends the process: this never returns.
"""

from __future__ import annotations

import sys
import warnings

import atheris

with atheris.instrument_imports(include=["adjudge", "adjudge_kit", "yaml", "tomllib", "csv", "tarfile"]):
    from fuzz.parsers import PARSERS

LIMITS = ("-max_len=4096", "-timeout=60", "-rss_limit_mb=2048", "-verbosity=0", "-print_final_stats=0")


def main() -> None:
    warnings.simplefilter("ignore")
    name, *rest = sys.argv[1:]
    atheris.Setup([sys.argv[0], *LIMITS, *rest], PARSERS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
