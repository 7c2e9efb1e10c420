"""The ledger as a whole: verify it, copy it."""
