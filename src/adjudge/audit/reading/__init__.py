"""What a careful reader sees in a verifier's source, without running it."""
