"""Warm runs: a Python that is already started, in a sandbox that stands, forks for each trial."""
