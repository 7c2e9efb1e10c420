"""One mean: its estimate, its standard error, its interval."""
