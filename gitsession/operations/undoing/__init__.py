"""Commands of a person taken back, and done again."""
