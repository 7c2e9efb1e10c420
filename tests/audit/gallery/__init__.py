"""Deliberately flawed verifiers, and sound ones beside them."""
