"""Full-text search over past messages, and its index."""
