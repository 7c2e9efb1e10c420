"""Commands that show a ledger to people and programs, and say who they may be."""
