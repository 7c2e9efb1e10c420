"""How much data would settle a question, and when one may stop before."""
