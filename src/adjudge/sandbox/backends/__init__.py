"""What a command runs in: bubblewrap, a container, or (on purpose) no isolation at all."""
