"""The verbs of Repository, by what they are about: each one a straight line, as there."""
