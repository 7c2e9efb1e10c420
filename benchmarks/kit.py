"""What the kit costs a verifier: bare Python, `import adjudge_kit`, and a whole verifier, side by side.

    python -m benchmarks.kit [--runs 40] [--json]

Runs alternate and the fastest of each counts, because noise on a busy machine only ever adds. "uncached" is
the import where no bytecode can be kept, as in a sandbox that mounts `tests/` read-only.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KIT = ROOT / "src" / "adjudge_kit.py"
VERIFY = """\
import sys
sys.path.insert(0, {folder!r})
from adjudge_kit import Verifier
with Verifier.from_file({output!r}, logs={logs!r}) as v:
    v.number("voltage_drop_v", 3.04, rel=0.02, unit="V")
    v.number("voltage_drop_pct", 0.0132, rel=0.02, weight=2)
    v.choice("compliance", "compliant", among=["compliant", "non-compliant"])
"""
OUTPUT = '```json\n{"voltage_drop_v": 3.05, "voltage_drop_pct": 1.32, "compliance": "compliant"}\n```\n'


def measure(python: str = sys.executable, runs: int = 40) -> dict[str, float]:
    """The fastest of `runs` alternating starts, in milliseconds."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copyfile(KIT, folder / KIT.name)
        output = folder / "output.md"
        output.write_text(OUTPUT, encoding="utf-8")
        load = f"import sys; sys.path.insert(0, {str(folder)!r}); import adjudge_kit"
        verify = VERIFY.format(folder=str(folder), output=str(output), logs=str(folder / "logs"))
        commands = {
            "bare Python": ["-c", "pass"],
            "import json": ["-c", "import json"],
            "import adjudge_kit": ["-c", load],
            "import adjudge_kit, uncached": ["-B", "-X", f"pycache_prefix={folder / 'none'}", "-c", load],
            "a whole verifier": ["-c", verify],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(runs):
            for name, arguments in commands.items():
                start = time.perf_counter()
                subprocess.run([python, "-I", *arguments], check=True)
                best[name] = min(best[name], 1000 * (time.perf_counter() - start))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    best = measure(runs=options.runs)
    if options.json:
        print(json.dumps(best))
        return
    bare = best["bare Python"]
    for name, milliseconds in best.items():
        print(
            f"{name:30} {milliseconds:7.1f} ms   {milliseconds - bare:+6.1f} ms   x{milliseconds / bare:.2f}"
        )


if __name__ == "__main__":
    main()
