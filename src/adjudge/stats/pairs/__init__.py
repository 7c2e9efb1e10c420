"""Differences between agents: two of them, many of them, and the gate."""
