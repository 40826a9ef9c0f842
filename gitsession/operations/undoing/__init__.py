"""Undo and redo of a person's commands."""
