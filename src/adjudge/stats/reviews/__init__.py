"""What people and judges said beside a verifier: agreement, confidence, corrected means."""
