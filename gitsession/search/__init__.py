"""Full text over everything that sessions say: a derived index, and answers from it. Nothing of git
or agents: entries come in as values, hits go out as values."""
