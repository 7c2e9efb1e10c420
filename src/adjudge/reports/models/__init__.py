"""What reports, comparisons, gates and counts of tags are, as data. Nothing is computed or rendered here."""
