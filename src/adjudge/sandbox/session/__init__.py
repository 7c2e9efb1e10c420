"""A sandbox that stays between commands: for an agent's environment, and for verifiers that are kept warm."""

from adjudge.sandbox.session.leftovers import AgentsFolder, spoken_of
from adjudge.sandbox.session.session import Session, SessionLimits

__all__ = ["AgentsFolder", "Session", "SessionLimits", "spoken_of"]
