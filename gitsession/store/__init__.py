"""The store: one bare git repository, known here only as bytes, ids and refs, never as sessions.

`Store` is the entry point; `revisions`, `transfer` and `care` are functions over an open store.
"""

from __future__ import annotations

from gitsession.store.store import Store

__all__ = ["Store"]
