#!/usr/bin/env bash
# Write `/workspace/x.py`.
pip install -q pytest || true
pytest -q /tests
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
