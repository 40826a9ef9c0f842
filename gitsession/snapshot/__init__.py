"""Format v1: encode a redacted session as the files of a version, and decode a version's files.

Everything here is imported on first use, so that a save does not pay for code that only reads.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.snapshot.decoding import blob_records as blob_records
    from gitsession.snapshot.decoding import decode as decode
    from gitsession.snapshot.decoding import decode_counts as decode_counts
    from gitsession.snapshot.decoding import decode_head as decode_head
    from gitsession.snapshot.decoding import records as records
    from gitsession.snapshot.encoding import encode as encode
    from gitsession.snapshot.head import Head as Head
    from gitsession.snapshot.head import Layout as Layout
    from gitsession.snapshot.message import commit_message as commit_message
    from gitsession.snapshot.slugs import session_name as session_name
    from gitsession.snapshot.slugs import slug as slug

_PLACES = {
    "blob_records": "decoding",
    "decode": "decoding",
    "decode_counts": "decoding",
    "decode_head": "decoding",
    "records": "decoding",
    "encode": "encoding",
    "Head": "head",
    "Layout": "head",
    "commit_message": "message",
    "session_name": "slugs",
    "slug": "slugs",
}

__all__ = [*_PLACES]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value
