"""Commands that tell what the trials say about agents."""
