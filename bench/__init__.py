"""Measurements as ratios within one run: `python -m bench` makes docs/benchmarks.md."""
