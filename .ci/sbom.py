"""Write the software bill of materials: what an installed adjudge brings along, as CycloneDX JSON.

    python .ci/sbom.py requirements-dev.lock sbom.cdx.json

It lists what the core and every extra need, directly or through others, with the versions and hashes of the
lock file and the licences that the installed packages state. The same environment gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
NOT_FOR_USERS = {"dev", "fuzz", "harbor", "all"}


def locked(lock: str) -> dict[str, tuple[str, list[str]]]:
    """Version and hashes of every package in a lock file, by its canonical name."""
    found = {}
    for block in re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", lock, flags=re.MULTILINE)):
        if match := re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)", block):
            found[canonicalize_name(match[1])] = (match[2], re.findall(r"sha256:([0-9a-f]{64})", block))
    return found


def wanted() -> list[Requirement]:
    """What the core and the extras for users ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [r for extra, some in extras.items() if extra not in NOT_FOR_USERS for r in some]
    return [Requirement(text) for text in [*project["dependencies"], *named]]


def closure(requirements: list[Requirement]) -> dict[str, set[str]]:
    """Each package that is needed, and what it needs in turn."""
    found: dict[str, set[str]] = {}
    left = list(requirements)
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        extras = requirement.extras or {""}
        needs = [Requirement(text) for text in distribution(name).requires or []]
        needs = [n for n in needs if n.marker is None or any(n.marker.evaluate({"extra": e}) for e in extras)]
        new = {canonicalize_name(need.name) for need in needs} - found.get(name, set())
        if name not in found or new:
            found.setdefault(name, set()).update(new)
            left += needs
    return found


def licence(name: str) -> str:
    """What a package says of itself, in a few words."""
    said = distribution(name).metadata
    classified = [
        c.rpartition(" :: ")[2] for c in said.get_all("Classifier") or [] if c.startswith("License")
    ]
    return (
        said.get("License-Expression") or ", ".join(classified) or (said.get("License") or "").split("\n")[0]
    )


def bill(lock: str) -> dict[str, object]:
    known = locked(lock)
    needed = closure(wanted())
    components = []
    for name in sorted(needed):
        version, hashes = known[name]
        components.append(
            {
                "type": "library",
                "bom-ref": f"{name}@{version}",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{name}@{version}",
                "licenses": [{"license": {"name": licence(name)}}],
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes],
            }
        )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r'"(.+)"', (ROOT / "src/adjudge/_version.py").read_text(encoding="utf-8"))
    ref = {name: f"{name}@{known[name][0]}" for name in needed}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "adjudge",
                "name": "adjudge",
                "version": version[1] if version else "",
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": "adjudge", "dependsOn": sorted({ref[canonicalize_name(r.name)] for r in wanted()})},
            *(
                {"ref": ref[name], "dependsOn": sorted(ref[n] for n in needed[name])}
                for name in sorted(needed)
            ),
        ],
    }


if __name__ == "__main__":
    try:
        made = bill(Path(sys.argv[1]).read_text(encoding="utf-8"))
    except (PackageNotFoundError, KeyError) as error:
        sys.exit(f"{error}: not installed or not locked; run `make install` and `make lock` first")
    Path(sys.argv[2]).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
