"""Format v1: a redacted session to the files of a version, and a version's files to a session."""

from __future__ import annotations

from gitsession.snapshot.decode import blob_records, decode, decode_head, records
from gitsession.snapshot.encode import encode
from gitsession.snapshot.head import Head, Layout
from gitsession.snapshot.message import commit_message
from gitsession.snapshot.slug import session_name, slug

__all__ = [
    "Head",
    "Layout",
    "blob_records",
    "commit_message",
    "decode",
    "decode_head",
    "encode",
    "records",
    "session_name",
    "slug",
]
