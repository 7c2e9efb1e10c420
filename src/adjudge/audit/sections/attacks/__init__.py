"""What an agent can try that solves nothing: claims, programs, files beside the answer, altered inputs."""

from adjudge.audit.sections.attacks.exploits import audit_exploits, lingering_probe

__all__ = ["audit_exploits", "lingering_probe"]
