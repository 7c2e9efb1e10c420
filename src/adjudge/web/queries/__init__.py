"""The one way from a page or the API to the ledger. What a role may not see is left out here alone."""
