"""Automatic capture."""
