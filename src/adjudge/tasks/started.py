"""Does a verifier start programs that lie in the agent's folder? Read off its sources, nothing is run.

For an answer that is a folder its name says nothing. The sources in `tests/` do: `cd /app && python main.py`,
`make -C /app`, `subprocess.run(["/app/tool"])`, `import` of what lies there.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from adjudge._files import read_plain_file
from adjudge.tasks.mentions import source_files

_MOST_BYTES = 1 << 20
_STARTERS = (
    r"(?:python[\d.]*|node|bash|sh|ruby|perl|php|java|Rscript|julia|deno|bun|lua|gcc|g\+\+|cc|rustc|javac|"
    r"go\s+(?:run|build|test)|cargo\s+\w+|make|cmake|npm|npx|yarn|pnpm|mvn|gradle|dotnet|pytest)"
)


def starts_from(home: Path, files: Collection[str], folder: str) -> bool:
    """Does any program in a task's `tests/` start, build or import something in `folder`?"""
    place = re.escape(folder)
    starts = re.compile(
        rf"(?:^|[\s;&|($`\"'\[]){_STARTERS}\b[^\n|;&]*?{place}/[\w.-]"  # python3 /app/main.py
        rf"|(?:make|cmake|npm|cargo|go)\b[^\n]*(?:-C|--prefix|--build|--manifest-path)[ =\"',]*{place}"
        rf"|\bcd\s+[\"']?{place}[\"'/\w.-]*\s*(?:&&|;|\n)\s*(?:\w+=\S*\s+)*(?:timeout\s+\S+\s+)?(?:{_STARTERS}\b|\./)"
        rf"|(?:run|Popen|call|check_output|check_call|system)\(\s*\[?\s*f?[\"']{place}/"
        rf"|sys\.path\.(?:insert|append)\([^\n]*[\"']{place}"
        rf"|spec_from_file_location\([^\n]*{place}"
        rf"|cwd\s*=\s*[\"']{place}",
        re.MULTILINE,
    )
    for path in source_files(files):
        data = read_plain_file(f"{home}/{path}", limit=_MOST_BYTES).data
        if data is not None and starts.search(data.decode("utf-8", "replace")):
            return True
    return False
