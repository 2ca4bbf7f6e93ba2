"""Timings as ratios within one run; `python -m benchmarks` prints them all."""
