"""What slipped through: found by a scan, taken out of everything stored by a scrub."""
