"""Secrets that were missed: found by a scan, removed from everything stored by a scrub."""
