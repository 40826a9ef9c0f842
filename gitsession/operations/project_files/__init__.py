"""Project files put back as a version has them: planned, backed up, written, undone."""
