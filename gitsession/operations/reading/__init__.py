"""What versions contain, reported without changes: list, log, diff, stats, events, export."""
