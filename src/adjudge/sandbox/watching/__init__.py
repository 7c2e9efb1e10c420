"""What a running sandbox uses, what it prints, and its end, whoever brings that about."""
