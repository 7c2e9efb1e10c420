"""Probes are shown the modules of the tests compiled once, and altered tests never the old byte code."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from adjudge.audit import Section, audit_task
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build

FRAME = "#!/usr/bin/env bash\nexec python3 -c 'import sys; sys.path.insert(0, \"/tests\"); import verify'\n"


@dataclass(frozen=True)
class Noting:
    """The real sandbox, and every job that it was given."""

    inner: Sandbox
    jobs: list[SandboxJob] = field(default_factory=list, repr=False)
    name: str = "bubblewrap"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        self.jobs.append(job)
        return self.inner.run(job)


def test_probes_do_not_compile_the_tests_again(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = Exhibit("imported", "x = '''" + "." * 5000 + "'''\nwrite({'all': 1.0})\n", test_sh=FRAME)
    noting = Noting(sandbox)
    audit_task(load_task(build(exhibit, tmp_path)), noting, sections=[Section.TRIVIAL, Section.HONESTY])
    verifying = [job for job in noting.jobs if "test.sh" in " ".join(job.command)]
    frozen = [job for job in verifying if "adjudge-frozen-" in str(job.tests)]
    altered = [job for job in verifying if job not in frozen]
    assert len(altered) >= 1
    assert all(not job.shown for job in altered)
    assert [bool(job.shown) for job in frozen[1:]] == [True] * (len(frozen) - 1)
