#!/usr/bin/env bash
# No trap and no fallback reward: where python3 is missing or verify.py cannot start, no reward appears and the
# trial counts as a verifier failure, not as a wrong answer.
# -E -s: nothing in the environment or the user's site folder can change what runs.
exec python3 -E -s -B /tests/verify.py
