"""A sandbox that stays between commands: for an agent's environment, and for verifiers that are kept warm."""

from adjudge.sandbox.session.session import CommandResult, Session, SessionLimits

__all__ = ["CommandResult", "Session", "SessionLimits"]
