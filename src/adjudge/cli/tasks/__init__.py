"""Commands about tasks and their verifiers."""
