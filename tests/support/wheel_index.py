"""A small index of wheels made here, with the names and programs that benchmarks use."""

from __future__ import annotations

import zipfile
from pathlib import Path

RUNNER = """
import runpy, sys

def main():
    files = [word for word in sys.argv[1:] if word.endswith(".py")]
    failed = 0
    for file in files:
        names = runpy.run_path(file)
        for name, test in names.items():
            if name.startswith("test_"):
                try:
                    test()
                except AssertionError:
                    failed += 1
    print(f"==== {failed} failed, {len(files) - failed} passed in 0.01s ====")
    return 1 if failed or not files else 0
"""


def write_index(wheels: Path) -> Path:
    """A folder of wheels for `PIP_FIND_LINKS`: a stand-in for pytest, its plugin, and a library."""
    wheels.mkdir()
    main = {
        "pytest/__init__.py": RUNNER,
        "pytest/__main__.py": "from pytest import main\nraise SystemExit(main())\n",
    }
    make_wheel(wheels, "pytest", "8.4.1", main, script="pytest = pytest:main", needs="pluggy_of_ours")
    make_wheel(wheels, "pluggy_of_ours", "1.0", {"pluggy_of_ours.py": ""})
    make_wheel(wheels, "pytest_json_ctrf", "0.3.5", {"pytest_json_ctrf.py": ""})
    make_wheel(
        wheels,
        "numpy_of_ours",
        "2.0",
        {"numpy_of_ours.py": "def mean(values):\n    return sum(values) / len(values)\n"},
    )
    return wheels


def make_wheel(
    folder: Path, name: str, version: str, files: dict[str, str], *, script: str = "", needs: str = ""
) -> None:
    info = f"{name}-{version}.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    entries = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **({f"{info}/entry_points.txt": f"[console_scripts]\n{script}\n"} if script else {}),
    }
    record = "".join(f"{entry},,\n" for entry in entries) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for entry, text in {**entries, f"{info}/RECORD": record}.items():
            archive.writestr(entry, text)
