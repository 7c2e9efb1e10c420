"""Who asks, and what they may do: roles, users, sessions, tokens."""
