"""The store: one bare git repository with bytes, ids and refs in it, and nothing about sessions.

`Store` is the door; `revisions`, `transfer` and `care` are functions over an open store.
"""

from __future__ import annotations

from gitsession.store.store import Store

__all__ = ["Store"]
