"""Project files restored to a version: planned, backed up, written, undone."""
