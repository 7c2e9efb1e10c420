"""What is inserted: trials with their evaluations, annotations, tags, certificates and their marks."""
