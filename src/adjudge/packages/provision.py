"""Show a prepared set of packages to every job of a sandbox, and serve with it what scripts install.

`Provisioned` is a sandbox around another one: it adds two folders that can only be read, the set and the
stand-ins, and the variables that make Python and the shell find them. The set comes before the system's own
packages, and the stand-ins before its programs, but neither before what a task itself puts on its paths.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from adjudge.errors import MachineryError, UsageError
from adjudge.evidence import surroundings_of
from adjudge.packages.named import name_of
from adjudge.packages.prepare import PackageSet, packages_home, prepare_most, prepare_packages
from adjudge.sandbox import FIXED_ENVIRONMENT, Sandbox, SandboxJob, SandboxOutcome

_SET = "/opt/adjudge/packages"
_STAND_INS = "/opt/adjudge/stand-ins"
_SERVED = ("uv", "uvx", "pip", "pip3", "apt-get", "apt", "curl", "wget")
_START = '#!/bin/sh\nexec python3 -E -s {here}/inside.py {name} "$@"\n'
_PIP_MODULE = (
    "import runpy, sys\n"
    'sys.argv[:1] = ["pip", "pip"]\n'
    f'runpy.run_path("{_STAND_INS}/inside.py", run_name="__main__")\n'
)
_INSIDE = Path(__file__).with_name("inside.py")


@dataclass(frozen=True)
class Provisioned:
    """A sandbox whose jobs see a set of packages."""

    inner: Sandbox
    packages: PackageSet
    stand_ins: Path | None = None
    name: str = field(init=False)

    def __post_init__(self) -> None:
        served = ", ".join(self.packages.names())
        label = f"{self.inner.name} with packages {self.packages.digest[:12]} ({served})"
        object.__setattr__(self, "name", label if len(label) <= 400 else f"{label[:399]}…")

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Run a job with the packages in place; what the job sets itself stays in force."""
        shown = {**job.shown, _SET: self.packages.folder}
        path, modules = f"{_SET}/bin:{FIXED_ENVIRONMENT['PATH']}", f"{_SET}/site"
        if self.stand_ins is not None:
            shown[_STAND_INS] = self.stand_ins
            path, modules = f"{_STAND_INS}/bin:{path}", f"{_STAND_INS}/modules:{modules}"
        ours = {"PATH": path, "PYTHONPATH": modules}
        both = {name: ":".join(filter(None, (job.env.get(name), value))) for name, value in ours.items()}
        return self.inner.run(replace(job, shown=shown, env={**job.env, **both}))


def provide(sandbox: Sandbox, requirements: tuple[str, ...], *, stand_ins: bool = False) -> Provisioned:
    """A sandbox with these packages, fetched if need be, for the Python that it has.

    Raises `MachineryError` if they cannot be had, or if the sandbox has no Python.
    """
    packages = prepare_packages(requirements, _python_of(sandbox))
    return Provisioned(sandbox, packages, _stand_ins(packages) if stand_ins else None)


def provide_most(
    sandbox: Sandbox, requirements: tuple[str, ...], needed: tuple[str, ...], *, stand_ins: bool
) -> tuple[Provisioned, tuple[str, ...]]:
    """As `provide`, with as many of the packages as can be had, and the names of the others beside it."""
    packages, left_out = prepare_most(requirements, _python_of(sandbox), needed)
    return Provisioned(sandbox, packages, _stand_ins(packages) if stand_ins else None), left_out


def _python_of(sandbox: Sandbox) -> str:
    if sandbox.name == "unisolated":
        raise UsageError(
            "packages need a sandbox to be shown in", found=sandbox.name, allowed="bubblewrap, container"
        )
    around = surroundings_of(sandbox)
    if around is None or around.python is None:
        raise MachineryError("this sandbox has no Python that packages could be prepared for")
    return around.python


def installed_in(sandbox: Sandbox) -> list[str]:
    """The packages that a sandbox shows to its jobs, as `pytest==8.4.1`, sorted; often none."""
    found: dict[str, str] = {}
    while isinstance(sandbox, Provisioned):
        for wheel, _ in sandbox.packages.lock:
            name, version = wheel.split("-")[:2]
            found.setdefault(name_of(name), version)  # of a set around another, Python finds the outer first
        sandbox = sandbox.inner
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def _stand_ins(packages: PackageSet) -> Path:
    """The folder of stand-ins that serve a set: made once, named by its content."""
    served = "".join(f"{name_of(wheel.split('-')[0])} {wheel.split('-')[1]}\n" for wheel, _ in packages.lock)
    inside = _INSIDE.read_text("utf-8")
    files = {
        "inside.py": inside,
        "served": served,
        "modules/pip/__init__.py": "",
        "modules/pip/__main__.py": _PIP_MODULE,
        **{f"bin/{name}": _START.format(here=_STAND_INS, name=name) for name in _SERVED},
    }
    digest = hashlib.sha256("\0".join(f"{n}\0{t}" for n, t in sorted(files.items())).encode()).hexdigest()[
        :32
    ]
    home = packages_home() / "stand-ins"
    target = home / digest
    if target.is_dir():
        return target
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o755)
        with tempfile.TemporaryDirectory(dir=home) as place:
            made = Path(place) / "made"
            for name, text in files.items():
                file = made / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
                file.chmod(0o555 if name.startswith("bin/") else 0o444)
            for folder in (made, *(path for path in made.rglob("*") if path.is_dir())):
                folder.chmod(0o755)
            with contextlib.suppress(OSError):  # another process was faster
                made.rename(target)
    except OSError as error:
        raise MachineryError("stand-ins cannot be kept", file=home, found=str(error)) from error
    return target
