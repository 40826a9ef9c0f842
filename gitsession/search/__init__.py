"""Full-text search over everything said in sessions: a derived index, and answers from it. Knows
nothing of git or agents: entries come in as values, hits go out as values."""
