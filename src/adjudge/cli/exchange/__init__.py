"""Commands that bring trials from elsewhere, or take them there."""
