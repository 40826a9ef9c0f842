"""Hostile input for everything that reads: what a reader must do, its corpus, and the loops.

`python -m tests.fuzz --minutes 20` lets all readers run; `pytest tests/fuzz` reads the corpus once.
"""
