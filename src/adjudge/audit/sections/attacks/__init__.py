"""What an agent can try that solves nothing: claims, programs, files beside the answer, altered inputs."""

from adjudge.audit.sections.attacks.exploits import audit_exploits

__all__ = ["audit_exploits"]
