"""Versions written out as sessions that agents continue, and what becomes of these."""
