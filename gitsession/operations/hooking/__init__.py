"""Saves that an agent asks for, and what it is given when a session of its starts."""
