"""Has a judge earned its place? Labels of people, calibrations, and rewards that rest on them."""
