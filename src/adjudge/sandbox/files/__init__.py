"""What a verifier gets to see, where it lies in the sandbox, and what is read back afterwards."""
