"""Warm runs: a Python that is already started, in a sandbox that stands, forks for each trial.

What a trial finds is what it would find in a sandbox of its own (`inside.py`, docs/sandbox.md).
Whether a job may be run this way says `warm_start`; whether its task should be, the caller decides.
"""
