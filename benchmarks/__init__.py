"""Side-by-side measurements, as ratios in one run; `make bench` runs them all."""
