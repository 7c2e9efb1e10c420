"""What several commands need: options, output, progress, workers."""
