"""Sound verifiers, each broken in one known way: what the audit's recall is measured on."""
