"""Commands that let models judge, and hold them against people."""
