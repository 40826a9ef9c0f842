"""From a native session to versions of it: what a save reads, compares, keeps and leaves behind."""
