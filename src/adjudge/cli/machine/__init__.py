"""Commands about this machine and this version of adjudge."""
