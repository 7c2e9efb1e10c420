"""A verifier's shell scripts, read without running them."""

from adjudge.audit.reading.shell.read import read_shell

__all__ = ["read_shell"]
