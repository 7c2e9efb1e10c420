"""Commands that make evaluations."""
