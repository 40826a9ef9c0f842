"""What versions hold, told without changing anything: list, log, diff, stats, events, export."""
