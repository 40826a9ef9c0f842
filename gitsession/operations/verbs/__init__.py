"""The verbs of Repository, grouped by topic: each one a straight line, as there."""
