"""Commands that read the ledger, or add to what it says of a trial."""
